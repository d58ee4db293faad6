// The terminal's colours, which xterm.js wants as values; the page's own are in style.css.
import type { ITheme } from "@xterm/xterm";

const dark: ITheme = {
  background: "#101614",
  foreground: "#d9e2dd",
  cursor: "#7fd1a8",
  cursorAccent: "#101614",
  selectionBackground: "#2f5646",
  black: "#26302c",
  red: "#ec7f79",
  green: "#7fcf9e",
  yellow: "#dfbd6f",
  blue: "#7fb1e8",
  magenta: "#c79be0",
  cyan: "#70c8c4",
  white: "#c6d1cb",
  brightBlack: "#74857c",
  brightRed: "#f79c95",
  brightGreen: "#9be0b5",
  brightYellow: "#edd28f",
  brightBlue: "#9fc6f2",
  brightMagenta: "#d9b6ec",
  brightCyan: "#92dcd8",
  brightWhite: "#f1f6f3",
};

const light: ITheme = {
  background: "#fcfdfc",
  foreground: "#24302a",
  cursor: "#1f7a54",
  cursorAccent: "#fcfdfc",
  selectionBackground: "#bfe3d0",
  black: "#24302a",
  red: "#b3312c",
  green: "#1c7046",
  yellow: "#855c00",
  blue: "#1d5ca8",
  magenta: "#803c9c",
  cyan: "#136c70",
  white: "#5d6b64",
  brightBlack: "#68776f",
  brightRed: "#c4443d",
  brightGreen: "#22814f",
  brightYellow: "#946a08",
  brightBlue: "#2a6cbd",
  brightMagenta: "#9149ae",
  brightCyan: "#1b7d82",
  brightWhite: "#24302a",
};

export const themes = { dark, light } as const;

/** What a search has found; as values too, and each with six digits. */
export const found = {
  dark: { matchBackground: "#4a4420", matchOverviewRuler: "#dfbd6f", activeMatchBackground: "#8a6d1a", activeMatchColorOverviewRuler: "#edd28f" },
  light: { matchBackground: "#f5e7b8", matchOverviewRuler: "#946a08", activeMatchBackground: "#f0c24a", activeMatchColorOverviewRuler: "#855c00" },
} as const;
