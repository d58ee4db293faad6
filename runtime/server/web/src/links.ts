// Addresses in the terminal: those that are printed as text, and those that a program hides behind a text (OSC 8). Only http and https.
import { WebLinksAddon } from "@xterm/addon-web-links";
import type { Terminal } from "@xterm/xterm";

/** The address if it may be opened, in the form in which the browser opens it; null otherwise. Pure. */
export function webAddress(text: string): string | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
}

/** @param open is told the address, and whether it was clicked with Ctrl or Cmd, which needs no question */
export function addLinks(terminal: Terminal, open: (address: string, direct: boolean) => void): void {
  const activate = (event: MouseEvent, text: string) => {
    const address = webAddress(text);
    if (address !== null) open(address, event.ctrlKey || event.metaKey);
  };
  terminal.options.linkHandler = { activate: (event, uri) => activate(event, uri) };
  terminal.loadAddon(new WebLinksAddon(activate));
}

/** Opens it beside this page, without a way back to it. */
export function openAddress(address: string): void {
  window.open(address, "_blank", "noopener,noreferrer");
}
