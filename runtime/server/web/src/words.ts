// Every sentence about the state that people read, in one place; podclass.ts has those that depend on what the pod keeps. Pure.
import type { PasteRisk } from "./input.ts";
import { classWords } from "./podclass.ts";
import { sameSize } from "./protocol.ts";
import type { Phase, Step, View } from "./state.ts";
import { DEFAULT } from "./which.ts";

export interface Status {
  /** Announced by screen readers, so it changes only when the state does. */
  text: string;
  /** Beside it, and not announced: counts down. */
  detail: string;
}

const badges: Record<Phase, string> = {
  connecting: "connecting",
  booting: "booting",
  ready: "ready",
  attached: "attached",
  reconnecting: "reconnecting",
  asleep: "asleep",
  destroyed: "destroyed",
  failed: "failed",
  exited: "shell ended",
  closed: "tab closed",
  signed_out: "not logged in",
  no_pod: "no such pod",
  stopped: "stopped",
};

/** The title of the window: what is asked for most among many windows, which pod it is, comes first. */
export function pageTitle(view: View, pod: string): string {
  return [...(pod === DEFAULT ? [] : [pod]), badge(view), "podlife"].join(" · ");
}

/** What sleeps because somebody asked for it is called destroyed where something was. */
export function badge({ phase, podClass }: Pick<View, "phase" | "podClass">): string {
  return badges[phase === "destroyed" && podClass !== "ephemeral" ? "asleep" : phase];
}

/** "0.4 s", "12.3 s", "2 min 05 s". */
export function duration(ms: number): string {
  const tenths = Math.max(0, Math.round(ms / 100));
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(tenths / 10);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}

export function status(view: View, now: number): Status {
  const wait = view.nextAt === null ? "" : `${Math.max(1, Math.ceil((view.nextAt - now) / 1000))} s`;
  switch (view.phase) {
    case "connecting":
      return { text: "Connecting to the server", detail: "" };
    case "booting":
      return booting(view, now);
    case "ready":
      return { text: "Provisioned", detail: "opening your shell" };
    case "attached":
      return { text: `Connected${view.readOnly ? ", looking on" : ""}${isRecorded(view) ? ", recorded" : ""}`, detail: attached(view) };
    case "reconnecting":
      return { text: reconnecting(view), detail: wait ? `next try in ${wait}` : "trying now" };
    case "asleep":
    case "destroyed":
      return lost(view, wait);
    case "failed":
      return { text: failedTitle(view), detail: view.nextAt === null ? "nothing happens until you try again" : `next try in ${wait}` };
    case "exited":
      return { text: `The shell ended${exitCode(view)}`, detail: "the pod is still there" };
    case "closed":
      return { text: "This tab was closed, and the programs in it ended", detail: "the pod is still there" };
    case "signed_out":
      return { text: "Not logged in", detail: "" };
    case "no_pod":
      return { text: "You have no pod of this name", detail: "" };
    case "stopped":
      return { text: "Stopped", detail: "this page does not reconnect by itself" };
  }
}

function booting(view: View, now: number): Status {
  const running = view.steps.find((step) => step.status === "started");
  const since = view.bootStartedAt === null ? "" : duration(now - view.bootStartedAt);
  if (view.waiting) return { text: "Booting", detail: "this tab joins when you look at it" };
  return { text: running ? `Booting: ${running.name}` : "Booting", detail: since };
}

/** The page is in a session that is recorded now. */
export function isRecorded(view: View): boolean {
  return view.phase === "attached" && view.recorded;
}

/** What is worth knowing of a terminal that works. */
function attached(view: View): string {
  const parts: string[] = [];
  if (view.viewers > 1) parts.push(`shown in ${view.viewers} windows`);
  if (view.size !== null && view.window !== null && !sameSize(view.size, view.window)) parts.push(`${view.size.cols} × ${view.size.rows}, as in the window that typed last`);
  if (parts.length === 0 && view.bootStartedAt !== null && view.bootEndedAt !== null) parts.push(`booted in ${duration(view.bootEndedAt - view.bootStartedAt)}`);
  return parts.join(", ");
}

/** The warning before the pod sleeps; null: there is nothing to warn of. The first part is announced once, the second counts down. */
export function idleWarning(view: View, now: number): Status | null {
  if (view.idle === null) return null;
  const seconds = Math.max(0, Math.ceil((view.idle.at - now) / 1000));
  return { text: `The pod is about to sleep${view.idle.why === "" ? "" : ` (${view.idle.why})`}${classWords(view.podClass).sleepTakes}. Any key keeps it awake, also Shift, which types nothing.`, detail: seconds < 60 ? `${seconds} s` : duration(seconds * 1000) };
}

export function closeQuestion(name: string): string {
  return `Closing “${name}” ends the programs in it: the shell and everything that was started from it. The pod, its files and the other tabs stay.`;
}

/** What to know before a paste runs, and the word for doing it all the same. */
export function pasteQuestion(risk: PasteRisk): string {
  const lines = risk.lines > 1 ? `These are ${risk.lines} lines, and the program in the terminal takes each one as if you had pressed Enter: they run at once. ` : "";
  return lines + (risk.tooLong ? "One line is longer than 4,096 bytes: a program that does not edit its lines itself loses the rest of it." : "");
}

function reconnecting(view: View): string {
  switch (view.reason) {
    case "server_stopping":
      return "Reconnecting: the server restarts, your shell keeps running";
    case "too_many_terminals":
      return "Too many terminals are open: close one of them";
    default:
      return view.hadShell ? "Reconnecting: your shell keeps running" : "The server does not answer";
  }
}

function lost(view: View, wait: string): Status {
  const words = classWords(view.podClass);
  const state = view.phase === "destroyed" ? "destroyed" : "asleep";
  const text = (words.serversSentence && view.message) || (state === "asleep" && Object.hasOwn(words.gone, view.reason) && words.gone[view.reason]) || words.gone[state];
  return { text, detail: wait ? `${words.bootsIn} ${wait}` : words.waits };
}

function exitCode(view: View): string {
  if (view.exitSignal !== "") return ` (signal ${view.exitSignal})`;
  return view.exitCode === null ? "" : ` (exit code ${view.exitCode})`;
}

/** By the reason of a `failed` state, as docs/protocol.md lists them; a failed boot has its own words. */
const failedTitles: Readonly<Record<string, string>> = {
  boot_loop: "The pod was gone again before the terminal could attach, several times",
  shell_lost: "The connection to the shell was lost",
  no_shell: "The pod is provisioned, but no shell could be started in it",
  engine_unavailable: "The container engine cannot be reached",
  store_unavailable: "The server cannot store that the pod wakes",
  recovering: "The server cannot look into the pod's container yet",
  pod_going: "The pod is being deleted",
  too_many_running: "You have as many pods running as you may: stop one first",
  image_not_allowed: "The pod's image is not allowed any more: give it another one",
  still_making: "The volume of the pod's home could not be made yet",
  internal: "The server could not start the boot",
  marker_missing: "The pod's setup is missing, and the boot script could not repair it",
  marker_unreadable: "The pod's setup cannot be verified, and the boot script could not repair it",
  other_incarnation: "The pod's setup is that of another container, and the boot script could not repair it",
  other_recipe: "The pod's setup is that of another boot recipe, and the boot script could not repair it",
};

export function failedTitle(view: View): string {
  const title = failedTitles[view.reason];
  if (title !== undefined) return title;
  if (view.reason !== "" && view.reason !== "boot_failed") return "The terminal could not be opened"; // a reason of a later version
  if (view.failure === null || view.failure.step === "") return "The boot failed";
  const code = view.failure.exitCode;
  return `The boot failed in step “${view.failure.step}”${code === null || code === 0 ? "" : ` (exit code ${code})`}`;
}

/** What the title does not say already: with an exit code, the server's sentence only repeats it. */
export function failedText(view: View): string {
  return view.failure !== null && view.failure.exitCode !== null && view.failure.exitCode !== 0 ? "" : view.message;
}

/** What a step is doing, for those who cannot see its symbol. */
export function stepWord(step: Step): string {
  return { started: "running", done: "done", skipped: "skipped", failed: "failed" }[step.status];
}
