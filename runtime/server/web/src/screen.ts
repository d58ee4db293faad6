// The terminal on the page: xterm.js, its size, its keys. Knows nothing of pods and sockets.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import { cleanPaste, latin1 } from "./input.ts";
import { clampSize } from "./protocol.ts";
import { dark, light } from "./theme.ts";

/** Dragging a window's edge is one change of size, not a hundred. In ms. */
const RESIZE_PAUSE = 120;

export interface ScreenHooks {
  input(bytes: Uint8Array): void;
  resized(): void;
  /** Characters were taken out of a paste. */
  pasteCleaned(removed: number): void;
  /** Somebody wants out of the terminal by keyboard. */
  leave(): void;
}

export class Screen {
  readonly #terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #hooks: ScreenHooks;
  #pause: ReturnType<typeof setTimeout> | undefined;

  constructor(host: HTMLElement, hooks: ScreenHooks) {
    this.#hooks = hooks;
    const prefersDark = matchMedia("(prefers-color-scheme: dark)");
    this.#terminal = new Terminal({
      fontFamily: 'ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace',
      fontSize: matchMedia("(max-width: 480px)").matches ? 12 : 14,
      lineHeight: 1.15,
      scrollback: 5_000,
      cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches,
      minimumContrastRatio: 4.5,
      theme: prefersDark.matches ? dark : light,
      linkHandler: { activate: (_event, uri) => openLink(uri) },
    });
    prefersDark.addEventListener("change", ({ matches }) => {
      this.#terminal.options.theme = matches ? dark : light;
    });
    this.#terminal.loadAddon(this.#fit);
    this.#terminal.open(host);
    this.#terminal.textarea?.setAttribute("aria-description", "Ctrl+F6 leaves the terminal");
    this.#fitNow(); // before anybody asks for the size, and before anybody is told of it
    this.#terminal.onResize(() => hooks.resized());

    const encoder = new TextEncoder();
    this.#terminal.onData((data) => hooks.input(encoder.encode(data)));
    this.#terminal.onBinary((data) => hooks.input(latin1(data)));
    this.#terminal.attachCustomKeyEventHandler((event) => {
      if (event.key !== "F6" || !event.ctrlKey) return true;
      if (event.type === "keydown") hooks.leave();
      event.preventDefault();
      return false;
    });
    // Before xterm.js sees it (capture): its own handler would let ESC through.
    host.addEventListener("paste", (event) => this.#paste(event), { capture: true });
    new ResizeObserver(() => this.#fitSoon()).observe(host);
  }

  size(): { cols: number; rows: number } {
    return clampSize(this.#terminal.cols, this.#terminal.rows) ?? { cols: 80, rows: 24 };
  }

  write(bytes: Uint8Array): void {
    this.#terminal.write(bytes);
  }

  /** An empty terminal in its default modes: what the last shell left switched on (alternate screen, mouse) must not reach the next one. */
  reset(): void {
    this.#terminal.reset();
  }

  focus(): void {
    this.#terminal.focus();
  }

  /** The lines of the visible screen as text, without trailing blanks. */
  text(): string {
    const buffer = this.#terminal.buffer.active;
    const lines: string[] = [];
    for (let row = 0; row < this.#terminal.rows; row++) lines.push(buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? "");
    return lines.join("\n").trimEnd();
  }

  #paste(event: ClipboardEvent): void {
    const pasted = event.clipboardData?.getData("text/plain");
    event.preventDefault();
    event.stopPropagation();
    if (!pasted) return;
    const { text, removed } = cleanPaste(pasted);
    this.#terminal.paste(text);
    if (removed > 0) this.#hooks.pasteCleaned(removed);
  }

  #fitSoon(): void {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#fitNow(), RESIZE_PAUSE);
  }

  #fitNow(): void {
    const proposed = this.#fit.proposeDimensions();
    const size = proposed && clampSize(proposed.cols, proposed.rows);
    if (size && (size.cols !== this.#terminal.cols || size.rows !== this.#terminal.rows)) this.#terminal.resize(size.cols, size.rows);
  }
}

/** A link that a program printed (OSC 8): its text may lie, so the address is shown first, and only harmless kinds open. */
function openLink(uri: string): void {
  let url: URL;
  try {
    url = new URL(uri);
  } catch {
    return;
  }
  if (!["http:", "https:", "mailto:"].includes(url.protocol)) return;
  if (confirm(`A program in the terminal links to\n\n${url.href}\n\nOpen it?`)) window.open(url.href, "_blank", "noopener,noreferrer");
}
