// The search in a tab's scrollback: Ctrl+Shift+F, and a bar over the terminal.
import { SearchAddon, type ISearchOptions } from "@xterm/addon-search";
import { byID, setText, show } from "./dom.ts";
import type { Screen } from "./screen.ts";
import { found } from "./theme.ts";

export class SearchBar {
  readonly #bar = byID("search");
  readonly #term = byID<HTMLInputElement>("search-term");
  readonly #exact = byID<HTMLInputElement>("search-case");
  readonly #count = byID("search-count");
  readonly #addons = new WeakMap<Screen, SearchAddon>();
  readonly #theme: () => "light" | "dark";
  #screen: Screen | null = null;

  constructor(theme: () => "light" | "dark") {
    this.#theme = theme;
    this.#term.addEventListener("input", () => this.#find("next", true));
    this.#exact.addEventListener("change", () => this.#find("next", true));
    byID("search-next").addEventListener("click", () => this.#find("next"));
    byID("search-previous").addEventListener("click", () => this.#find("previous"));
    byID("search-close").addEventListener("click", () => this.close());
    this.#bar.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") this.close();
      else if (event.key === "Enter" && event.target === this.#term) this.#find(event.shiftKey ? "previous" : "next");
      else return;
      event.preventDefault();
    });
  }

  open(screen: Screen): void {
    this.#screen = screen;
    show(this.#bar, true);
    const selected = screen.terminal.getSelection();
    if (selected !== "" && !selected.includes("\n")) this.#term.value = selected;
    this.#term.select();
    this.#term.focus();
    this.#find("next", true);
  }

  close(): void {
    if (this.#bar.hidden) return;
    show(this.#bar, false);
    if (this.#screen !== null) {
      this.#addon(this.#screen).clearDecorations();
      this.#screen.terminal.focus();
    }
    this.#screen = null;
  }

  #find(where: "next" | "previous", typing = false): void {
    if (this.#screen === null) return;
    const addon = this.#addon(this.#screen);
    if (this.#term.value === "") {
      addon.clearDecorations();
      setText(this.#count, "");
      return;
    }
    const options: ISearchOptions = { caseSensitive: this.#exact.checked, decorations: found[this.#theme()], incremental: typing };
    if (where === "next") addon.findNext(this.#term.value, options);
    else addon.findPrevious(this.#term.value, options);
  }

  #addon(screen: Screen): SearchAddon {
    const known = this.#addons.get(screen);
    if (known !== undefined) return known;
    const addon = new SearchAddon({ highlightLimit: 1_000 });
    screen.terminal.loadAddon(addon);
    addon.onDidChangeResults(({ resultIndex, resultCount }) => {
      if (screen !== this.#screen) return;
      const which = resultIndex < 0 ? "" : `${resultIndex + 1} of `;
      setText(this.#count, resultCount === 0 ? "not found" : `${which}${resultCount}${resultCount === 1_000 ? " or more" : ""}`);
    });
    this.#addons.set(screen, addon);
    return addon;
  }
}
