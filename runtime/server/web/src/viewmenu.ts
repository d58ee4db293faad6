// The menu "View": font size, colours, screen reader mode, and whether the terminal in front is only looked at.
import { byID, setText, toggles } from "./dom.ts";
import { clampFont, nextTheme, type PrefStore } from "./prefs.ts";

const themeWords = { system: "As the system", light: "Light", dark: "Dark" } as const;

export class ViewMenu {
  readonly #store: PrefStore;
  readonly #reader = byID<HTMLInputElement>("reader");
  readonly #lookOn = byID<HTMLInputElement>("look-on");

  /** @param opened the menu lies over what else stands at the side */
  constructor(store: PrefStore, search: () => void, lookOn: (on: boolean) => void, opened: () => void) {
    this.#store = store;
    const close = toggles(
      byID("view-toggle"),
      byID("view"),
      (open) => {
        if (open) opened();
      },
      true,
    );
    byID("font-smaller").addEventListener("click", () => this.#font(-1));
    byID("font-larger").addEventListener("click", () => this.#font(+1));
    byID("theme").addEventListener("click", () => store.set({ theme: nextTheme(store.prefs.theme) }));
    this.#reader.addEventListener("change", () => store.set({ reader: this.#reader.checked }));
    this.#lookOn.addEventListener("change", () => lookOn(this.#lookOn.checked));
    byID("search-open").addEventListener("click", () => {
      close();
      search();
    });
    this.draw();
  }

  draw(): void {
    setText(byID("font-size"), String(this.#store.look.fontSize));
    setText(byID("theme"), themeWords[this.#store.prefs.theme]);
    this.#reader.checked = this.#store.prefs.reader;
  }

  /** The terminal in front is another one. */
  drawTab(lookingOn: boolean): void {
    this.#lookOn.checked = lookingOn;
  }

  #font(by: number): void {
    this.#store.set({ fontSize: clampFont(this.#store.look.fontSize + by) });
  }
}
