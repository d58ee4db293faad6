// What the page knows, and how each thing that happens changes it. Pure: the session decides what to do, this decides what is shown.
import { appendBounded, plain } from "./plain.ts";
import type { PodClass } from "./podclass.ts";
import type { Failure, ServerMessage, Size, StepStatus } from "./protocol.ts";

/** How much of the boot's log the page keeps, in characters. */
export const LOG_LIMIT = 256 * 1024;

export type Phase =
  | "connecting" // the first socket of this page is not open yet
  | "booting"
  | "ready" // provisioned, the shell is about to start
  | "attached" // bytes go both ways
  | "reconnecting" // the connection was lost; the shell may well live on
  | "asleep"
  | "destroyed"
  | "failed"
  | "exited" // the shell ended by itself
  | "closed" // somebody closed the tab: its programs were ended
  | "signed_out"
  | "no_pod" // there is none of this page's name, or none of this user's
  | "stopped"; // this page and the server do not understand each other

export interface Step {
  name: string;
  status: StepStatus;
  detail: string;
  startedAt: number;
  endedAt: number | null;
}

export interface View {
  phase: Phase;
  /** What the pod keeps when its container goes; null: not known yet. It is the pod's and not the session's: what happens to a session leaves it as it is. */
  podClass: PodClass | null;
  incarnation: number;
  reason: string;
  message: string;
  steps: readonly Step[];
  bootStartedAt: number | null;
  bootEndedAt: number | null;
  log: string;
  logCut: boolean;
  failure: Failure | null;
  exitCode: number | null;
  exitSignal: string;
  /** This page only looks on. */
  readOnly: boolean;
  /** What the session shows is recorded. */
  recorded: boolean;
  /** How many windows show this session, this one included. */
  viewers: number;
  /** The session's size, which whoever typed last decides; null without a session. */
  size: Size | null;
  /** What fits into this window. */
  window: Size | null;
  /** The pod sleeps at this time of the page's clock unless somebody types; null: it does not. */
  idle: { at: number; why: string } | null;
  /** When the page acts by itself next (a reconnect, or a boot when asleep or destroyed), in ms of the page's clock; null: not planned. */
  nextAt: number | null;
  /** The page waits for somebody: it does nothing by itself until it is looked at, or a key is pressed. */
  waiting: boolean;
  /** This page had a shell before; its last screen is still worth looking at. */
  hadShell: boolean;
  resetting: boolean;
  /** One sentence about something that just happened. */
  notice: string;
  /** Counts notices, so that the same one said again is seen again. */
  notices: number;
}

export type Event =
  | { type: "message"; message: ServerMessage; at: number }
  | { type: "connecting" }
  | { type: "lost"; reason: string; message: string; nextAt: number | null }
  | { type: "planned"; nextAt: number } // a boot that the page will ask for by itself
  | { type: "waiting" }
  | { type: "exited"; code: number | null }
  | { type: "closed" }
  | { type: "window"; size: Size }
  | { type: "signed_out"; message: string }
  | { type: "no_pod" }
  | { type: "pod_class"; podClass: PodClass | null }
  | { type: "stopped"; message: string }
  | { type: "reset_started" }
  | { type: "reset_done" }
  | { type: "reset_failed"; message: string }
  | { type: "notice"; message: string };

export const initial: View = {
  phase: "connecting",
  podClass: null,
  incarnation: 0,
  reason: "",
  message: "",
  steps: [],
  bootStartedAt: null,
  bootEndedAt: null,
  log: "",
  logCut: false,
  failure: null,
  exitCode: null,
  exitSignal: "",
  readOnly: false,
  recorded: false,
  viewers: 1,
  size: null,
  window: null,
  idle: null,
  nextAt: null,
  waiting: false,
  hadShell: false,
  resetting: false,
  notice: "",
  notices: 0,
};

export function reduce(view: View, event: Event): View {
  switch (event.type) {
    case "message":
      return reduceMessage(view, event.message, event.at);
    case "connecting":
      return { ...quiet(view), phase: view.phase === "reconnecting" ? "reconnecting" : "connecting" };
    case "lost":
      // What the page waits for (a retry after a failed boot, a key after a sleep) does not change because the socket went away.
      if (view.phase === "failed" || view.phase === "asleep" || view.phase === "destroyed") return { ...view, nextAt: event.nextAt };
      return { ...view, phase: "reconnecting", reason: event.reason, message: event.message, nextAt: event.nextAt, waiting: false, idle: null };
    case "planned":
      return { ...view, nextAt: event.nextAt, waiting: false };
    case "waiting":
      return { ...view, nextAt: null, waiting: true };
    case "exited":
      return { ...quiet(view), phase: "exited", exitCode: event.code ?? view.exitCode };
    case "closed":
      return { ...quiet(view), phase: "closed", size: null };
    case "window":
      return { ...view, window: event.size };
    case "signed_out":
      return { ...quiet(view), phase: "signed_out", message: event.message };
    case "no_pod":
      return { ...quiet(view), phase: "no_pod", incarnation: 0, message: "", size: null };
    case "pod_class":
      return { ...view, podClass: event.podClass };
    case "stopped":
      return { ...quiet(view), phase: "stopped", message: event.message };
    case "reset_started":
      return { ...view, resetting: true };
    case "reset_done":
      return { ...view, resetting: false };
    case "reset_failed":
      return { ...noticed(view, event.message), resetting: false };
    case "notice":
      return noticed(view, event.message);
  }
}

function reduceMessage(view: View, message: ServerMessage, at: number): View {
  switch (message.type) {
    case "state": {
      const next: View = {
        ...quiet(view),
        phase: message.state,
        incarnation: message.incarnation > 0 ? message.incarnation : view.incarnation,
        reason: message.reason,
        message: plain(message.message),
        failure: message.failure && { ...message.failure, step: plain(message.failure.step), logTail: plain(message.failure.logTail) },
        exitCode: null,
        exitSignal: "",
        size: message.state === "failed" ? view.size : null,
      };
      if (message.state === "booting") {
        // "booting" said twice about the same boot must not throw its steps away.
        const again = view.phase === "booting" && message.incarnation === view.incarnation && view.steps.length > 0;
        return again ? next : { ...next, steps: [], log: "", logCut: false, bootStartedAt: at, bootEndedAt: null };
      }
      return endBoot(next, at);
    }
    case "step":
      return { ...view, steps: reduceSteps(view.steps, { ...message, step: plain(message.step), detail: plain(message.detail) }, at) };
    case "log": {
      const { log, cut } = appendBounded(view.log, plain(message.data), LOG_LIMIT);
      return { ...view, log, logCut: view.logCut || cut };
    }
    case "attached":
      return {
        ...endBoot(quiet(view), at),
        phase: "attached",
        incarnation: message.incarnation,
        reason: "",
        message: "",
        failure: null,
        exitCode: null,
        exitSignal: "",
        readOnly: message.readOnly,
        recorded: message.recorded,
        viewers: 1,
        size: message.size,
        hadShell: true,
      };
    case "reset":
      // Of the others the page says why by what it shows: a new shell, or the same one painted again.
      return message.reason === "slow" || message.reason === "behind" ? noticed(view, "There was more output than this page could keep up with: what is shown is the newest.") : view;
    case "size":
      return { ...view, size: message.size };
    case "viewers":
      return { ...view, viewers: message.count };
    case "idle":
      return { ...view, idle: message.inSeconds === null ? null : { at: at + message.inSeconds * 1000, why: plain(message.why) } };
    case "exit":
      return { ...quiet(view), phase: "exited", exitCode: message.code, exitSignal: plain(message.signal) };
    case "resumed":
    case "live":
    case "taken":
    case "refused":
      return view;
  }
}

function noticed(view: View, notice: string): View {
  return { ...view, notice, notices: view.notices + 1 };
}

/** Nothing is planned, waited for or warned of any more. */
function quiet(view: View): View {
  return { ...view, nextAt: null, waiting: false, idle: null };
}

function endBoot(view: View, at: number): View {
  return view.bootStartedAt !== null && view.bootEndedAt === null ? { ...view, bootEndedAt: at } : view;
}

function reduceSteps(steps: readonly Step[], message: { step: string; status: StepStatus; detail: string }, at: number): Step[] {
  const ended = message.status === "started" ? null : at;
  const index = steps.findIndex((step) => step.name === message.step);
  const known = steps[index];
  if (known === undefined) {
    return [...steps, { name: message.step, status: message.status, detail: message.detail, startedAt: at, endedAt: ended }];
  }
  const changed: Step = { ...known, status: message.status, detail: message.detail || known.detail, endedAt: ended };
  return steps.map((step, at) => (at === index ? changed : step));
}
