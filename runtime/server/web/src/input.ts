// What goes from the keyboard and the clipboard to the shell. Pure.
import { PASTE_PIECE } from "./protocol.ts";

/**
 * Takes the characters out of a paste with which it could pretend to be keys: ESC, and the 8-bit CSI that some programs take for ESC [.
 * A paste that contains ESC [ 2 0 1 ~ would otherwise end the bracket early, and its next line would run. xterm.js 6.0.0 does not do it.
 */
export function cleanPaste(pasted: string): { text: string; removed: number } {
  const text = pasted.replace(/[\u001b\u009b]/g, "");
  return { text, removed: pasted.length - text.length };
}

/** The longest line that a terminal's line discipline takes, in bytes with its end; what is beyond is lost. */
const LONGEST_LINE = 4_096;

/** What somebody should know before a paste runs. */
export interface PasteRisk {
  lines: number;
  /** A line is longer than what a program that does not edit its lines itself gets whole. */
  tooLong: boolean;
}

/** What is risky about a paste into a program that did not ask for brackets; null: nothing. With brackets the program sees where it ends. */
export function pasteRisk(text: string, bracketed: boolean): PasteRisk | null {
  if (bracketed) return null;
  const lines = text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");
  const tooLong = lines.some((line) => line.length >= LONGEST_LINE / 4 && new TextEncoder().encode(line).length >= LONGEST_LINE);
  return lines.length > 1 || tooLong ? { lines: lines.length, tooLong } : null;
}

/** Splits bytes into pieces of at most PASTE_PIECE, in order. A piece may end inside a character: the other side is a byte stream. */
export function pieces(bytes: Uint8Array, size = PASTE_PIECE): Uint8Array[] {
  const result: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; from += size) result.push(bytes.subarray(from, from + size));
  return result;
}

/** xterm.js hands over old mouse reports as a string with one character a byte, which must not be encoded as UTF-8. */
export function latin1(data: string): Uint8Array {
  return Uint8Array.from(data, (character) => character.charCodeAt(0) & 0xff);
}

/**
 * Whether this is what a terminal says by itself, to a query or when a program asks for focus reports: CSI … c, n, R, t, y, I and O, and any OSC or DCS.
 * A picture of the past must not be answered: the program that asked has its answer, and the shell would get `1;2c` as if it was typed.
 */
export function isAnswer(data: string): boolean {
  return /^(?:\u001b\[[?>=]?[0-9;]*\$?[cnRtyIO]|\u001b[\]P][\s\S]*)+$/.test(data);
}

/** The sequence of an arrow key, as xterm sends it. `control`: with Ctrl held; `application`: the program has asked for the other form. */
export function arrow(direction: "A" | "B" | "C" | "D", application: boolean, control: boolean): string {
  if (control) return `\u001b[1;5${direction}`;
  return application ? `\u001bO${direction}` : `\u001b[${direction}`;
}

/** What Ctrl makes of a typed character; null: nothing, it goes as it is. */
export function withControl(data: string): string | null {
  if (data === " " || data === "2") return "\u0000";
  if (data === "?") return "\u007f";
  return /^[@-_a-z]$/.test(data) ? String.fromCharCode(data.charCodeAt(0) & 0x1f) : null;
}
