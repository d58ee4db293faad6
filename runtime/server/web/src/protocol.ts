// The terminal's protocol, version 1, as the page sees it: docs/protocol.md is the contract. Pure: no socket, no DOM.

export const SUBPROTOCOL = "podlife.v1";

/** The largest text frame that either side may send, in bytes. */
export const MAX_MESSAGE = 64 * 1024;

/** A longer paste goes in pieces of this many bytes. */
export const PASTE_PIECE = 16 * 1024;

/** Close codes of the server, and what they mean for the page. */
export const Close = {
  goingAway: 1001,
  shellExited: 4000,
  badMessage: 4400,
  noHello: 4408,
  notReady: 4409,
  tooManyTerminals: 4429,
} as const;

export type PodState = "booting" | "ready" | "asleep" | "destroyed" | "failed";
export type StepStatus = "started" | "done" | "skipped" | "failed";

export interface Failure {
  step: string;
  exitCode: number | null;
  logTail: string;
}

export type ServerMessage =
  | { type: "state"; state: PodState; incarnation: number; reason: string; message: string; failure: Failure | null }
  | { type: "step"; step: string; status: StepStatus; detail: string }
  | { type: "log"; data: string }
  | { type: "attached"; incarnation: number }
  | { type: "exit"; code: number };

export type ClientMessage =
  | { type: "hello"; client: string; tab: string; cols: number; rows: number; boot: boolean }
  | { type: "resize"; cols: number; rows: number }
  | { type: "boot" };

/** What the server sent is not the protocol: the socket is closed with 4400 and this message as the reason. */
export class ProtocolError extends Error {}

const podStates: readonly string[] = ["booting", "ready", "asleep", "destroyed", "failed"];
const stepStatuses: readonly string[] = ["started", "done", "skipped", "failed"];

/** Reads one text frame. Fields that it does not know are ignored; an unknown type or a missing field is a ProtocolError. */
export function decode(frame: string): ServerMessage {
  let value: unknown;
  try {
    value = JSON.parse(frame);
  } catch {
    throw new ProtocolError("a text frame is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new ProtocolError("a text frame is not an object");
  const fields = value as Record<string, unknown>;
  switch (fields.type) {
    case "state": {
      const state = oneOf(fields, "state", podStates) as PodState;
      const failure =
        state === "failed"
          ? { step: text(fields, "step"), exitCode: optionalInteger(fields, "exit_code"), logTail: text(fields, "log_tail") }
          : null;
      return {
        type: "state",
        state,
        incarnation: optionalInteger(fields, "incarnation") ?? 0,
        reason: text(fields, "reason"),
        message: text(fields, "message"),
        failure,
      };
    }
    case "step": {
      const step = text(fields, "step");
      if (step === "") throw new ProtocolError("step: no name");
      return { type: "step", step, status: oneOf(fields, "status", stepStatuses) as StepStatus, detail: text(fields, "detail") };
    }
    case "log":
      return { type: "log", data: text(fields, "data") };
    case "attached":
      return { type: "attached", incarnation: integer(fields, "incarnation") };
    case "exit":
      return { type: "exit", code: integer(fields, "code") };
    default:
      throw new ProtocolError(`unknown message type ${JSON.stringify(fields.type)?.slice(0, 40) ?? "(none)"}`);
  }
}

export function encode(message: ClientMessage): string {
  return JSON.stringify(message);
}

/** A terminal's size is sent as 1 to 1000; what cannot be a size (hidden element, NaN) is null and not sent at all. */
export function clampSize(cols: number, rows: number): { cols: number; rows: number } | null {
  if (!Number.isFinite(cols) || !Number.isFinite(rows) || cols < 1 || rows < 1) return null;
  return { cols: Math.min(1000, Math.floor(cols)), rows: Math.min(1000, Math.floor(rows)) };
}

/** An id for this page load: 128 random bits as 22 characters of [A-Za-z0-9_-]. */
export function newClientID(fill: (bytes: Uint8Array<ArrayBuffer>) => void): string {
  const bytes = new Uint8Array(16);
  fill(bytes);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function text(fields: Record<string, unknown>, name: string): string {
  const value = fields[name];
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") throw new ProtocolError(`${String(fields.type)}: ${name} is not text`);
  return value;
}

function optionalInteger(fields: Record<string, unknown>, name: string): number | null {
  const value = fields[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw new ProtocolError(`${String(fields.type)}: ${name} is not an integer`);
  return value;
}

function integer(fields: Record<string, unknown>, name: string): number {
  const value = optionalInteger(fields, name);
  if (value === null) throw new ProtocolError(`${String(fields.type)}: no ${name}`);
  return value;
}

function oneOf(fields: Record<string, unknown>, name: string, allowed: readonly string[]): string {
  const value = fields[name];
  if (typeof value !== "string" || !allowed.includes(value)) {
    throw new ProtocolError(`${String(fields.type)}: unknown ${name} ${JSON.stringify(value)?.slice(0, 40) ?? "(none)"}`);
  }
  return value;
}
