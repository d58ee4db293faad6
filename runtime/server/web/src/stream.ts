// The output of one session as this page has it: which bytes came, which were shown, when the terminal is mute. No socket, no DOM.
import { ProtocolError } from "./decode.ts";
import { ACK_EVERY, type Position, type Size } from "./protocol.ts";

/** The terminal. Each call takes effect after everything that was written before: xterm.js parses later than it is written to. */
export interface Shown {
  write(bytes: Uint8Array, shown: () => void): void;
  /** An empty terminal in its default modes. */
  reset(): void;
  /** While it is mute, answers of the terminal to what is written go nowhere. */
  mute(on: boolean): void;
  resize(size: Size): void;
}

type Phase =
  | "none" // no session, or it is not known yet how it goes on
  | "picture" // bytes are a picture, which has no offsets
  | "live"; // bytes are output, from `#received` on

export class Stream {
  readonly #shown: Shown;
  #phase: Phase = "none";
  #epoch = "";
  /** All output below was received in order. Only meaningful while #whole. */
  #received = 0;
  /** What is on the screen is the session's output up to #received: not a picture that broke off. */
  #whole = false;
  #acked = 0;
  /** Counts starts, so that a write of an earlier socket acknowledges nothing to a later one. */
  #round = 0;
  #ack: (have: number) => void = () => {};

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  /** What a new socket may say that it has; null when nothing is known. */
  position(): Position | null {
    return this.#whole ? { epoch: this.#epoch, have: this.#received } : null;
  }

  /** A session was attached to over a new socket. What goes on is said next, by resumed or reset. */
  attached(epoch: string, size: Size, ack: (have: number) => void): void {
    if (epoch !== this.#epoch) this.#whole = false;
    this.#epoch = epoch;
    this.#phase = "none";
    this.#round++;
    this.#ack = ack;
    this.#shown.resize(size);
  }

  /** The output goes on where it was. Anything else than what this page has would lose or double bytes. */
  resumed(from: number): void {
    if (!this.#whole || from !== this.#received) throw new ProtocolError(`resumed at ${from}, and not at ${this.#whole ? this.#received : "a picture"}`);
    this.#phase = "live";
    this.#acked = from;
    this.#shown.mute(false);
  }

  /** A picture follows: what is shown counts no more. */
  reset(): void {
    this.#phase = "picture";
    this.#whole = false;
    this.#shown.mute(true);
    this.#shown.reset();
  }

  /** The picture is whole, and output follows. */
  live(from: number): void {
    if (this.#phase !== "picture") throw new ProtocolError("live without a picture");
    this.#phase = "live";
    this.#whole = true;
    this.#received = from;
    this.#acked = from;
    this.#shown.mute(false);
  }

  bytes(data: Uint8Array): void {
    if (this.#phase === "none") throw new ProtocolError("output before resumed or reset");
    if (this.#phase === "picture") {
      this.#shown.write(data, () => {});
      return;
    }
    this.#received += data.length;
    const [round, upTo] = [this.#round, this.#received];
    this.#shown.write(data, () => {
      if (round === this.#round && this.#phase === "live") this.#sawUpTo(upTo);
    });
  }

  resize(size: Size): void {
    this.#shown.resize(size);
  }

  /** The session is over, or the pod is: the next one begins with nothing. */
  forget(): void {
    this.#round++;
    this.#phase = "none";
    this.#whole = false;
    this.#epoch = "";
  }

  #sawUpTo(offset: number): void {
    if (offset - this.#acked < ACK_EVERY) return;
    this.#acked = offset;
    this.#ack(offset);
  }
}
