// How this browser wants the page to look: font size, colours, screen reader mode. Remembered in localStorage; a browser that refuses it forgets.

export const MIN_FONT = 8;
export const MAX_FONT = 32;
const KEY = "podlife.look";

export type ThemeChoice = "system" | "light" | "dark";

export interface Prefs {
  /** In pixels; null: what suits the window's width. */
  fontSize: number | null;
  theme: ThemeChoice;
  reader: boolean;
}

/** Prefs on this machine, now. */
export interface Look {
  fontSize: number;
  theme: "light" | "dark";
  reader: boolean;
}

export const defaults: Prefs = { fontSize: null, theme: "system", reader: false };

/** Reads what was stored; what is not of its kind is left at its default. Pure. */
export function parsePrefs(stored: string | null): Prefs {
  let value: unknown;
  try {
    value = JSON.parse(stored ?? "{}");
  } catch {
    return defaults;
  }
  if (typeof value !== "object" || value === null) return defaults;
  const { fontSize, theme, reader } = value as Record<string, unknown>;
  return {
    fontSize: typeof fontSize === "number" && Number.isFinite(fontSize) ? clampFont(fontSize) : null,
    theme: theme === "light" || theme === "dark" ? theme : "system",
    reader: reader === true,
  };
}

export function clampFont(size: number): number {
  return Math.min(MAX_FONT, Math.max(MIN_FONT, Math.round(size)));
}

export function lookOf(prefs: Prefs, system: { dark: boolean; narrow: boolean }): Look {
  return {
    fontSize: prefs.fontSize ?? (system.narrow ? 12 : 14),
    theme: prefs.theme === "system" ? (system.dark ? "dark" : "light") : prefs.theme,
    reader: prefs.reader,
  };
}

/** The choice after this one, for one button that goes through them. */
export function nextTheme(theme: ThemeChoice): ThemeChoice {
  return { system: "light", light: "dark", dark: "system" }[theme] as ThemeChoice;
}

/** The prefs of this browser. Tells of each change, also of those that the system makes. */
export class PrefStore {
  readonly #dark = matchMedia("(prefers-color-scheme: dark)");
  readonly #narrow = matchMedia("(max-width: 480px)");
  readonly #changed: () => void;
  prefs: Prefs;

  constructor(changed: () => void) {
    this.#changed = changed;
    this.prefs = parsePrefs(stored(() => localStorage.getItem(KEY)));
    this.#mark();
    for (const query of [this.#dark, this.#narrow]) query.addEventListener("change", () => changed());
  }

  get look(): Look {
    return lookOf(this.prefs, { dark: this.#dark.matches, narrow: this.#narrow.matches });
  }

  set(change: Partial<Prefs>): void {
    this.prefs = { ...this.prefs, ...change };
    stored(() => localStorage.setItem(KEY, JSON.stringify(this.prefs)));
    this.#mark();
    this.#changed();
  }

  /** The style sheet follows the system by itself where nothing is chosen. */
  #mark(): void {
    if (this.prefs.theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.prefs.theme;
  }
}

function stored<T>(access: () => T): T | null {
  try {
    return access();
  } catch {
    return null; // storage is switched off
  }
}
