// Copy and paste. A paste is cleaned and, where it would run at once, asked about; what it becomes goes through the terminal, which adds the brackets.
import type { Dialogs } from "./dialogs.ts";
import { cleanPaste, pasteRisk } from "./input.ts";
import type { Screen } from "./screen.ts";
import { pasteQuestion } from "./words.ts";

/** Of a paste that is asked about, so much is shown. In characters. */
const SAMPLE = 600;

export class Clipboard {
  readonly #dialogs: Dialogs;
  readonly #say: (message: string) => void;

  constructor(dialogs: Dialogs, say: (message: string) => void) {
    this.#dialogs = dialogs;
    this.#say = say;
  }

  /** Takes over the browser's pastes into a screen, before xterm.js sees them (capture): its own handler would let ESC through. */
  watch(screen: Screen): void {
    screen.host.addEventListener(
      "paste",
      (event) => {
        event.preventDefault();
        event.stopPropagation();
        void this.paste(screen, event.clipboardData?.getData("text/plain") ?? "");
      },
      { capture: true },
    );
  }

  async paste(screen: Screen, pasted: string): Promise<void> {
    const { text, removed } = cleanPaste(pasted);
    if (text === "") return;
    const risk = pasteRisk(text, screen.terminal.modes.bracketedPasteMode);
    if (risk !== null) {
      const sample = text.length > SAMPLE ? `${text.slice(0, SAMPLE)} …` : text;
      const answer = await this.#dialogs.ask({ title: risk.lines > 1 ? `Paste ${risk.lines} lines?` : "Paste a very long line?", text: pasteQuestion(risk), sample, yes: "Paste", no: "Do not paste" });
      if (answer === null) return;
    }
    screen.terminal.paste(text);
    screen.terminal.focus();
    if (removed > 0) this.#say(`${removed} escape character${removed === 1 ? " was" : "s were"} left out of what you pasted.`);
  }

  /** For a menu: the browser may ask, or refuse. */
  async pasteFromMenu(screen: Screen): Promise<void> {
    let text: string;
    try {
      text = await navigator.clipboard.readText();
    } catch {
      this.#say("This browser does not let the page read the clipboard: press Ctrl+Shift+V (or ⌘V) in the terminal.");
      return;
    }
    await this.paste(screen, text);
  }

  async copy(screen: Screen): Promise<void> {
    const text = screen.terminal.getSelection();
    if (text === "") {
      this.#say("Nothing is selected. With a program that uses the mouse, hold Shift while you select.");
      return;
    }
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without https the page has no clipboard; xterm.js answers the browser's own copy with its selection.
      screen.terminal.focus();
      if (!document.execCommand("copy")) this.#say("This browser does not let the page write to the clipboard.");
    }
  }
}
