// A small server of the protocol, in this process: one session with its output by byte offset. It keeps the newest bytes only, sends a window beyond the last ack, and
// shows a picture where a viewer cannot go on. Its picture is all the output that is kept, so that a page which lost or doubled nothing shows exactly that.
import { EPOCH, type FakeSocket } from "./fake.ts";

export class FakeServer {
  /** All output so far, in latin1. */
  output = "";
  epoch = EPOCH;
  /** So many of the newest bytes can be resumed from. */
  keep = 1 << 20;
  window = 512 * 1024;
  resumes = 0;
  resets = 0;
  /** The most that was ever sent beyond an ack. */
  ahead = 0;
  #viewer: { socket: FakeSocket; sent: number; acked: number; read: number } | null = null;

  /** Answers the hello of a socket, and serves it from now on. */
  attach(socket: FakeSocket): void {
    const hello = socket.sent[0] as { epoch?: string; have?: number };
    socket.say({ type: "attached", incarnation: 1, tab: "main", epoch: this.epoch, cols: 100, rows: 30, read_only: false });
    const lo = Math.max(0, this.output.length - this.keep);
    const { have } = hello;
    if (hello.epoch === this.epoch && have !== undefined && have >= lo && have <= this.output.length) {
      this.resumes++;
      socket.say({ type: "resumed", from: have });
      this.#viewer = { socket, sent: have, acked: have, read: 1 };
    } else {
      this.#viewer = { socket, sent: 0, acked: 0, read: 1 };
      this.picture(hello.epoch === undefined ? "new" : hello.epoch === this.epoch ? "behind" : "epoch");
    }
  }

  picture(reason: string): void {
    if (this.#viewer === null) return;
    this.resets++;
    this.#viewer.socket.say({ type: "reset", reason });
    this.#viewer.socket.handlers.bytes(Buffer.from(this.output, "latin1"));
    this.#viewer.socket.say({ type: "live", from: this.output.length });
    this.#viewer.sent = this.output.length;
    this.#viewer.acked = this.output.length;
  }

  /** Sends what the window allows, in frames of at most `size`. `frames` bounds how many. */
  send(size: number, frames: number): void {
    const viewer = this.#viewer;
    if (viewer === null) return;
    this.#read();
    for (let i = 0; i < frames; i++) {
      const until = Math.min(viewer.sent + size, this.output.length, viewer.acked + this.window);
      if (until <= viewer.sent) return;
      viewer.socket.handlers.bytes(Buffer.from(this.output.slice(viewer.sent, until), "latin1"));
      viewer.sent = until;
      this.ahead = Math.max(this.ahead, viewer.sent - viewer.acked);
      this.#read();
    }
  }

  lose(): void {
    this.#viewer = null;
  }

  #read(): void {
    const viewer = this.#viewer;
    if (viewer === null) return;
    for (; viewer.read < viewer.socket.sent.length; viewer.read++) {
      const message = viewer.socket.sent[viewer.read] as { type?: string; have?: number };
      if (message.type !== "ack") continue;
      if (message.have === undefined || message.have < viewer.acked || message.have > viewer.sent) throw new Error(`ack ${message.have} between ${viewer.acked} and ${viewer.sent}`);
      viewer.acked = message.have;
    }
  }
}
