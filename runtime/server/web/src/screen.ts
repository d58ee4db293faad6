// One tab's terminal on the page: xterm.js, its size, what comes out of it. Knows nothing of pods and sockets. clipboard.ts, search.ts and links.ts have the rest.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import { isAnswer, latin1 } from "./input.ts";
import { addLinks } from "./links.ts";
import { clampSize, sameSize, type Size } from "./protocol.ts";
import type { Look } from "./prefs.ts";
import { themes } from "./theme.ts";

/** Dragging a window's edge is one change of size, not a hundred. In ms. */
const RESIZE_PAUSE = 120;

export interface ScreenHooks {
  /** What was typed or pasted, in the terminal's own encoding. */
  input(bytes: Uint8Array): void;
  /** What fits into the window has changed. */
  resized(): void;
  /** What the terminal is about to send for somebody's key or paste; may be changed. */
  typed(data: string): string;
  link(address: string, direct: boolean): void;
}

export class Screen {
  readonly host: HTMLElement;
  readonly terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #hooks: ScreenHooks;
  readonly #watch: ResizeObserver;
  #own: Size = { cols: 80, rows: 24 };
  /** A session decides the size, and this window only shows it. */
  #bound = false;
  #muted = false;
  #pause: ReturnType<typeof setTimeout> | undefined;

  /** @param parent is the element in which each terminal of the page lies over the others */
  constructor(parent: HTMLElement, look: Look, hooks: ScreenHooks) {
    this.#hooks = hooks;
    this.host = document.createElement("div");
    this.host.className = "screen";
    parent.append(this.host);
    this.terminal = new Terminal({
      allowProposedApi: true, // the search addon marks what it found
      fontFamily: 'ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace',
      lineHeight: 1.15,
      scrollback: 5_000,
      cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches,
      minimumContrastRatio: 4.5,
      fontSize: look.fontSize,
      theme: themes[look.theme],
      screenReaderMode: look.reader,
    });
    this.terminal.loadAddon(this.#fit);
    addLinks(this.terminal, (address, direct) => hooks.link(address, direct));
    this.terminal.open(this.host);
    this.terminal.textarea?.setAttribute("aria-description", "Ctrl+F6 leaves the terminal");
    this.#fitNow(false); // before anybody asks for the size, and before anybody can be told of it

    const encoder = new TextEncoder();
    this.terminal.onData((data) => {
      if (isAnswer(data)) {
        if (!this.#muted) hooks.input(encoder.encode(data));
      } else hooks.input(encoder.encode(hooks.typed(data)));
    });
    this.terminal.onBinary((data) => hooks.input(latin1(data)));
    this.#watch = new ResizeObserver(() => this.#fitSoon());
    this.#watch.observe(this.host);
  }

  /** What fits into the window. */
  size(): Size {
    return this.#own;
  }

  write(bytes: Uint8Array, shown: () => void): void {
    this.terminal.write(bytes, shown);
  }

  // xterm.js parses later than it is written to, and its calls act at once. So each goes through the queue of what is written: a reset that overtook
  // output would let it appear on the clean screen.

  /** An empty terminal in its default modes: what the last shell left switched on (alternate screen, mouse) must not reach the next one. */
  reset(): void {
    this.#inOrder(() => this.terminal.reset());
  }

  /** While it is mute, what the terminal says by itself goes nowhere. */
  mute(on: boolean): void {
    this.#inOrder(() => {
      this.#muted = on;
    });
  }

  /** The session's size, which need not be what fits. */
  resize(size: Size): void {
    this.#bound = true;
    this.#inOrder(() => this.#become(size));
  }

  /** No session decides the size any more. */
  release(): void {
    this.#bound = false;
    this.#inOrder(() => {
      if (!this.#bound) this.#become(this.#own);
    });
  }

  restyle(look: Look): void {
    this.terminal.options.fontSize = look.fontSize;
    this.terminal.options.theme = themes[look.theme];
    this.terminal.options.screenReaderMode = look.reader;
    this.#fitNow();
  }

  show(on: boolean): void {
    this.host.hidden = !on;
    if (on) this.#fitNow();
  }

  dispose(): void {
    clearTimeout(this.#pause);
    this.#watch.disconnect();
    this.terminal.dispose();
    this.host.remove();
  }

  /** The lines of the visible screen as text, without trailing blanks. */
  text(): string {
    const buffer = this.terminal.buffer.active;
    const lines: string[] = [];
    for (let row = 0; row < this.terminal.rows; row++) lines.push(buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? "");
    return lines.join("\n").trimEnd();
  }

  #inOrder(run: () => void): void {
    this.terminal.write("", run);
  }

  #become(size: Size): void {
    if (!sameSize(size, this.terminal)) this.terminal.resize(size.cols, size.rows);
    this.#mark();
  }

  /** A session that is larger than the window is scrolled through; a smaller one leaves room. */
  #mark(): void {
    this.host.dataset.larger = String(this.terminal.cols > this.#own.cols || this.terminal.rows > this.#own.rows);
  }

  #fitSoon(): void {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#fitNow(), RESIZE_PAUSE);
  }

  #fitNow(tell = true): void {
    const proposed = this.#fit.proposeDimensions();
    const size = proposed && clampSize(proposed.cols, proposed.rows);
    if (!size || sameSize(size, this.#own)) return;
    this.#own = size;
    if (this.#bound) this.#mark();
    else this.#become(size);
    if (tell) this.#hooks.resized();
  }
}
