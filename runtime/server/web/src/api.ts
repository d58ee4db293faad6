// The server's HTTP face, as far as the page uses it: docs/protocol.md. Nothing here is activity, and only destroy, extend and the tab calls change anything.

/** A question that is not answered for so long is given up: nothing may wait for it. In ms. */
const READ_TIMEOUT = 5_000;

/** A session of the pod, as the server lists it. */
export interface TabInfo {
  name: string;
  title: string;
  command: string;
  viewers: number;
}

export interface PodStatus {
  /** One of the specification's words: asleep, fresh, provisioning, ready. */
  state: string;
  incarnation: number;
  recovering: boolean;
  since: string;
  sleepsAt: string;
  keptAwakeBy: string[];
  lastError: string;
  /** Until when its lease lasts, also told while it sleeps; "" for none. */
  leaseUntil: string;
  /** The longest lease that the server gives; 0 for none. */
  maxLeaseSeconds: number;
}

/** What keeps the pod awake, whenever it is, until a moment. */
export interface Lease {
  until: string;
  /** It lasts longer than what was asked for. */
  longer: boolean;
}

/** A committed action of the lifecycle. */
export interface PodEvent {
  seq: number;
  time: string;
  action: string;
  incarnation: number;
  cause: string;
}

/** A request that was answered with no. The message is a sentence for people. */
export class Refusal extends Error {
  /** The server knows the call and has no such thing: not a 404 of a path that it does not know. */
  readonly missing: boolean;

  constructor(message: string, missing = false) {
    super(message);
    this.missing = missing;
  }
}

export async function signedIn(): Promise<"yes" | "no" | "unreachable"> {
  try {
    const response = await fetch("/api/status", { credentials: "same-origin", cache: "no-store" });
    if (response.status === 401) return "no";
    return response.ok ? "yes" : "unreachable";
  } catch {
    return "unreachable";
  }
}

export async function destroy(): Promise<void> {
  await ask("/api/destroy", "POST", undefined, "The pod was not reset");
}

/** The sessions of the pod; none when it is not ready; null when the server cannot say. */
export async function listTabs(): Promise<TabInfo[] | null> {
  const answer = await read("/api/tabs");
  const tabs = list(answer?.tabs)?.filter((tab) => tab.exited !== true); // what has ended is for those who had it open
  return tabs?.map((tab) => ({ name: word(tab.name), title: word(tab.title), command: word(tab.command), viewers: number(tab.viewers) })) ?? null;
}

/** Ends the programs of a tab. One that is not there is closed. */
export async function closeTab(name: string): Promise<void> {
  try {
    await ask(`/api/tabs/${encodeURIComponent(name)}`, "DELETE", undefined, `“${name}” was not closed`);
  } catch (error) {
    if (!(error instanceof Refusal) || !error.missing) throw error;
  }
}

/** Gives a tab another name. One that is not there has the name that its next hello says. */
export async function renameTab(name: string, to: string): Promise<void> {
  try {
    await ask(`/api/tabs/${encodeURIComponent(name)}`, "POST", { rename: to }, `“${name}” keeps its name`);
  } catch (error) {
    if (!(error instanceof Refusal) || !error.missing) throw error;
  }
}

export async function podStatus(): Promise<PodStatus | null> {
  const answer = await read("/api/status");
  if (answer === null) return null;
  return {
    state: word(answer.state),
    incarnation: number(answer.incarnation),
    recovering: answer.recovering === true,
    since: word(answer.since),
    sleepsAt: word(answer.sleeps_at),
    keptAwakeBy: Array.isArray(answer.kept_awake_by) ? answer.kept_awake_by.map(word) : [],
    lastError: word(answer.last_error),
    leaseUntil: word(answer.lease_until),
    maxLeaseSeconds: number(answer.max_lease_seconds),
  };
}

/** Keeps the pod awake, whenever it is, for so many hours from now. It wakes nothing. */
export async function extend(hours: number): Promise<Lease> {
  const what = "The pod is not kept awake";
  const response = await ask("/api/extend", "POST", { for: `${hours}h` }, what);
  let answer: Fields;
  try {
    answer = (await response.json()) as Fields;
  } catch {
    throw new Refusal(`${what}: the server's answer was cut off, so it may be so all the same.`);
  }
  return { until: word(answer.lease_until), longer: answer.longer === true };
}

/** What happened after the event of that number, oldest first, and the number of the newest; null when the server cannot say. */
export async function podEvents(after: number): Promise<{ events: PodEvent[]; newest: number } | null> {
  const answer = await read(`/api/events?after=${after}`);
  const events = list(answer?.events);
  if (answer === null || events === null) return null;
  return {
    events: events.map((event) => ({ seq: number(event.seq), time: word(event.time), action: word(event.action), incarnation: number(event.incarnation), cause: word(event.cause) })),
    newest: number(answer.next),
  };
}

type Fields = Record<string, unknown>;

async function read(path: string): Promise<Fields | null> {
  try {
    const response = await fetch(path, { credentials: "same-origin", cache: "no-store", signal: AbortSignal.timeout(READ_TIMEOUT) });
    const value: unknown = response.ok ? await response.json() : null;
    return typeof value === "object" && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}

async function ask(path: string, method: string, body: object | undefined, what: string): Promise<Response> {
  const request: RequestInit = { method, credentials: "same-origin", cache: "no-store" };
  if (body !== undefined) {
    request.body = JSON.stringify(body);
    request.headers = { "Content-Type": "application/json" };
  }
  let response: Response;
  try {
    response = await fetch(path, request);
  } catch {
    throw new Refusal(`${what}: the server could not be reached, so it may still have happened.`);
  }
  if (!response.ok) {
    const typed = response.headers.get("Content-Type")?.startsWith("application/problem+json") ?? false;
    throw new Refusal(`${what}: ${await problem(response)}`, response.status === 404 && typed);
  }
  return response;
}

/** The one sentence of an application/problem+json answer. */
async function problem(response: Response): Promise<string> {
  try {
    const { detail, title } = (await response.json()) as Fields;
    if (word(detail) !== "") return word(detail);
    if (word(title) !== "") return word(title);
  } catch {
    // Not our server's answer; the number has to do.
  }
  return `the server answered ${response.status}.`;
}

function list(value: unknown): Fields[] | null {
  return Array.isArray(value) ? value.filter((item): item is Fields => typeof item === "object" && item !== null) : null;
}

function word(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : 0;
}
