// The page's side of the protocol: when to connect, when to boot, when to wait. It owns the one socket and the one timer; what it must not know
// (DOM, real time, real sockets) comes in through World, so that its tests run on a fake clock.
import { bootDelay, crowdedDelay, reconnectDelay } from "./jitter.ts";
import { pieces } from "./input.ts";
import { Close, decode, encode, ProtocolError, type ClientMessage, type ServerMessage } from "./protocol.ts";
import { initial, reduce, type Event, type View } from "./state.ts";

/** A socket that is open longer than this was not a failed try: the next loss starts again with the shortest wait. In ms. */
const STABLE_AFTER = 10_000;

/** A socket that neither opens nor fails for so long is given up. In ms. */
const CONNECT_TIMEOUT = 15_000;

export interface SocketHandlers {
  open(): void;
  text(data: string): void;
  bytes(data: Uint8Array): void;
  /** Called once, also for a socket that never opened. `unsent` is how many bytes were still to be sent. */
  closed(code: number, reason: string, unsent: number): void;
}

export interface Socket {
  send(data: string | Uint8Array): void;
  close(code: number, reason: string): void;
}

export interface World {
  now(): number;
  /** Returns a function that cancels. */
  after(ms: number, run: () => void): () => void;
  random(): number;
  visible(): boolean;
  connect(handlers: SocketHandlers): Socket;
  /** Whether the server still knows this browser. A refused WebSocket does not say why, so the page asks. */
  signedIn(): Promise<"yes" | "no" | "unreachable">;
  /** POST /api/destroy. Rejects with an Error whose message is a sentence for people. */
  destroy(): Promise<void>;
}

export interface Shell {
  size(): { cols: number; rows: number };
  /** A provisioned shell begins here: whatever is on the screen belongs to an earlier one, or is about to be painted again. */
  attached(): void;
  output(bytes: Uint8Array): void;
}

export class Session {
  view: View = initial;

  readonly #world: World;
  readonly #shell: Shell;
  readonly #client: string;
  readonly #tab: string;
  readonly #changed: (view: View) => void;

  #socket: Socket | null = null;
  #open = false;
  #openedAt = 0;
  #attempt = 0;
  #heardOfPod = false;
  #askedBoot = false;
  #wasOffline = false;
  #sentSize = { cols: 0, rows: 0 };
  #timer: (() => void) | null = null;

  constructor(world: World, shell: Shell, client: string, tab: string, changed: (view: View) => void) {
    this.#world = world;
    this.#shell = shell;
    this.#client = client;
    this.#tab = tab;
    this.#changed = changed;
  }

  /** Opens the socket. The server boots what has to be booted. */
  start(): void {
    this.#connect();
  }

  /** Shows the page that says how to get a login link. */
  signOut(message: string): void {
    this.#drop();
    this.#apply({ type: "signed_out", message });
  }

  /** Somebody asked for it (a button, a key): boot, or connect, now. */
  go(): void {
    switch (this.view.phase) {
      case "asleep":
      case "destroyed":
      case "failed":
        this.#bootNow();
        return;
      case "reconnecting":
      case "exited":
      case "stopped":
      case "signed_out":
        this.#attempt = 0;
        this.#connect();
    }
  }

  /** The tab was brought to the front. */
  becameVisible(): void {
    const { phase, waiting } = this.view;
    if (waiting && (phase === "asleep" || phase === "destroyed")) this.#planBoot();
    else if (phase === "reconnecting" && this.#socket === null) this.#connect();
    else if (waiting && this.#socket === null) this.#connect();
  }

  wentOffline(): void {
    this.#wasOffline = true;
  }

  /** The network is back. A socket from before may be dead without knowing it, so it is replaced: the shell goes on and is attached to again. */
  cameOnline(): void {
    const replace = this.#wasOffline && this.#open;
    this.#wasOffline = false;
    if (replace && (this.view.phase === "attached" || this.view.phase === "booting" || this.view.phase === "ready")) {
      this.#drop();
      this.#apply({ type: "lost", reason: "network_changed", message: "", nextAt: null });
      this.#connect();
    } else if (this.view.phase === "reconnecting" && this.#socket === null) {
      this.#connect();
    }
  }

  /** What was typed or pasted. Without a shell nothing is kept for later, and the page says so: keys that run much later are worse than none. */
  input(bytes: Uint8Array): void {
    if (this.view.phase === "attached" && this.#open) {
      for (const piece of pieces(bytes)) this.#socket?.send(piece);
      return;
    }
    if (this.view.phase === "reconnecting") this.#apply({ type: "notice", message: "Not connected: what you just typed was not sent." });
  }

  /** The terminal has another size. Sent when it changed; before the shell is there the last one is kept and sent with it. */
  resized(): void {
    const size = this.#shell.size();
    if (!this.#open || (size.cols === this.#sentSize.cols && size.rows === this.#sentSize.rows)) return;
    this.#send({ type: "resize", ...size });
    this.#sentSize = size;
  }

  say(message: string): void {
    this.#apply({ type: "notice", message });
  }

  /** Removes container and disk. The server tells every open terminal; a page without one learns it from the answer. */
  async reset(): Promise<void> {
    if (this.view.resetting) return;
    this.#apply({ type: "reset_started" });
    try {
      await this.#world.destroy();
      this.#apply({ type: "reset_done" });
    } catch (error) {
      this.#apply({ type: "reset_failed", message: error instanceof Error ? error.message : "The reset failed." });
      return;
    }
    if (!this.#open && this.view.phase !== "reconnecting" && this.view.phase !== "connecting") {
      const message = { type: "state", state: "destroyed", incarnation: 0, reason: "reset", message: "", failure: null } as const;
      this.#apply({ type: "message", message, at: this.#world.now() });
      this.#planBoot();
    }
  }

  #apply(event: Event): void {
    this.view = reduce(this.view, event);
    this.#changed(this.view);
  }

  #connect(): void {
    this.#drop();
    this.#apply({ type: "connecting" });
    // A late word from a socket that was replaced must not touch its successor.
    const mine =
      <A extends unknown[]>(handle: (...args: A) => void) =>
      (...args: A) => {
        if (this.#socket === socket) handle(...args);
      };
    const socket: Socket = this.#world.connect({
      open: mine(() => this.#opened()),
      text: mine((data) => this.#text(data)),
      bytes: mine((data) => {
        if (this.view.phase === "attached") this.#shell.output(data);
      }),
      closed: mine((code, reason, unsent) => this.#closed(code, reason, unsent)),
    });
    this.#socket = socket;
    this.#after(CONNECT_TIMEOUT, () => {
      if (!this.#open) this.#lost("connect_timeout", "");
    });
  }

  /** Forgets the socket and whatever was planned. */
  #drop(): void {
    this.#cancel();
    const socket = this.#socket;
    this.#socket = null;
    this.#open = false;
    socket?.close(1000, "");
  }

  #opened(): void {
    this.#cancel();
    this.#open = true;
    this.#openedAt = this.#world.now();
    const size = this.#shell.size();
    this.#sentSize = size;
    // A page boots when it is opened. Later it boots only while somebody looks at it: a forgotten tab must not keep a pod awake for ever.
    this.#askedBoot = !this.#heardOfPod || this.#world.visible();
    this.#send({ type: "hello", client: this.#client, tab: this.#tab, ...size, boot: this.#askedBoot });
  }

  #text(data: string): void {
    let message: ServerMessage;
    try {
      message = decode(data);
    } catch (error) {
      const why = error instanceof ProtocolError ? error.message : "unreadable message";
      this.#socket?.close(Close.badMessage, why);
      this.#drop();
      this.#apply({ type: "stopped", message: `The server sent something that this page does not understand (${why}). Reloading the page may help.` });
      return;
    }
    if (message.type === "state" || message.type === "attached") {
      this.#heardOfPod = true;
      this.#cancel();
    }
    if (message.type === "attached") this.#shell.attached();
    this.#apply({ type: "message", message, at: this.#world.now() });
    if (message.type === "attached") this.resized();
    if (message.type === "state" && (message.state === "asleep" || message.state === "destroyed")) {
      // Put to sleep because nobody used it: booting it again at once would keep it awake for ever.
      if (this.#world.visible() && !message.reason.startsWith("idle")) this.#planBoot();
      else this.#apply({ type: "waiting" });
    }
  }

  #closed(code: number, reason: string, unsent: number): void {
    const opened = this.#open;
    const openedAt = this.#openedAt;
    this.#socket = null;
    this.#open = false;
    this.#cancel();
    if (this.view.phase === "exited") return;
    switch (code) {
      case Close.shellExited:
        this.#apply({ type: "exited", code: null });
        return;
      case Close.badMessage:
        this.#apply({ type: "stopped", message: `The server refused a message of this page${reason ? `: ${reason}` : ""}.` });
        return;
      case Close.notReady:
        // Asked without boot, because nobody was looking; perhaps somebody is by now.
        if (this.view.phase === "failed") return;
        if (this.#askedBoot) this.#lost("connection_lost", "");
        else if (this.#world.visible()) this.#connect();
        else this.#apply({ type: "waiting" });
        return;
      case Close.tooManyTerminals:
        this.#lost("too_many_terminals", "", crowdedDelay(this.#world.random()));
        return;
    }
    if (this.view.phase === "failed" || this.view.waiting) return;
    if (opened && this.#world.now() - openedAt >= STABLE_AFTER) this.#attempt = 0;
    if (opened) {
      this.#lost(code === Close.goingAway ? "server_stopping" : "connection_lost", "");
      if (unsent > 0) this.#apply({ type: "notice", message: `The last ${unsent} bytes that you typed may not have arrived.` });
      return;
    }
    void this.#askWhy();
  }

  async #askWhy(): Promise<void> {
    this.#lost("connection_lost", "");
    const stillMine = this.#timer;
    const answer = await this.#world.signedIn();
    if (this.#timer === stillMine && answer === "no") this.signOut("");
  }

  #lost(reason: string, message: string, delay = reconnectDelay(this.#attempt, this.#world.random())): void {
    this.#drop();
    this.#attempt++;
    this.#after(delay, () => this.#connect());
    this.#apply({ type: "lost", reason, message, nextAt: this.#world.now() + delay });
  }

  /** Boots by itself after a pause that the page shows, so that nobody is surprised and a hundred tabs do not come at once. */
  #planBoot(): void {
    const delay = bootDelay(this.#world.random());
    this.#after(delay, () => {
      if (this.#world.visible()) this.#bootNow();
      else this.#apply({ type: "waiting" });
    });
    this.#apply({ type: "planned", nextAt: this.#world.now() + delay });
  }

  #bootNow(): void {
    if (!this.#open) {
      this.#connect();
      return;
    }
    this.#cancel();
    this.#apply({ type: "connecting" });
    this.#send({ type: "boot" });
  }

  #send(message: ClientMessage): void {
    this.#socket?.send(encode(message));
  }

  #after(ms: number, run: () => void): void {
    this.#cancel();
    this.#timer = this.#world.after(ms, () => {
      this.#timer = null;
      run();
    });
  }

  #cancel(): void {
    this.#timer?.();
    this.#timer = null;
  }
}
