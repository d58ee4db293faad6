// A World on a clock that only the test moves, with sockets whose other end is the test.
import { decodeClient, type Sent } from "./sent.ts";
import type { Size } from "../src/protocol.ts";
import { Session, type Terminal } from "../src/session.ts";
import type { Socket, SocketHandlers, Standing, World } from "../src/world.ts";

export class FakeSocket implements Socket {
  readonly sent: Sent[] = [];
  readonly handlers: SocketHandlers;
  closedWith: { code: number; reason: string } | null = null;

  constructor(handlers: SocketHandlers) {
    this.handlers = handlers;
  }

  send(data: string | Uint8Array): void {
    this.sent.push(decodeClient(data));
  }

  close(code: number, reason: string): void {
    this.closedWith ??= { code, reason };
  }

  /** What the server says. */
  say(message: object): void {
    this.handlers.text(JSON.stringify(message));
  }
}

export class FakeWorld implements World {
  readonly sockets: FakeSocket[] = [];
  time = 0;
  chance = 0.5;
  looking = true;
  answer: Standing = "known";
  destroys = 0;
  destroyFails = "";
  /** With what the sentence of each refused destroy is to begin. */
  readonly destroySays: string[] = [];
  #timers: { at: number; run: () => void }[] = [];

  now(): number {
    return this.time;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.time + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  random(): number {
    return this.chance;
  }

  visible(): boolean {
    return this.looking;
  }

  connect(handlers: SocketHandlers): Socket {
    const socket = new FakeSocket(handlers);
    this.sockets.push(socket);
    return socket;
  }

  async standing(): Promise<Standing> {
    return this.answer;
  }

  async destroy(failed: string): Promise<void> {
    this.destroySays.push(failed);
    this.destroys++;
    if (this.destroyFails) throw new Error(this.destroyFails);
  }

  /** Lets time pass; what is due runs in order. */
  pass(ms: number): void {
    const until = this.time + ms;
    for (;;) {
      const next = this.#timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.time = next.at;
      next.run();
    }
    this.time = until;
  }

  get planned(): number {
    return this.#timers.length;
  }

  /** The newest socket. */
  get socket(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (socket === undefined) throw new Error("no socket was opened");
    return socket;
  }
}

/** A terminal that parses at once, or when the test says so. Each call is kept in the order in which it took effect. */
export class FakeTerminal implements Terminal {
  readonly window: Size = { cols: 100, rows: 30 };
  /** What is on the screen since the last reset, as bytes in latin1. */
  text = "";
  resets = 0;
  muted = false;
  bound: Size | null = null;
  /** Whether the test lets it parse; else everything waits. */
  lazy = false;
  #queue: (() => void)[] = [];

  size(): Size {
    return { ...this.window };
  }

  release(): void {
    this.#do(() => {
      this.bound = null;
    });
  }

  write(bytes: Uint8Array, shown: () => void): void {
    this.#do(() => {
      this.text += Buffer.from(bytes).toString("latin1");
      shown();
    });
  }

  reset(): void {
    this.#do(() => {
      this.resets++;
      this.text = "";
    });
  }

  mute(on: boolean): void {
    this.#do(() => {
      this.muted = on;
    });
  }

  resize(size: Size): void {
    this.#do(() => {
      this.bound = size;
    });
  }

  /** Parses at most so many of the things that wait. */
  parse(most = Number.POSITIVE_INFINITY): void {
    for (let i = 0; i < most; i++) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      next();
    }
  }

  #do(run: () => void): void {
    if (this.lazy) this.#queue.push(run);
    else run();
  }
}

export interface Bench {
  world: FakeWorld;
  session: Session;
  terminal: FakeTerminal;
}

/** A page whose socket is open and whose hello is sent. */
export function opened(): Bench {
  const bench = page();
  bench.session.start();
  bench.world.socket.handlers.open();
  return bench;
}

export function page(): Bench {
  const world = new FakeWorld();
  const terminal = new FakeTerminal();
  return { world, terminal, session: new Session(world, terminal, "client-1", "main", () => {}) };
}

export const EPOCH = "00000000000000a1";

/** What the server says when it attaches. */
export function attachedMessage(incarnation = 1, epoch = EPOCH): object {
  return { type: "attached", incarnation, tab: "main", epoch, cols: 100, rows: 30, read_only: false };
}

/** A session begins on a socket: attached, an empty picture, live from 0. */
export function shell(socket: FakeSocket, incarnation = 1, epoch = EPOCH, from = 0): void {
  socket.say(attachedMessage(incarnation, epoch));
  socket.say({ type: "reset", reason: "new" });
  socket.say({ type: "live", from });
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A page with a shell in the given incarnation. */
export function attached(incarnation = 1): Bench {
  const bench = opened();
  shell(bench.world.socket, incarnation);
  return bench;
}
