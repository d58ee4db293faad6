// The menu of the terminal: right click, or the menu key. With Shift the browser's own comes instead; a program that uses the mouse gets its clicks.
import { byID, show } from "./dom.ts";
import type { Screen } from "./screen.ts";

export type MenuItem = "copy" | "paste" | "select" | "search" | "clear";

export class ContextMenu {
  readonly #menu = byID("context");
  readonly #chosen: (screen: Screen, item: MenuItem) => void;
  #screen: Screen | null = null;

  constructor(chosen: (screen: Screen, item: MenuItem) => void) {
    this.#chosen = chosen;
    this.#menu.addEventListener("click", ({ target }) => {
      const item = target instanceof Element ? target.closest<HTMLElement>("[data-item]")?.dataset.item : undefined;
      const screen = this.#screen;
      this.#close();
      if (screen !== null && item !== undefined) this.#chosen(screen, item as MenuItem);
    });
    this.#menu.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("pointerdown", ({ target }) => {
      if (target instanceof Node && !this.#menu.contains(target)) this.#close();
    });
    addEventListener("resize", () => this.#close());
  }

  watch(screen: Screen): void {
    screen.host.addEventListener(
      "contextmenu",
      (event) => {
        if (event.shiftKey || screen.terminal.modes.mouseTrackingMode !== "none") return;
        event.preventDefault();
        event.stopPropagation();
        this.#open(screen, event.clientX, event.clientY);
      },
      { capture: true },
    );
  }

  #open(screen: Screen, x: number, y: number): void {
    this.#screen = screen;
    show(this.#menu, true);
    const { width, height } = this.#menu.getBoundingClientRect();
    this.#menu.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 4))}px`;
    this.#menu.style.top = `${Math.max(4, Math.min(y, innerHeight - height - 4))}px`;
    this.#items()[0]?.focus();
  }

  #close(): void {
    if (this.#menu.hidden) return;
    show(this.#menu, false);
    this.#screen?.terminal.focus();
    this.#screen = null;
  }

  #items(): HTMLElement[] {
    return Array.from(this.#menu.querySelectorAll<HTMLElement>("[data-item]"));
  }

  #key(event: KeyboardEvent): void {
    event.stopPropagation();
    const items = this.#items();
    const at = items.indexOf(document.activeElement as HTMLElement);
    if (event.key === "Escape" || event.key === "Tab") this.#close();
    else if (event.key === "ArrowDown") items[(at + 1) % items.length]?.focus();
    else if (event.key === "ArrowUp") items[(at + items.length - 1) % items.length]?.focus();
    else return;
    event.preventDefault();
  }
}
