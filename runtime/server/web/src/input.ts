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
