// Which state of the lifecycle is lit in the picture, and the events beside it in words. Pure.
import type { Lease, PodEvent, PodStatus } from "./api.ts";
import { plain } from "./plain.ts";
import { classWords, type PodClass } from "./podclass.ts";
import type { Phase, View } from "./state.ts";

/** The states of the specification. */
export const states = ["asleep", "fresh", "provisioning", "ready"] as const;
export type LifecycleState = (typeof states)[number];

const byPhase: Partial<Record<Phase, LifecycleState>> = {
  booting: "provisioning",
  ready: "ready",
  attached: "ready",
  exited: "ready",
  closed: "ready",
  asleep: "asleep",
  destroyed: "asleep",
};

/** What the tab in front has just been told, or else what the server said when it was last asked; null: not known. */
export function litState(view: View, status: PodStatus | null): LifecycleState | null {
  if (view.phase === "no_pod") return null;
  const told = byPhase[view.phase];
  if (told !== undefined) return told;
  return states.find((state) => state === status?.state) ?? null;
}

const meanings: Readonly<Record<Exclude<LifecycleState, "asleep">, string>> = {
  fresh: "A container runs that the boot script has not set up: no shell is handed out in it.",
  provisioning: "The boot script sets the container up.",
  ready: "The container is set up, and its shells can be used.",
};

function meaning(state: LifecycleState, podClass: PodClass | null): string {
  return state === "asleep" ? classWords(podClass).asleepMeans : meanings[state];
}

/** Why it is awake and when it sleeps, in sentences. `clock` makes a time of day of a time. */
export function lifecycleText(view: View, status: PodStatus | null, clock: (time: string) => string): string {
  if (view.phase === "no_pod") return "There is no such pod.";
  const state = litState(view, status);
  if (state === null) return "The state of the pod is not known now.";
  const parts = [meaning(state, view.podClass)];
  if (status?.recovering === true) parts.push("The server has started and cannot look into it yet.");
  if (state !== "asleep" && status !== null && status.state === state) {
    const holds = status.keptAwakeBy.filter((what) => what !== "lease"); // has its own sentence
    if (holds.length > 0) parts.push(`Kept awake by ${plain(holds.join(", "))}.`);
    if (status.sleepsAt !== "") parts.push(`Sleeps at ${clock(status.sleepsAt)} unless somebody comes.`);
  }
  if (state === "asleep" && status !== null && status.lastError !== "") parts.push(`The last boot failed: ${plain(status.lastError)}`);
  return parts.join(" ");
}

/** What the lease of the pod does; "" where it has none. `clock` makes a time of day of a time. */
export function leaseText(view: View, status: PodStatus | null, clock: (time: string) => string): string {
  if (status === null || status.leaseUntil === "") return "";
  const until = `until ${clock(status.leaseUntil)} by its lease.`;
  return litState(view, status) === "asleep" ? `Once it wakes, it is kept awake ${until}` : `Kept awake ${until}`;
}

/** Which of these leases, in hours, the server gives. */
export function leaseChoices(hours: readonly number[], status: PodStatus | null): number[] {
  return hours.filter((count) => count * 3600 <= (status?.maxLeaseSeconds ?? 0));
}

/** What to say of a lease that was asked for; "" where the panel says it all. */
export function leaseNotice(lease: Lease, clock: (time: string) => string): string {
  return lease.longer ? `The lease already lasts until ${clock(lease.until)}: it never gets shorter.` : "";
}

/** By the specification's name of an action. */
const actions: Readonly<Record<string, string>> = {
  StartBoot: "boot begins",
  FinishBoot: "boot done",
  BootLost: "boot lost",
  AttachReady: "terminal attached",
  AttachWakesFresh: "terminal woke it",
  AttachAwakeNotReady: "attach refused: not set up",
  AttachGuarded: "attach refused: not ready",
  Reconnect: "terminal lost its pod",
  Sleep: "container removed",
};

export interface EventLine {
  time: string;
  text: string;
  /** The specification's name and the server's cause: for those who compare it with the specification. */
  detail: string;
}

export function eventLine(event: PodEvent, clock: (time: string) => string): EventLine {
  return { time: clock(event.time), text: actions[event.action] ?? plain(event.action), detail: `${plain(event.action)} #${event.incarnation}${event.cause === "" ? "" : `, ${plain(event.cause)}`}` };
}

/** Appends what is new and keeps the newest. A server that was started again counts from 1: what is known of the one before goes, and all is asked for again. */
export function keepNewest(known: readonly PodEvent[], answer: { events: readonly PodEvent[]; newest: number }, limit: number): PodEvent[] {
  const last = known.at(-1)?.seq ?? 0;
  if (answer.newest < last) return [];
  return [...known, ...answer.events.filter((event) => event.seq > last)].slice(-limit);
}
