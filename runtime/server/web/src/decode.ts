// Reads the server's text frames. Pure. What is not the protocol is refused whole, with a reason.
import { clampSize, type PodState, type ResetReason, type ServerMessage, type Size, type StepStatus } from "./protocol.ts";

/** What the server sent is not the protocol: the socket is closed with 4400 and this message as the reason. */
export class ProtocolError extends Error {}

type Fields = Record<string, unknown>;

const podStates: readonly string[] = ["booting", "ready", "asleep", "destroyed", "failed"];
const stepStatuses: readonly string[] = ["started", "done", "skipped", "failed"];
const resetReasons: readonly string[] = ["new", "epoch", "behind", "slow"];
const refusals: readonly string[] = ["input_full", "read_only", "lost"];

/** Reads one text frame. Fields that it does not know are ignored; an unknown type or a missing field is a ProtocolError. */
export function decode(frame: string): ServerMessage {
  const fields = object(frame);
  switch (fields.type) {
    case "state":
      return state(fields);
    case "step": {
      const step = text(fields, "step");
      if (step === "") throw new ProtocolError("step: no name");
      return { type: "step", step, status: oneOf(fields, "status", stepStatuses) as StepStatus, detail: text(fields, "detail") };
    }
    case "log":
      return { type: "log", data: text(fields, "data") };
    case "attached":
      return {
        type: "attached",
        incarnation: integer(fields, "incarnation"),
        tab: text(fields, "tab"),
        epoch: epoch(fields),
        size: size(fields),
        readOnly: fields.read_only === true,
        recorded: fields.recorded === true,
      };
    case "resumed":
    case "live":
      return { type: fields.type, from: offset(fields, "from") };
    case "reset":
      return { type: "reset", reason: oneOf(fields, "reason", resetReasons) as ResetReason };
    case "size":
      return { type: "size", size: size(fields) };
    case "viewers":
      return { type: "viewers", count: integer(fields, "count") };
    case "taken":
      return { type: "taken", frame: optionalInteger(fields, "frames") };
    case "refused":
      return { type: "refused", reason: oneOf(fields, "reason", refusals) as "input_full" | "read_only" | "lost", frame: optionalInteger(fields, "frames") };
    case "idle":
      return { type: "idle", inSeconds: optionalNumber(fields, "seconds"), why: text(fields, "message") };
    case "exit":
      return { type: "exit", code: integer(fields, "code"), signal: signal(fields) };
    default:
      throw new ProtocolError(`unknown message type ${JSON.stringify(fields.type)?.slice(0, 40) ?? "(none)"}`);
  }
}

function object(frame: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(frame);
  } catch {
    throw new ProtocolError("a text frame is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new ProtocolError("a text frame is not an object");
  return value as Fields;
}

function state(fields: Fields): ServerMessage {
  const state = oneOf(fields, "state", podStates) as PodState;
  const failure = state === "failed" ? { step: text(fields, "step"), exitCode: optionalInteger(fields, "exit_code"), logTail: text(fields, "log_tail") } : null;
  return { type: "state", state, incarnation: optionalInteger(fields, "incarnation") ?? 0, reason: text(fields, "reason"), message: text(fields, "message"), failure };
}

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") throw new ProtocolError(`${String(fields.type)}: ${name} is not text`);
  return value;
}

function epoch(fields: Fields): string {
  const value = text(fields, "epoch");
  if (!/^[0-9a-f]{16}$/.test(value)) throw new ProtocolError(`${String(fields.type)}: the epoch is not 16 hex digits`);
  return value;
}

/** A signal's name or its number, whichever the server gives. */
function signal(fields: Fields): string {
  return typeof fields.signal === "number" && fields.signal > 0 ? String(fields.signal) : typeof fields.signal === "string" ? fields.signal : "";
}

function size(fields: Fields): Size {
  const clamped = clampSize(integer(fields, "cols"), integer(fields, "rows"));
  if (clamped === null) throw new ProtocolError(`${String(fields.type)}: no size`);
  return clamped;
}

function offset(fields: Fields, name: string): number {
  const value = integer(fields, name);
  if (value < 0) throw new ProtocolError(`${String(fields.type)}: ${name} is negative`);
  return value;
}

function optionalNumber(fields: Fields, name: string): number | null {
  const value = fields[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== "number" || !Number.isFinite(value)) throw new ProtocolError(`${String(fields.type)}: ${name} is not a number`);
  return value;
}

function optionalInteger(fields: Fields, name: string): number | null {
  const value = fields[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw new ProtocolError(`${String(fields.type)}: ${name} is not an integer`);
  return value;
}

function integer(fields: Fields, name: string): number {
  const value = optionalInteger(fields, name);
  if (value === null) throw new ProtocolError(`${String(fields.type)}: no ${name}`);
  return value;
}

function oneOf(fields: Fields, name: string, allowed: readonly string[]): string {
  const value = fields[name];
  if (typeof value !== "string" || !allowed.includes(value)) {
    throw new ProtocolError(`${String(fields.type)}: unknown ${name} ${JSON.stringify(value)?.slice(0, 40) ?? "(none)"}`);
  }
  return value;
}
