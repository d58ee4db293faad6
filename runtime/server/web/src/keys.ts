// The keys that a phone's keyboard does not have, as a bar below the terminal. Ctrl holds for the next key.
import { byID } from "./dom.ts";
import { arrow, withControl } from "./input.ts";
import type { Screen } from "./screen.ts";

export class KeysBar {
  readonly #control = byID("key-control");
  #held = false;

  /** @param screen is the one that keys go to; `send` sends them as if they were typed there */
  constructor(screen: () => Screen | null, send: (data: string) => void) {
    const bar = byID("keys");
    // The terminal keeps the focus, and with it the phone its keyboard.
    bar.addEventListener("pointerdown", (event) => event.preventDefault());
    bar.addEventListener("click", ({ target }) => {
      const key = target instanceof Element ? target.closest<HTMLElement>("[data-key]")?.dataset.key : undefined;
      if (key === undefined) return;
      if (key === "control") {
        this.#hold(!this.#held);
        return;
      }
      const application = screen()?.terminal.modes.applicationCursorKeysMode ?? false;
      send(key === "escape" ? "\u001b" : key === "tab" ? "\t" : arrow(key as "A" | "B" | "C" | "D", application, this.#held));
      this.#hold(false);
    });
  }

  /** What was typed, with Ctrl if it was held. */
  typed(data: string): string {
    if (!this.#held) return data;
    this.#hold(false);
    return withControl(data) ?? data;
  }

  #hold(on: boolean): void {
    this.#held = on;
    this.#control.setAttribute("aria-pressed", String(on));
  }
}
