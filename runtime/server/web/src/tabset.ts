// The tabs of this page: those that it has a terminal for, and those that the server knows besides. A tab gets its terminal and its socket when it is first looked
// at. What it must not know (DOM, sockets, HTTP) comes in through its parameters.
import type { TabInfo } from "./api.ts";
import type { Session } from "./session.ts";
import { freeName } from "./tabs.ts";

/** A tab with a terminal. */
export interface Opened {
  session: Session;
  show(on: boolean): void;
  dispose(): void;
}

export interface Tab {
  name: string;
  /** What the server says of it; null: it has no such session now, or has not said yet. */
  info: TabInfo | null;
  opened: Opened | null;
}

export interface TabServer {
  list(): Promise<TabInfo[] | null>;
  close(name: string): Promise<void>;
  rename(name: string, to: string): Promise<void>;
}

export class TabSet {
  readonly tabs: Tab[] = [];
  readonly #server: TabServer;
  readonly #open: (tab: Tab) => Opened;
  readonly #changed: () => void;
  #active: Tab | null = null;

  /** @param open makes the terminal of a tab and starts it; `changed` is told when there are other tabs, another order, or another one in front */
  constructor(server: TabServer, open: (tab: Tab) => Opened, changed: () => void) {
    this.#server = server;
    this.#open = open;
    this.#changed = changed;
  }

  get active(): Tab | null {
    return this.#active;
  }

  get names(): string[] {
    return this.tabs.map((tab) => tab.name);
  }

  /** Knows these tabs from now on, without a terminal. */
  remember(names: readonly string[]): void {
    for (const name of names) if (!this.names.includes(name)) this.tabs.push({ name, info: null, opened: null });
  }

  /** Brings a tab to the front; one of an unknown name is new. */
  activate(name: string): void {
    this.remember([name]);
    const tab = this.tabs.find((tab) => tab.name === name) as Tab;
    if (tab === this.#active) return;
    this.#active?.opened?.show(false);
    this.#active = tab;
    if (tab.opened === null) tab.opened = this.#open(tab);
    else {
      tab.opened.show(true);
      tab.opened.session.becameVisible();
    }
    this.#changed();
  }

  add(): void {
    this.activate(freeName(this.names));
  }

  /** Ends the programs of a tab, and takes it off the page. The last one stays, empty. Rejects with a sentence for people. */
  async close(tab: Tab): Promise<void> {
    await this.#server.close(tab.name);
    if (!this.tabs.includes(tab)) return;
    if (this.tabs.length === 1) {
      tab.info = null;
      tab.opened?.session.closed();
      this.#changed();
      return;
    }
    this.#remove(tab);
  }

  /** Rejects with a sentence for people; the name is one that `wrongName` finds nothing wrong with. */
  async rename(tab: Tab, to: string): Promise<void> {
    await this.#server.rename(tab.name, to);
    this.#named(tab, to);
    tab.opened?.session.rename(to);
    this.#changed();
  }

  /** The server attached a tab under another name than it was asked for: somebody has renamed it. */
  sync(tab: Tab): void {
    const name = tab.opened?.session.tab ?? tab.name;
    if (name === tab.name) return;
    this.#named(tab, name);
    this.#changed();
  }

  /** Asks the server which sessions there are. Those that appeared get a tab; those that went lose it, unless this page shows them. */
  async refresh(): Promise<void> {
    const infos = await this.#server.list();
    if (infos === null) return;
    const before = JSON.stringify(this.tabs.map(({ name, info }) => [name, info]));
    for (const tab of this.tabs) tab.info = infos.find((info) => info.name === tab.name) ?? null;
    // A pod that is not ready has no sessions, and its tabs come again.
    if (infos.length > 0) {
      for (const tab of [...this.tabs]) if (tab.info === null && tab.opened === null && tab !== this.#active) this.#drop(tab);
      for (const info of infos) if (!this.names.includes(info.name)) this.tabs.push({ name: info.name, info, opened: null });
    }
    if (before !== JSON.stringify(this.tabs.map(({ name, info }) => [name, info]))) this.#changed();
  }

  #named(tab: Tab, name: string): void {
    const other = this.tabs.find((other) => other !== tab && other.name === name);
    if (other !== undefined) this.#drop(other);
    tab.name = name;
  }

  #remove(tab: Tab): void {
    const at = this.tabs.indexOf(tab);
    this.#drop(tab);
    if (tab !== this.#active) {
      this.#changed();
      return;
    }
    this.#active = null;
    const next = this.tabs[Math.min(at, this.tabs.length - 1)];
    if (next !== undefined) this.activate(next.name);
  }

  #drop(tab: Tab): void {
    this.tabs.splice(this.tabs.indexOf(tab), 1);
    tab.opened?.session.end();
    tab.opened?.dispose();
  }
}
