// A World on a clock that only the test moves, with sockets whose other end is the test.
import { decodeClient, type Sent } from "./sent.ts";
import { Session, type Socket, type SocketHandlers, type World } from "../src/session.ts";

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
  answer: "yes" | "no" | "unreachable" = "yes";
  destroys = 0;
  destroyFails = "";
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

  async signedIn(): Promise<"yes" | "no" | "unreachable"> {
    return this.answer;
  }

  async destroy(): Promise<void> {
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

export interface Bench {
  world: FakeWorld;
  session: Session;
  output: string[];
  size: { cols: number; rows: number };
  screenResets: () => number;
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
  const output: string[] = [];
  const size = { cols: 100, rows: 30 };
  let resets = 0;
  const shell = {
    size: () => ({ ...size }),
    attached: () => void resets++,
    output: (bytes: Uint8Array) => void output.push(new TextDecoder().decode(bytes)),
  };
  return { world, session: new Session(world, shell, "client-1", "main", () => {}), output, size, screenResets: () => resets };
}

/** A page with a shell in the given incarnation. */
export function attached(incarnation = 1): Bench {
  const bench = opened();
  bench.world.socket.say({ type: "attached", incarnation });
  return bench;
}
