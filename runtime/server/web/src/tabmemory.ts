// Keeps a page's tabs over a reload: their names in sessionStorage, which each browser tab has of its own, by pod, and the one in front in the address.
import { fromStored, hashOf, toStored, type Remembered } from "./tabs.ts";
import { tabsKey } from "./which.ts";

export class TabMemory {
  readonly #key: string;

  constructor(pod: string) {
    this.#key = tabsKey(pod);
  }

  load(): Remembered | null {
    let stored: string | null = null;
    try {
      stored = sessionStorage.getItem(this.#key);
    } catch {
      // Storage is switched off: the address alone has to do.
    }
    return fromStored(stored, location.hash);
  }

  keep(names: readonly string[], active: string): void {
    try {
      sessionStorage.setItem(this.#key, toStored({ names: [...names], active }));
    } catch {
      // As above.
    }
    if (location.hash !== hashOf(active)) history.replaceState(null, "", location.pathname + location.search + hashOf(active));
  }

  /** The tab that the address names; null: none. */
  named(): string | null {
    return fromStored(null, location.hash)?.active ?? null;
  }

  /** Takes a login code out of the address. */
  clearAddress(): void {
    history.replaceState(null, "", location.pathname + location.search);
  }
}
