// Questions that the page asks before it does something: one dialog, filled anew each time. The safe answer has the focus.
import { byID, setText, show } from "./dom.ts";

export interface Question {
  title: string;
  text: string;
  /** Shown as it is, below the text: an address, the beginning of a paste. */
  sample?: string;
  /** The word for doing it. */
  yes: string;
  no: string;
  /** Doing it loses something. */
  danger?: boolean;
  /** Asks for a word, which begins as this. */
  input?: string;
  /** What is wrong with the word; empty: nothing. */
  check?: (word: string) => string;
}

export class Dialogs {
  readonly #dialog = byID<HTMLDialogElement>("ask");
  readonly #input = byID<HTMLInputElement>("ask-input");
  readonly #wrong = byID("ask-wrong");
  #answer: (word: string | null) => void = () => {};
  #check: (word: string) => string = () => "";
  #back: Element | null = null;

  constructor() {
    byID("ask-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const yes = (event as SubmitEvent).submitter?.id === "ask-yes" || (event as SubmitEvent).submitter === null;
      const wrong = yes ? this.#check(this.#input.value) : "";
      setText(this.#wrong, wrong);
      show(this.#wrong, wrong !== "");
      if (wrong === "") this.#settle(yes ? this.#input.value : null);
    });
    byID("ask-no").addEventListener("click", () => this.#settle(null));
    this.#input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return; // the form's first button is the safe one
      event.preventDefault();
      byID<HTMLButtonElement>("ask-yes").click();
    });
    this.#dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.#settle(null);
    });
    // A browser may close it all the same. It tells of that later, when the next question may be open already.
    this.#dialog.addEventListener("close", () => {
      if (!this.#dialog.open) this.#settle(null);
    });
  }

  /** Answers the question that is open, and puts the keyboard back, at once: what is pressed next is not for the dialog any more. */
  #settle(answer: string | null): void {
    const asked = this.#answer;
    const back = this.#back;
    this.#answer = () => {};
    this.#back = null;
    if (this.#dialog.open) this.#dialog.close();
    if (back instanceof HTMLElement && back.isConnected) back.focus();
    asked(answer);
  }

  get open(): boolean {
    return this.#dialog.open;
  }

  /** The word that was given (empty where none was asked for), or null for no. A question that is open is answered with no first. */
  ask(question: Question): Promise<string | null> {
    if (this.#dialog.open) this.#settle(null);
    setText(byID("ask-title"), question.title);
    setText(byID("ask-text"), question.text);
    const sample = byID("ask-sample");
    show(sample, question.sample !== undefined);
    setText(sample, question.sample ?? "");
    show(this.#input, question.input !== undefined);
    this.#input.value = question.input ?? "";
    setText(this.#wrong, "");
    show(this.#wrong, false);
    const yes = byID("ask-yes");
    setText(yes, question.yes);
    yes.className = question.danger === true ? "danger" : "primary";
    setText(byID("ask-no"), question.no);
    this.#check = question.check ?? (() => "");
    this.#back = document.activeElement;
    this.#dialog.showModal();
    if (question.input === undefined) byID("ask-no").focus();
    else this.#input.select();
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }
}
