// Turns hostile output into text that is safe and readable in a <pre>. Pure. Always shown with textContent.

/* eslint-disable no-control-regex */
const colours = /\u001b\[[0-9;:?]*[ -/]*[@-~]/g;
const controls = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
// Marks that reorder or hide the text around them: a log line must read as it was written.
const invisible = /[\u0080-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Colours are left out, carriage returns become new lines, other control characters become visible. */
export function plain(output: string): string {
  return output
    .replace(colours, "")
    .replace(/\r\n?/g, "\n")
    .replace(controls, (character) => (character === "\u007f" ? "\u2421" : String.fromCharCode(0x2400 + character.charCodeAt(0))))
    .replace(invisible, "\ufffd");
}

/** Appends to a log that keeps its last `limit` characters, cut at the start of a line where there is one. */
export function appendBounded(log: string, more: string, limit: number): { log: string; cut: boolean } {
  const all = log + more;
  if (all.length <= limit) return { log: all, cut: false };
  const tail = all.slice(-limit);
  const line = tail.indexOf("\n");
  return { log: line >= 0 && line < 1024 ? tail.slice(line + 1) : tail, cut: true };
}
