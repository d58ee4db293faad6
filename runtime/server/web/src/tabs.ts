// Names of tabs, and what a page remembers of them over a reload. Pure.

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The first tab of a page that knows of none. */
export const FIRST = "main";

/** More tabs than this are not restored: a page is no place to keep them. */
const MOST = 64;

/** What is wrong with a name; empty: nothing. */
export function wrongName(name: string, taken: readonly string[]): string {
  if (!NAME.test(name)) return "A name has 1 to 64 letters, digits, - or _.";
  return taken.includes(name) ? "Another tab has that name." : "";
}

/** The name of a new tab: the first number from 2 that is free, and the first name if even that is. */
export function freeName(taken: readonly string[]): string {
  if (!taken.includes(FIRST)) return FIRST;
  for (let number = 2; ; number++) if (!taken.includes(String(number))) return String(number);
}

export interface Remembered {
  names: string[];
  active: string;
}

export function toStored(tabs: Remembered): string {
  return JSON.stringify(tabs);
}

/** What was stored, as far as it is names; null when nothing was. The address may name another tab to begin with. */
export function fromStored(stored: string | null, hash: string): Remembered | null {
  const wanted = new URLSearchParams(hash.replace(/^#/, "")).get("tab");
  const named = wanted !== null && NAME.test(wanted) ? wanted : null;
  let value: unknown = null;
  try {
    value = JSON.parse(stored ?? "null");
  } catch {
    // Somebody else's; as if nothing was stored.
  }
  const { names, active } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const known = Array.isArray(names) ? [...new Set(names.filter((name): name is string => typeof name === "string" && NAME.test(name)))].slice(0, MOST) : [];
  if (named !== null && !known.includes(named)) known.push(named);
  const [first] = known;
  if (first === undefined) return null;
  return { names: known, active: named ?? (typeof active === "string" && known.includes(active) ? active : first) };
}

/** The address's fragment for a tab: nothing for the first one, which every page has. */
export function hashOf(name: string): string {
  return name === FIRST ? "" : `#tab=${name}`;
}

/** Which tab is in front when a page knows none yet: the first one by name if it runs, or if nothing does; else any that runs. */
export function frontOf(running: readonly string[], first: string): string {
  return running.includes(first) ? first : (running[0] ?? first);
}
