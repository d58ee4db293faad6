// Puts the View of the tab in front on the page. Everything that comes from a pod or a server is set as text, never as HTML.
import { cardFor, bootCard } from "./card.ts";
import { byID, setText, show } from "./dom.ts";
import { classWords } from "./podclass.ts";
import type { Step, View } from "./state.ts";
import { DEFAULT } from "./which.ts";
import { badge, duration, idleWarning, pageTitle, status, stepWord } from "./words.ts";

export interface PageHooks {
  go(): void;
  reset(): void;
  stay(): void;
  /** How the pod was booted is shown over its terminal, or not any more. */
  bootShown(on: boolean): void;
  /** Whether a dialog is open, which keeps the keyboard. */
  asking(): boolean;
}

/** The log is drawn at most this often: a boot may print megabytes. In ms. */
const LOG_PAUSE = 100;

/** A notice goes away after this long. In ms. */
const NOTICE_TIME = 12_000;

const symbols: Record<Step["status"], string> = { started: "", done: "✓", skipped: "–", failed: "✕" };

export class Page {
  readonly #hooks: PageHooks;
  readonly #pod: string;
  #view: View | null = null;
  #bootShown = false; // somebody asked to see the boot of an attached pod
  #noticeSince = -NOTICE_TIME;
  #drawnLog = "";
  #logTimer: ReturnType<typeof setTimeout> | undefined;
  #stepRows = new Map<string, HTMLLIElement>();

  readonly #badge = byID("badge");
  readonly #incarnation = byID("incarnation");
  readonly #number = byID("incarnation-number");
  readonly #status = byID("status");
  readonly #detail = byID("detail");
  readonly #notice = byID("notice");
  readonly #panel = byID("panel");
  readonly #title = byID("panel-title");
  readonly #text = byID("panel-text");
  readonly #steps = byID("steps");
  readonly #tail = byID("tail");
  readonly #actions = byID("actions");
  readonly #go = byID<HTMLButtonElement>("go");
  readonly #leave = byID<HTMLAnchorElement>("leave");
  readonly #logDetails = byID<HTMLDetailsElement>("log-details");
  readonly #log = byID("log");
  readonly #toggle = byID<HTMLButtonElement>("boot-toggle");
  readonly #reset = byID<HTMLButtonElement>("reset");

  /** @param pod is the one that the page is of: where it is not the default one, the page says its name */
  constructor(pod: string, hooks: PageHooks) {
    this.#hooks = hooks;
    this.#pod = pod;
    document.body.dataset.named = String(pod !== DEFAULT);
    if (pod !== DEFAULT) {
      setText(byID("pod-name"), pod);
      byID("pod-name").title = pod;
      setText(byID("pod-title"), `Pod “${pod}”`);
    }
    show(byID("pod-name"), pod !== DEFAULT);
    this.#go.addEventListener("click", () => {
      if (this.#bootShown) this.#showBoot(false);
      else hooks.go();
    });
    this.#toggle.addEventListener("click", () => this.#showBoot(!this.#bootShown));
    this.#logDetails.addEventListener("toggle", () => this.#drawLog());
    this.#reset.addEventListener("click", () => hooks.reset());
    byID("stay").addEventListener("click", () => hooks.stay());
  }

  draw(view: View, now: number): void {
    const before = this.#view;
    this.#view = view;
    document.body.dataset.podClass = view.podClass ?? "";
    if (before?.phase !== view.phase) {
      this.#bootShown = false;
      document.body.dataset.phase = view.phase;
    }
    setText(this.#badge, badge(view));
    show(this.#incarnation, view.incarnation > 0);
    setText(this.#number, String(view.incarnation));
    const title = pageTitle(view, this.#pod);
    if (document.title !== title) document.title = title;
    const words = status(view, now);
    setText(this.#status, words.text);
    setText(this.#detail, words.detail);
    if (before !== null && before.notices !== view.notices) this.#noticeSince = now;
    const notice = now - this.#noticeSince < NOTICE_TIME ? view.notice : "";
    show(this.#notice, notice !== "");
    setText(this.#notice, notice);
    const idle = idleWarning(view, now);
    show(byID("idle"), idle !== null);
    setText(byID("idle-text"), idle?.text ?? "");
    setText(byID("idle-left"), idle?.detail ?? "");
    show(this.#toggle, view.phase === "attached" && (view.steps.length > 0 || view.log !== ""));
    this.#toggle.setAttribute("aria-expanded", String(this.#bootShown));
    this.#drawReset(view);
    setText(this.#toggle, this.#bootShown ? "Hide the boot" : "Show the boot");
    this.#drawCard(view, now);
    // A page that needs somebody to decide puts the decision under their fingers; one that begins with it does so where the keyboard is nowhere else.
    const asks = before === null ? document.activeElement === document.body : before.phase !== view.phase;
    if (asks && !this.#actions.hidden && !this.#hooks.asking()) (this.#leave.hidden ? this.#go : this.#leave).focus();
  }

  /** Redraws what changes with time alone: countdowns and durations. */
  tick(now: number): void {
    if (this.#view !== null) this.draw(this.#view, now);
  }

  /** Another tab is in front: what was shown of the one before says nothing about it. */
  forget(): void {
    this.#view = null;
    this.#bootShown = false;
    this.#noticeSince = -NOTICE_TIME;
  }

  #showBoot(on: boolean): void {
    this.#bootShown = on;
    this.tick(performance.now());
    this.#hooks.bootShown(on);
  }

  #drawReset(view: View): void {
    const words = classWords(view.podClass);
    show(this.#reset, view.phase !== "signed_out" && view.phase !== "no_pod");
    this.#reset.disabled = view.resetting;
    this.#reset.className = view.podClass === "workspace" ? "" : "danger";
    this.#reset.title = words.resetMeans;
    setText(this.#reset, view.resetting ? words.resetting : words.reset);
  }

  #drawCard(view: View, now: number): void {
    const card = this.#bootShown ? bootCard(view) : cardFor(view, this.#pod);
    show(this.#panel, card !== null);
    if (card === null) return;
    setText(this.#title, card.title);
    show(this.#text, Boolean(card.text));
    setText(this.#text, card.text ?? "");
    show(this.#actions, card.go !== undefined);
    setText(this.#go, card.go ?? "");
    this.#go.className = card.leave === undefined ? "primary" : "";
    show(this.#leave, card.leave !== undefined);
    setText(this.#leave, card.leave ?? "");
    const steps = card.steps === true && view.steps.length > 0;
    show(this.#steps, steps);
    if (steps) this.#drawSteps(view.steps, now);
    const tail = card.tail === true && view.failure !== null && view.failure.logTail !== "";
    show(this.#tail, tail);
    setText(this.#tail, tail ? (view.failure?.logTail ?? "") : "");
    show(this.#logDetails, card.steps === true && view.log !== "");
    this.#drawLogSoon();
  }

  #drawSteps(steps: readonly Step[], now: number): void {
    const names = new Set(steps.map((step) => step.name));
    for (const [name, row] of this.#stepRows) {
      if (names.has(name)) continue;
      row.remove();
      this.#stepRows.delete(name);
    }
    for (const step of steps) {
      let row = this.#stepRows.get(step.name);
      if (row === undefined) {
        row = newStepRow();
        this.#stepRows.set(step.name, row);
      }
      if (row.parentNode === null) this.#steps.append(row);
      row.dataset.status = step.status;
      const [symbol, name, word, detail, time] = Array.from(row.children) as [Element, Element, Element, Element, Element];
      setText(symbol, symbols[step.status]);
      setText(name, step.name);
      setText(word, stepWord(step));
      setText(detail, step.detail);
      setText(time, step.status === "skipped" ? "" : duration((step.endedAt ?? now) - step.startedAt));
    }
  }

  #drawLogSoon(): void {
    if (!this.#logDetails.open || this.#logTimer !== undefined) return;
    this.#logTimer = setTimeout(() => {
      this.#logTimer = undefined;
      this.#drawLog();
    }, LOG_PAUSE);
  }

  #drawLog(): void {
    const view = this.#view;
    if (view === null || !this.#logDetails.open) return;
    const text = (view.logCut ? "… the beginning is not kept here …\n" : "") + view.log;
    if (text === this.#drawnLog) return;
    const atEnd = this.#log.scrollTop + this.#log.clientHeight >= this.#log.scrollHeight - 8;
    this.#drawnLog = text;
    this.#log.textContent = text;
    if (atEnd) this.#log.scrollTop = this.#log.scrollHeight;
  }
}

function newStepRow(): HTMLLIElement {
  const row = document.createElement("li");
  for (const name of ["symbol", "step-name", "hidden-word", "step-detail", "time"]) {
    const part = document.createElement("span");
    part.className = name;
    if (name === "symbol") part.setAttribute("aria-hidden", "true");
    row.append(part);
  }
  return row;
}
