// The bar of tabs: a tablist whose arrow keys go through the tabs, F2 renames and Delete closes. What is done to the tab in front has buttons of its own, because
// a tab may not contain one.
import { byID, setAttribute, setText } from "./dom.ts";
import { plain } from "./plain.ts";
import type { Tab, TabSet } from "./tabset.ts";
import { badge, isRecorded } from "./words.ts";

export interface TabBarHooks {
  add(): void;
  rename(tab: Tab): void;
  close(tab: Tab): void;
}

export class TabBar {
  readonly #set: TabSet;
  readonly #hooks: TabBarHooks;
  readonly #list = byID("tablist");
  readonly #buttons = new Map<Tab, HTMLButtonElement>();
  #count = 0;

  constructor(set: TabSet, hooks: TabBarHooks) {
    this.#set = set;
    this.#hooks = hooks;
    byID("tab-new").addEventListener("click", () => hooks.add());
    byID("tab-rename").addEventListener("click", () => this.#withActive(hooks.rename));
    byID("tab-close").addEventListener("click", () => this.#withActive(hooks.close));
    this.#list.addEventListener("keydown", (event) => this.#key(event));
  }

  draw(): void {
    for (const [tab, button] of this.#buttons) {
      if (this.#set.tabs.includes(tab)) continue;
      button.remove();
      this.#buttons.delete(tab);
    }
    this.#set.tabs.forEach((tab, at) => {
      const button = this.#button(tab);
      if (this.#list.children[at] !== button) this.#list.insertBefore(button, this.#list.children[at] ?? null);
      const active = tab === this.#set.active;
      setText(button, tab.name);
      setAttribute(button, "aria-selected", String(active));
      button.tabIndex = active ? 0 : -1;
      button.title = describe(tab);
      button.dataset.state = tab.opened?.session.view.phase ?? "unopened";
      button.dataset.recorded = String(tab.opened !== null && isRecorded(tab.opened.session.view));
      if (active) {
        setAttribute(byID("terminal"), "aria-labelledby", button.id);
        if (button.dataset.seen !== "true") button.scrollIntoView({ block: "nearest", inline: "nearest" });
      }
      button.dataset.seen = String(active);
    });
  }

  focus(): void {
    if (this.#set.active !== null) this.#buttons.get(this.#set.active)?.focus();
  }

  #withActive(run: (tab: Tab) => void): void {
    if (this.#set.active !== null) run(this.#set.active);
  }

  #button(tab: Tab): HTMLButtonElement {
    const known = this.#buttons.get(tab);
    if (known !== undefined) return known;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "tab";
    button.id = `tab-${++this.#count}`;
    button.setAttribute("role", "tab");
    button.setAttribute("aria-controls", "terminal");
    button.addEventListener("click", () => {
      this.#set.activate(tab.name);
      tab.opened?.show(true);
    });
    button.addEventListener("dblclick", () => this.#hooks.rename(tab));
    this.#buttons.set(tab, button);
    return button;
  }

  #key(event: KeyboardEvent): void {
    const { tabs, active } = this.#set;
    const at = active === null ? 0 : tabs.indexOf(active);
    const go = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key];
    if (go !== undefined) {
      const next = tabs[go % tabs.length];
      if (next !== undefined) this.#set.activate(next.name);
      this.focus();
    } else if (event.key === "F2") this.#withActive(this.#hooks.rename);
    else if (event.key === "Delete") this.#withActive(this.#hooks.close);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function describe({ info, opened }: Tab): string {
  const parts = [opened === null ? "not opened here yet" : badge(opened.session.view)];
  if (opened !== null && isRecorded(opened.session.view)) parts.push("recorded");
  if (info !== null && info.title !== "") parts.unshift(plain(info.title));
  else if (info !== null && info.command !== "") parts.unshift(plain(info.command));
  if (info !== null && info.viewers > 1) parts.push(`shown in ${info.viewers} windows`);
  return parts.join(" · ");
}
