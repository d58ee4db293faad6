// What is on its way from the keyboard and the clipboard to the shell, in order. A paste goes one piece after the other: the server drops a piece whole when the
// program reads too slowly, and with two pieces under way nobody could tell which one has to come again.
import { pieces } from "./input.ts";

/** A frame of so many bytes waits until it is known to be taken. Shorter ones are keys, which must not wait. */
const WAITS_FROM = 4 * 1024;

/** The pauses before a refused piece comes again grow between these. In ms. */
const FIRST_RETRY = 50;
const LAST_RETRY = 1_000;

/** A server that says what it takes, and says nothing for so long, is not waited for. In ms. */
const SILENCE = 10_000;

/** More than this is not kept, and refused at once. In bytes. */
export const LIMIT = 16 * 1024 * 1024;

const INTERRUPT = 0x03;
const PASTE_END = "\u001b[201~";

export interface Line {
  /** Returns which frame of its socket it was, counted from 1. */
  send(bytes: Uint8Array): number;
  /** Returns a function that cancels. */
  after(ms: number, run: () => void): () => void;
}

export class Outbox {
  readonly #line: Line;
  #queue: Uint8Array[] = [];
  #queued = 0;
  /** The piece that may have to come again. */
  #underWay: Uint8Array | null = null;
  /** Which frame it was sent in last. */
  #frame = 0;
  #timer: (() => void) | null = null;
  #retry = FIRST_RETRY;
  /** The piece under way was refused, and waits to be sent again. */
  #again = false;
  /** The server says what it took, so nothing has to be guessed from its silence. */
  #told = false;
  /** A server that does not say what it took is given this long to refuse. In ms; as long as a way there and back took. */
  pause = 100;

  constructor(line: Line) {
    this.#line = line;
  }

  /** How many bytes are not known to be taken. */
  get waiting(): number {
    return this.#queued + (this.#underWay?.length ?? 0);
  }

  /** Sends, or queues behind what is under way. False: too much, nothing of it was taken. */
  push(bytes: Uint8Array): boolean {
    if (this.waiting + bytes.length > LIMIT) return false;
    for (const piece of pieces(bytes)) {
      this.#queue.push(piece);
      this.#queued += piece.length;
    }
    this.#next();
    return true;
  }

  /** Whether these bytes are Ctrl+C, which must not stand in line behind a paste that it is to stop. */
  interrupts(bytes: Uint8Array): boolean {
    return bytes.length === 1 && bytes[0] === INTERRUPT && this.waiting > 0;
  }

  /** Forgets what was not sent yet, and sends the end of a bracketed paste that is cut by it. Returns how many bytes are lost. */
  cut(): number {
    const { lost, openPaste } = this.clear();
    if (openPaste) this.#line.send(new TextEncoder().encode(PASTE_END));
    return lost;
  }

  /** Forgets everything. `openPaste`: the shell has the beginning of a bracketed paste, or may have it, and not its end. */
  clear(): { lost: number; openPaste: boolean } {
    const lost = this.#queued + (this.#again ? (this.#underWay?.length ?? 0) : 0);
    const tail = new TextDecoder().decode(this.#queue.at(-1) ?? this.#underWay ?? new Uint8Array());
    this.#timer?.();
    this.#timer = null;
    this.#queue = [];
    this.#queued = 0;
    this.#underWay = null;
    this.#again = false;
    this.#retry = FIRST_RETRY;
    return { lost, openPaste: lost > 0 && tail.endsWith(PASTE_END) };
  }

  /** @param frame which frame the server speaks of; null: it does not say */
  taken(frame: number | null): void {
    this.#told = true;
    if (this.#underWay === null || this.#again || (frame !== null && frame !== this.#frame)) return;
    this.#retry = FIRST_RETRY;
    this.#done();
  }

  /** The program does not read. True: the piece comes again. False: it was keys, and they are lost. */
  refused(frame: number | null): boolean {
    const piece = this.#underWay;
    if (piece === null || (frame !== null && frame !== this.#frame)) return false;
    this.#timer?.();
    this.#again = true;
    this.#timer = this.#line.after(this.#retry, () => this.#send(piece));
    this.#retry = Math.min(LAST_RETRY, this.#retry * 2);
    return true;
  }

  #next(): void {
    while (this.#underWay === null) {
      const piece = this.#queue.shift();
      if (piece === undefined) return;
      this.#queued -= piece.length;
      if (piece.length < WAITS_FROM) this.#line.send(piece);
      else this.#send(piece);
    }
  }

  #send(piece: Uint8Array): void {
    this.#underWay = piece;
    this.#again = false;
    this.#timer = this.#line.after(this.#told ? SILENCE : this.pause, () => {
      this.#retry = FIRST_RETRY;
      this.#done();
    });
    this.#frame = this.#line.send(piece);
  }

  #done(): void {
    this.#timer?.();
    this.#timer = null;
    this.#underWay = null;
    this.#next();
  }
}
