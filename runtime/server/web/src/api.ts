// The server's HTTP face, as far as the page uses it: docs/protocol.md. Nothing here is activity, and only destroy, extend and the tab calls change anything.
import { classOf, type PodClass } from "./podclass.ts";
import { apiPath } from "./which.ts";
import type { Standing } from "./world.ts";

/** A question that is not answered for so long is given up: nothing may wait for it. In ms. */
const READ_TIMEOUT = 5_000;

/** The most pods that the server lists at once. */
const MOST_PODS = 200;

/** A session of the pod, as the server lists it. */
export interface TabInfo {
  name: string;
  title: string;
  command: string;
  viewers: number;
}

export interface PodStatus {
  /** What it keeps when its container goes; null: a class of a later version. */
  podClass: PodClass | null;
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

/** One of the caller's pods, as the server lists them. The words are the server's. */
export interface PodInfo {
  name: string;
  podClass: string;
  /** making, there or going: between its creation and its delete. */
  life: string;
  state: string;
  /** What keeps the server from making or deleting it, in a sentence; "" for nothing. */
  trouble: string;
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

/** The calls that are about one pod. */
export class PodAPI {
  readonly #pod: string;

  constructor(pod: string) {
    this.#pod = pod;
  }

  /** How the server takes this browser and this pod. */
  async standing(): Promise<Standing> {
    try {
      const response = await fetch(this.#path("status"), { credentials: "same-origin", cache: "no-store", signal: AbortSignal.timeout(READ_TIMEOUT) });
      if (response.status === 401) return "signed_out";
      if (response.status === 404 && (await code(response)) === "no_pod") return "no_pod";
      return response.ok ? "known" : "unreachable";
    } catch {
      return "unreachable";
    }
  }

  /** Removes the pod's container. `failed` begins the sentence of a refusal. */
  async destroy(failed: string): Promise<void> {
    await ask(this.#path("destroy"), "POST", undefined, failed);
  }

  /** The sessions of the pod; none when it is not ready; null when the server cannot say. */
  async listTabs(): Promise<TabInfo[] | null> {
    const answer = await read(this.#path("tabs"));
    const tabs = list(answer?.tabs)?.filter((tab) => tab.exited !== true); // what has ended is for those who had it open
    return tabs?.map((tab) => ({ name: word(tab.name), title: word(tab.title), command: word(tab.command), viewers: number(tab.viewers) })) ?? null;
  }

  /** Ends the programs of a tab. One that is not there is closed. */
  async closeTab(name: string): Promise<void> {
    await this.#tab(name, "DELETE", undefined, `“${name}” was not closed`);
  }

  /** Gives a tab another name. One that is not there has the name that its next hello says. */
  async renameTab(name: string, to: string): Promise<void> {
    await this.#tab(name, "POST", { rename: to }, `“${name}” keeps its name`);
  }

  /** null when the server cannot say. */
  async status(): Promise<PodStatus | null> {
    const answer = await read(this.#path("status"));
    if (answer === null) return null;
    return {
      podClass: classOf(answer.class),
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
  async extend(hours: number): Promise<Lease> {
    const what = "The pod is not kept awake";
    const response = await ask(this.#path("extend"), "POST", { for: `${hours}h` }, what);
    let answer: Fields;
    try {
      answer = (await response.json()) as Fields;
    } catch {
      throw new Refusal(`${what}: the server's answer was cut off, so it may be so all the same.`);
    }
    return { until: word(answer.lease_until), longer: answer.longer === true };
  }

  /** What happened after the event of that number, oldest first, and the number of the newest; null when the server cannot say. */
  async events(after: number): Promise<{ events: PodEvent[]; newest: number } | null> {
    const answer = await read(this.#path(`events?after=${after}`));
    const events = list(answer?.events);
    if (answer === null || events === null) return null;
    return {
      events: events.map((event) => ({ seq: number(event.seq), time: word(event.time), action: word(event.action), incarnation: number(event.incarnation), cause: word(event.cause) })),
      newest: number(answer.next),
    };
  }

  async #tab(name: string, method: string, body: object | undefined, what: string): Promise<void> {
    try {
      await ask(this.#path(`tabs/${encodeURIComponent(name)}`), method, body, what);
    } catch (error) {
      if (!(error instanceof Refusal) || !error.missing) throw error;
    }
  }

  #path(call: string): string {
    return apiPath(this.#pod, call);
  }
}

/** The first pods of the caller by name, as many as the server gives at once, and whether there are more; null when it cannot say. */
export async function listPods(): Promise<{ pods: PodInfo[]; more: boolean } | null> {
  const answer = await read(`/api/pods?limit=${MOST_PODS}`);
  const pods = list(answer?.pods);
  if (answer === null || pods === null) return null;
  return {
    pods: pods.map((pod) => ({ name: word(pod.name), podClass: word(pod.class), life: word(pod.life), state: word(pod.state), trouble: word(pod.trouble) })),
    more: word(answer.next) !== "",
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
    throw new Refusal(`${what}: ${await problem(response)}`, response.status === 404 && isProblem(response));
  }
  return response;
}

/** The code of an application/problem+json answer; "" for another server's. */
async function code(response: Response): Promise<string> {
  if (!isProblem(response)) return "";
  return word(((await response.json()) as Fields).code);
}

function isProblem(response: Response): boolean {
  return response.headers.get("Content-Type")?.startsWith("application/problem+json") ?? false;
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
