// Draws the list "Your pods": the rows stay as long as their pods do, so that a list which is asked for again takes the keyboard from nobody.
import { byID, setText, show } from "./dom.ts";
import type { PodLine } from "./pods.ts";

export class PodList {
  readonly #section = byID("pods");
  readonly #list = byID("pods-list");
  readonly #more = byID("pods-more");
  readonly #rows = new Map<string, HTMLLIElement>();

  /** @param more says that there are pods besides */
  draw(lines: readonly PodLine[], more: boolean): void {
    const names = new Set(lines.map((line) => line.name));
    for (const [name, row] of this.#rows) {
      if (names.has(name)) continue;
      row.remove();
      this.#rows.delete(name);
    }
    lines.forEach((line, at) => {
      const row = this.#row(line);
      // A row that is moved loses the keyboard, so only one that is not where it belongs is.
      if (this.#list.children[at] !== row) this.#list.insertBefore(row, this.#list.children[at] ?? null);
      const [, text, trouble] = Array.from(row.children) as [Element, HTMLElement, HTMLElement];
      setText(text, line.text);
      setText(trouble, line.trouble);
      show(trouble, line.trouble !== "");
    });
    show(this.#more, more);
    show(this.#section, lines.length > 0);
  }

  #row(line: PodLine): HTMLLIElement {
    const known = this.#rows.get(line.name);
    if (known !== undefined) return known;
    const row = document.createElement("li");
    const name = document.createElement(line.href === null ? "span" : "a");
    name.className = "pod-link";
    name.title = line.name;
    setText(name, line.name);
    if (line.href !== null) name.setAttribute("href", line.href);
    if (line.current) name.setAttribute("aria-current", "page");
    row.append(name, part("pod-text"), part("wrong"));
    this.#rows.set(line.name, row);
    return row;
  }
}

function part(className: string): HTMLElement {
  const element = document.createElement("span");
  element.className = className;
  return element;
}
