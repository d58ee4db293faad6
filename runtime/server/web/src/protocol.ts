// The terminal's protocol, version 2, as the page sees it: docs/protocol.md is the contract. Pure: no socket, no DOM. decode.ts reads what the server sends.

export const SUBPROTOCOL = "podlife.v2";

/** A longer paste goes in pieces of this many bytes, and no binary frame is longer. */
export const PASTE_PIECE = 16 * 1024;

/** Output that was shown is acknowledged at least this often, in bytes. The server's window is eight times as much. */
export const ACK_EVERY = 64 * 1024;

/** Close codes of the server, and what they mean for the page. */
export const Close = {
  goingAway: 1001,
  shellExited: 4000,
  badMessage: 4400,
  wrongVersion: 4406,
  noHello: 4408,
  notReady: 4409,
  tabClosed: 4410,
  tooManyTerminals: 4429,
} as const;

export type PodState = "booting" | "ready" | "asleep" | "destroyed" | "failed";
export type StepStatus = "started" | "done" | "skipped" | "failed";

/** Why a picture comes: nothing was known, another session, the missing output is not kept any more, or this viewer was too slow. */
export type ResetReason = "new" | "epoch" | "behind" | "slow";

export interface Size {
  cols: number;
  rows: number;
}

export interface Failure {
  step: string;
  exitCode: number | null;
  logTail: string;
}

/** Which output of which session this page has: all bytes below `have`. */
export interface Position {
  /** 16 hex digits; text, because a JavaScript number does not hold 64 bits. */
  epoch: string;
  have: number;
}

export type ServerMessage =
  | { type: "state"; state: PodState; incarnation: number; reason: string; message: string; failure: Failure | null }
  | { type: "step"; step: string; status: StepStatus; detail: string }
  | { type: "log"; data: string }
  | { type: "attached"; incarnation: number; tab: string; epoch: string; size: Size; readOnly: boolean; recorded: boolean }
  | { type: "resumed"; from: number }
  | { type: "reset"; reason: ResetReason }
  | { type: "live"; from: number }
  | { type: "size"; size: Size }
  | { type: "viewers"; count: number }
  | { type: "taken"; frame: number | null }
  | { type: "refused"; reason: "input_full" | "read_only" | "lost"; frame: number | null }
  | { type: "idle"; inSeconds: number | null; why: string }
  | { type: "exit"; code: number; signal: string };

export type ClientMessage =
  | ({ type: "hello"; client: string; tab: string; boot: boolean; read_only?: true } & Size & Partial<Position>)
  | { type: "ack"; have: number }
  | ({ type: "resize" } & Size)
  | { type: "boot" }
  | { type: "stay" };

export function encode(message: ClientMessage): string {
  return JSON.stringify(message);
}

/** A terminal's size is sent as 1 to 1000; what cannot be a size (hidden element, NaN) is null and not sent at all. */
export function clampSize(cols: number, rows: number): Size | null {
  if (!Number.isFinite(cols) || !Number.isFinite(rows) || cols < 1 || rows < 1) return null;
  return { cols: Math.min(1000, Math.floor(cols)), rows: Math.min(1000, Math.floor(rows)) };
}

export function sameSize(a: Size, b: Size): boolean {
  return a.cols === b.cols && a.rows === b.rows;
}

/** An id for one terminal of one page load: 128 random bits as 22 characters of [A-Za-z0-9_-]. */
export function newClientID(fill: (bytes: Uint8Array<ArrayBuffer>) => void): string {
  const bytes = new Uint8Array(16);
  fill(bytes);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
