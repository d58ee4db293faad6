// Puts a View on the page. Everything that comes from a pod or a server is set as text, never as HTML.
import type { Phase, Step, View } from "./state.ts";
import { badge, duration, failedText, failedTitle, resetQuestion, status, stepWord } from "./words.ts";

export interface PageHooks {
  go(): void;
  reset(): void;
}

/** The log is drawn at most this often: a boot may print megabytes. In ms. */
const LOG_PAUSE = 100;

/** A notice goes away after this long. In ms. */
const NOTICE_TIME = 12_000;

const symbols: Record<Step["status"], string> = { started: "", done: "✓", skipped: "–", failed: "✕" };

/** What the card over the terminal says in each phase; null: nothing is over the terminal. */
interface Card {
  title: string;
  text?: string;
  go?: string;
  steps?: boolean;
  tail?: boolean;
}

export class Page {
  readonly #hooks: PageHooks;
  #view: View | null = null;
  #bootShown = false; // somebody asked to see the boot of an attached pod
  #noticeSince = 0;
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
  readonly #go = byID("go") as HTMLButtonElement;
  readonly #logDetails = byID("log-details") as HTMLDetailsElement;
  readonly #log = byID("log");
  readonly #toggle = byID("boot-toggle") as HTMLButtonElement;
  readonly #reset = byID("reset") as HTMLButtonElement;
  readonly #confirm = byID("confirm") as HTMLDialogElement;

  constructor(hooks: PageHooks) {
    this.#hooks = hooks;
    this.#go.addEventListener("click", () => hooks.go());
    this.#toggle.addEventListener("click", () => {
      this.#bootShown = !this.#bootShown;
      this.#redraw();
    });
    this.#logDetails.addEventListener("toggle", () => this.#drawLog());
    this.#reset.addEventListener("click", () => this.#ask());
    this.#confirm.addEventListener("close", () => {
      if (this.#confirm.returnValue === "reset") this.#hooks.reset();
    });
  }

  draw(view: View, now: number): void {
    const before = this.#view;
    this.#view = view;
    if (before?.phase !== view.phase) {
      this.#bootShown = false;
      document.body.dataset.phase = view.phase;
    }
    setText(this.#badge, badge(view.phase));
    show(this.#incarnation, view.incarnation > 0);
    setText(this.#number, String(view.incarnation));
    const title = `${badge(view.phase)} · podlife`;
    if (document.title !== title) document.title = title;
    const words = status(view, now);
    setText(this.#status, words.text);
    setText(this.#detail, words.detail);
    if (before?.notice !== view.notice) this.#noticeSince = now;
    const notice = now - this.#noticeSince < NOTICE_TIME ? view.notice : "";
    show(this.#notice, notice !== "");
    setText(this.#notice, notice);
    show(this.#toggle, view.phase === "attached" && (view.steps.length > 0 || view.log !== ""));
    this.#toggle.setAttribute("aria-expanded", String(this.#bootShown));
    show(this.#reset, view.phase !== "signed_out");
    this.#reset.disabled = view.resetting;
    setText(this.#reset, view.resetting ? "Resetting" : "Reset pod");
    this.#drawCard(view, now);
    // A page that needs somebody to decide puts the decision under their fingers.
    if (before !== null && before.phase !== view.phase && !this.#actions.hidden && !this.#confirm.open) this.#go.focus();
  }

  /** Redraws what changes with time alone: countdowns and durations. */
  tick(now: number): void {
    if (this.#view !== null) this.draw(this.#view, now);
  }

  /** Where the keyboard goes when it leaves the terminal. */
  focusHeader(): void {
    (this.#toggle.hidden ? this.#reset : this.#toggle).focus();
  }

  #redraw(): void {
    this.tick(performance.now());
  }

  #ask(): void {
    if (this.#view === null) return;
    setText(byID("confirm-text"), resetQuestion(this.#view));
    this.#confirm.returnValue = "";
    this.#confirm.showModal();
  }

  #drawCard(view: View, now: number): void {
    const card = this.#bootShown ? bootCard(view) : cardFor(view);
    show(this.#panel, card !== null);
    if (card === null) return;
    setText(this.#title, card.title);
    show(this.#text, Boolean(card.text));
    setText(this.#text, card.text ?? "");
    show(this.#actions, card.go !== undefined);
    setText(this.#go, card.go ?? "");
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

function bootCard(view: View): Card {
  return { title: `How incarnation ${view.incarnation} was booted`, steps: true };
}

function cardFor(view: View): Card | null {
  const cards: Record<Phase, () => Card | null> = {
    connecting: () => ({ title: "Connecting" }),
    booting: () => ({ title: view.incarnation > 0 ? `Booting incarnation ${view.incarnation}` : "Booting", text: "Your shell opens when every step is done.", steps: true }),
    ready: () => ({ title: "Opening your shell", steps: true }),
    attached: () => null,
    reconnecting: () => (view.hadShell ? null : { title: "The server does not answer", text: "This page keeps trying.", go: "Try now" }),
    asleep: () => lostCard(view, "The pod is asleep"),
    destroyed: () => lostCard(view, "The pod is gone"),
    failed: () => ({ title: failedTitle(view), text: failedText(view), go: "Try again", steps: true, tail: true }),
    exited: () => ({ title: `The shell ended${view.exitCode === null ? "" : ` with exit code ${view.exitCode}`}`, go: "New shell" }),
    signed_out: () => ({
      title: "You need a login link",
      text: `${view.message} A link works once. “podlife login-link” prints a fresh one on the machine where the server runs; whoever runs it for you can send it. Open it in this browser and your terminal is here.`.trim(),
    }),
    stopped: () => ({ title: "This page stopped", text: view.message, go: "Connect again" }),
  };
  return cards[view.phase]();
}

function lostCard(view: View, title: string): Card {
  const text = "Its disk went with it. A new pod is set up from scratch; what you pushed is safe.";
  return view.waiting ? { title, text, go: "Boot a new one" } : { title, text, go: "Boot it now" };
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

function byID(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element;
}

function show(element: HTMLElement, visible: boolean): void {
  if (element.hidden === visible) element.hidden = !visible;
}

/** Sets text only when it changed: a screen reader announces every write. */
function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
