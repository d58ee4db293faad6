// The panel "Pod": a live picture of the lifecycle with its state lit, what happened last, the lease, the boot, and the other pods. It asks the server only while it is open and looked at.
import { listPods, type PodAPI, type PodEvent, type PodStatus } from "./api.ts";
import { byID, setAttribute, setText, show, toggles } from "./dom.ts";
import { eventLine, keepNewest, leaseChoices, leaseNotice, leaseText, lifecycleText, litState, states } from "./lifecycle.ts";
import { classWords } from "./podclass.ts";
import { PodList } from "./podlist.ts";
import { podLines } from "./pods.ts";
import type { Phase, View } from "./state.ts";

/** How often an open panel asks. In ms. */
const EVERY = 2_000;

/** So many events are shown. */
const SHOWN = 12;

export interface PanelHooks {
  say(message: string): void;
  /** The server has told of the pod. */
  learned(status: PodStatus): void;
}

export class PodPanel {
  readonly #panel = byID("pod");
  readonly #events = byID("events");
  readonly #picture = byID("lifecycle");
  readonly #leases = Array.from(byID("lease").querySelectorAll("button"));
  readonly #pods = new PodList();
  readonly #pod: string;
  readonly #api: PodAPI;
  readonly #hooks: PanelHooks;
  #view: View | null = null;
  #phase: Phase | null = null;
  #status: PodStatus | null = null;
  #known: PodEvent[] = [];
  #asking = false;
  readonly close: () => void;

  /** @param pod is the one that the page is of, and `api` its calls */
  constructor(pod: string, api: PodAPI, hooks: PanelHooks) {
    this.#pod = pod;
    this.#api = api;
    this.#hooks = hooks;
    for (const button of this.#leases) button.addEventListener("click", () => void this.#extend(button));
    this.close = toggles(byID("pod-toggle"), this.#panel, () => void this.#ask(), false);
    byID("pod-close").addEventListener("click", () => {
      this.close();
      byID("pod-toggle").focus();
    });
    setInterval(() => void this.#ask(), EVERY);
  }

  /** The tab in front has another view. */
  draw(view: View): void {
    this.#view = view;
    if (view.phase !== this.#phase) void this.#ask(); // something happened: do not wait for the next time
    this.#phase = view.phase;
    this.#redraw();
  }

  async #ask(): Promise<void> {
    if (this.#panel.hidden || this.#asking || document.visibilityState !== "visible" || this.#view?.phase === "signed_out") return;
    this.#asking = true;
    try {
      const after = this.#known.at(-1)?.seq ?? 0;
      // Of a pod that is not there only the others are asked for.
      const there = this.#view?.phase !== "no_pod";
      const [status, events, pods] = await Promise.all([there ? this.#api.status() : null, there ? this.#api.events(after) : null, listPods()]);
      this.#status = status;
      if (status !== null) this.#hooks.learned(status);
      if (pods !== null) this.#pods.draw(podLines(pods.pods, this.#pod), pods.more);
      if (events !== null) this.#known = keepNewest(this.#known, events, SHOWN);
      this.#redraw();
    } finally {
      this.#asking = false;
    }
  }

  async #extend(button: HTMLButtonElement): Promise<void> {
    if (button.getAttribute("aria-busy") === "true") return;
    setAttribute(button, "aria-busy", "true");
    try {
      const lease = await this.#api.extend(hours(button));
      if (this.#status !== null) this.#status = { ...this.#status, leaseUntil: lease.until };
      const notice = leaseNotice(lease, day);
      if (notice !== "") this.#hooks.say(notice);
      this.#redraw();
    } catch (error) {
      this.#hooks.say(error instanceof Error ? error.message : "That did not work.");
    } finally {
      button.removeAttribute("aria-busy");
    }
    void this.#ask();
  }

  #drawLease(view: View): void {
    const text = leaseText(view, this.#status, day);
    show(byID("lease-text"), text !== "");
    setText(byID("lease-text"), text);
    const given = leaseChoices(this.#leases.map(hours), this.#status);
    for (const button of this.#leases) show(button, given.includes(hours(button)));
    show(byID("lease"), given.length > 0);
  }

  #redraw(): void {
    const view = this.#view;
    if (view === null || this.#panel.hidden) return;
    const lit = litState(view, this.#status);
    for (const state of states) {
      const node = this.#picture.querySelector(`[data-state="${state}"]`);
      if (node !== null) setAttribute(node, "data-lit", String(state === lit));
    }
    setAttribute(this.#picture, "aria-label", `The lifecycle: asleep, provisioning, ready, and asleep again. Now: ${lit ?? "not known"}`);
    setText(byID("lifecycle-leaves"), classWords(view.podClass).leaves);
    setText(byID("lifecycle-text"), lifecycleText(view, this.#status, clock));
    this.#drawLease(view);
    show(byID("events-none"), this.#known.length === 0);
    this.#drawEvents();
  }

  #drawEvents(): void {
    const newestFirst = [...this.#known].reverse();
    while (this.#events.children.length > newestFirst.length) this.#events.lastElementChild?.remove();
    newestFirst.forEach((event, at) => {
      let row = this.#events.children[at];
      if (row === undefined) {
        row = document.createElement("li");
        for (const name of ["time", "event-text", "event-detail"]) {
          const part = document.createElement("span");
          part.className = name;
          row.append(part);
        }
        this.#events.append(row);
      }
      const line = eventLine(event, clock);
      const [time, text, detail] = Array.from(row.children) as [Element, Element, Element];
      setText(time, line.time);
      setText(text, line.text);
      setText(detail, line.detail);
    });
  }
}

function clock(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

function hours(button: HTMLButtonElement): number {
  return Number(button.dataset.hours);
}

/** A time that is near, without seconds, and with the day where it is another one. */
function day(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  const other: Intl.DateTimeFormatOptions = date.toDateString() === new Date().toDateString() ? {} : { day: "numeric", month: "short" };
  return date.toLocaleString([], { ...other, hour: "2-digit", minute: "2-digit" });
}
