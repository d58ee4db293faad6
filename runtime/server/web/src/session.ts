// One tab's side of the protocol: when to connect, when to boot, when to wait. It owns the tab's one socket and its one timer; what it must not know (DOM, real time,
// real sockets) comes in through World, so that its tests run on a fake clock. stream.ts has the output, outbox.ts the input, state.ts what is shown.
import { decode, ProtocolError } from "./decode.ts";
import { bootDelay, crowdedDelay, reconnectDelay } from "./jitter.ts";
import { Outbox } from "./outbox.ts";
import { classWords, type PodClass } from "./podclass.ts";
import { Close, encode, sameSize, type ClientMessage, type ServerMessage, type Size } from "./protocol.ts";
import { initial, reduce, type Event, type View } from "./state.ts";
import { Stream, type Shown } from "./stream.ts";
import type { Socket, World } from "./world.ts";

/** A socket that is open longer than this was not a failed try: the next loss starts again with the shortest wait. In ms. */
const STABLE_AFTER = 10_000;

/** A socket that neither opens nor fails for so long is given up. In ms. */
const CONNECT_TIMEOUT = 15_000;

/** A way there and back is taken for at least and at most so long. In ms. */
const SHORTEST_PAUSE = 30;
const LONGEST_PAUSE = 1_000;

export interface Terminal extends Shown {
  /** What fits into this page's window. */
  size(): Size;
  /** No session decides the size any more: the window does. */
  release(): void;
}

export class Session {
  view: View = initial;

  readonly #world: World;
  readonly #terminal: Terminal;
  readonly #client: string;
  readonly #changed: (view: View) => void;
  readonly #stream: Stream;
  readonly #outbox: Outbox;

  #tab: string;
  #socket: Socket | null = null;
  #open = false;
  #connectedAt = 0;
  #openedAt = 0;
  #attempt = 0;
  /** This socket only looks whether there is something to attach to, and boots nothing whoever looks at the page. */
  #looking = false;
  #askedBoot = false;
  #wasOffline = false;
  #owesPasteEnd = false;
  #lookingOn = false;
  #frames = 0;
  #sentSize: Size = { cols: 0, rows: 0 };
  #timer: (() => void) | null = null;

  constructor(world: World, terminal: Terminal, client: string, tab: string, changed: (view: View) => void) {
    this.#world = world;
    this.#terminal = terminal;
    this.#client = client;
    this.#tab = tab;
    this.#changed = changed;
    this.#stream = new Stream(terminal);
    this.#outbox = new Outbox({ send: (bytes) => this.#sendBytes(bytes), after: (ms, run) => world.after(ms, run) });
  }

  get tab(): string {
    return this.#tab;
  }

  /** Opens the socket. The server boots what has to be booted, if somebody looks. */
  start(): void {
    this.#connect();
  }

  /** Ends for good: the tab is gone from the page. */
  end(): void {
    this.#drop();
  }

  /** The tab has another name now: the next hello says it. */
  rename(tab: string): void {
    this.#tab = tab;
  }

  /** Shows the page that says how to get a login link. */
  signOut(message: string): void {
    this.#drop();
    this.#apply({ type: "signed_out", message });
  }

  /** Says that there is no such pod, and tries nothing more by itself. */
  noPod(): void {
    this.#drop();
    this.#forget();
    this.#apply({ type: "no_pod" });
  }

  /** What the pod keeps when its container goes, as the server says; null: it does not say. */
  podIs(podClass: PodClass | null): void {
    if (podClass !== this.view.podClass) this.#apply({ type: "pod_class", podClass });
  }

  /** Somebody closed the tab here: its programs are gone. */
  closed(): void {
    this.#drop();
    this.#forget();
    this.#apply({ type: "closed" });
  }

  /** Somebody asked for it (a button, a key): boot, or connect, now. */
  go(): void {
    switch (this.view.phase) {
      case "asleep":
      case "destroyed":
      case "failed":
        this.#bootNow();
        return;
      case "exited":
      case "closed":
        this.#forget();
        this.#attempt = 0;
        this.#connect();
        return;
      case "reconnecting":
      case "stopped":
      case "signed_out":
      case "no_pod":
        this.#attempt = 0;
        this.#connect();
    }
  }

  /** The tab was brought to the front. What sleeps because nobody used it wakes by a key, and not because somebody looks. */
  becameVisible(): void {
    const { phase, waiting, reason, hadShell } = this.view;
    if (waiting && (phase === "asleep" || phase === "destroyed")) {
      if (reason.startsWith("idle")) return;
      if (hadShell) this.#planBoot();
      else this.#connect();
    } else if ((phase === "reconnecting" || waiting) && this.#socket === null) {
      this.#connect();
    }
  }

  /** The pod is up again, as another tab knows: attach to it if this one waits. Boots nothing. */
  join(): void {
    const { phase, waiting } = this.view;
    if (waiting && (phase === "asleep" || phase === "destroyed" || phase === "booting") && !this.#looking) this.#connect(true);
  }

  /** Whether this window only looks on: what is typed goes nowhere. */
  get lookingOn(): boolean {
    return this.#lookingOn;
  }

  /** Looks on from now on, or not any more. The shell goes on; it is attached to anew, where this window was. */
  lookOn(on: boolean): void {
    if (on === this.#lookingOn) return;
    this.#lookingOn = on;
    if (this.view.phase !== "attached" || !this.#open) return;
    this.#attempt = 0;
    this.#connect();
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
      if (this.view.readOnly) this.say("This window only looks on: what you type goes nowhere.");
      else if (this.#outbox.interrupts(bytes)) {
        const lost = this.#outbox.cut();
        this.#sendBytes(bytes);
        if (lost > 0) this.say(`Interrupted: the last ${lost} bytes of your paste were not sent.`);
      } else if (!this.#outbox.push(bytes)) this.say("That is too much at once: nothing of it was sent.");
      return;
    }
    if (this.view.phase === "reconnecting") this.say("Not connected: what you just typed was not sent.");
  }

  /** Somebody is there: the pod stays awake. */
  stay(): void {
    if (this.view.idle !== null && this.#open) this.#send({ type: "stay" });
  }

  /** The window has another size. Sent when it changed; before the shell is there the last one is kept and sent with it. */
  resized(): void {
    const size = this.#terminal.size();
    this.#apply({ type: "window", size });
    if (!this.#open || sameSize(size, this.#sentSize)) return;
    this.#send({ type: "resize", ...size });
    this.#sentSize = size;
  }

  say(message: string): void {
    this.#apply({ type: "notice", message });
  }

  /** Removes the container, and an ephemeral pod's disk with it. The server tells every open terminal; a page without one learns it from the answer. */
  async reset(): Promise<void> {
    if (this.view.resetting) return;
    this.#apply({ type: "reset_started" });
    try {
      await this.#world.destroy(classWords(this.view.podClass).notReset);
      this.#apply({ type: "reset_done" });
    } catch (error) {
      this.#apply({ type: "reset_failed", message: error instanceof Error ? error.message : "The reset failed." });
      return;
    }
    if (!this.#open && this.view.phase !== "reconnecting" && this.view.phase !== "connecting") {
      const message = { type: "state", state: "destroyed", incarnation: 0, reason: "reset", message: "", failure: null } as const;
      this.#forget();
      this.#apply({ type: "message", message, at: this.#world.now() });
      this.#planBoot();
    }
  }

  #apply(event: Event): void {
    this.view = reduce(this.view, event);
    this.#changed(this.view);
  }

  #connect(looking = false): void {
    this.#drop();
    this.#looking = looking;
    if (!looking) this.#apply({ type: "connecting" });
    // A late word from a socket that was replaced must not touch its successor.
    const mine =
      <A extends unknown[]>(handle: (...args: A) => void) =>
      (...args: A) => {
        if (this.#socket === socket) handle(...args);
      };
    this.#connectedAt = this.#world.now();
    this.#frames = 0;
    const socket: Socket = this.#world.connect({
      open: mine(() => this.#opened()),
      text: mine((data) => this.#understand(() => this.#heard(decode(data)))),
      bytes: mine((data) => this.#understand(() => this.#stream.bytes(data))),
      closed: mine((code, reason, unsent) => this.#lostSocket(code, reason, unsent)),
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
    const { lost, openPaste } = this.#outbox.clear();
    this.#owesPasteEnd ||= openPaste;
    if (lost > 0) this.say(`The connection was lost, and the last ${lost} bytes of your paste were not sent.`);
    socket?.close(1000, "");
  }

  /** The session is over: what comes next begins with an empty terminal, in this window's size. */
  #forget(): void {
    this.#stream.forget();
    this.#owesPasteEnd = false;
    this.#terminal.release();
  }

  #opened(): void {
    this.#cancel();
    this.#open = true;
    this.#openedAt = this.#world.now();
    // Opening a socket takes a way there and back or more.
    this.#outbox.pause = Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, this.#openedAt - this.#connectedAt));
    const size = this.#terminal.size();
    this.#sentSize = size;
    // It boots only while somebody looks at it: a forgotten tab must not keep a pod awake for ever.
    this.#askedBoot = !this.#looking && this.#world.visible();
    this.#send({ type: "hello", client: this.#client, tab: this.#tab, ...size, boot: this.#askedBoot, ...(this.#lookingOn && { read_only: true as const }), ...this.#stream.position() });
  }

  /** What breaks the protocol ends the socket, in words. */
  #understand(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#socket?.close(Close.badMessage, error.message);
      this.#drop();
      this.#stream.forget();
      this.#apply({ type: "stopped", message: `The server sent something that this page does not understand (${error.message}). Reloading the page may help.` });
    }
  }

  #heard(message: ServerMessage): void {
    switch (message.type) {
      case "state":
        this.#cancel();
        if (this.#looking && message.state !== "booting" && message.state !== "ready") return; // as before: it goes on waiting
        if (message.state === "asleep" || message.state === "destroyed") this.#forget();
        break;
      case "attached": {
        this.#cancel();
        this.#looking = false;
        const socket = this.#socket;
        if (message.tab !== "") this.#tab = message.tab;
        this.#stream.attached(message.epoch, message.size, (have) => {
          if (this.#socket === socket) this.#send({ type: "ack", have });
        });
        break;
      }
      case "resumed":
        this.#stream.resumed(message.from);
        if (this.#owesPasteEnd) this.#outbox.push(new TextEncoder().encode("\u001b[201~"));
        this.#owesPasteEnd = false;
        break;
      case "reset":
        this.#owesPasteEnd = false;
        this.#stream.reset();
        break;
      case "live":
        this.#stream.live(message.from);
        break;
      case "size":
        this.#stream.resize(message.size);
        break;
      case "taken":
        this.#outbox.taken(message.frame);
        return;
      case "refused":
        if (message.reason === "read_only") this.say("This window only looks on: what you type goes nowhere.");
        else if (message.reason === "lost") {
          this.#outbox.taken(message.frame); // all of it, some, or nothing: it does not come again
          this.say("The connection to your shell broke for a moment: some of what you typed last may be missing.");
        } else if (!this.#outbox.refused(message.frame)) this.say("The program does not read its input: what you typed last was dropped.");
        return;
    }
    this.#apply({ type: "message", message, at: this.#world.now() });
    if (message.type === "attached") this.resized();
    if (message.type === "state" && (message.state === "asleep" || message.state === "destroyed")) {
      // Put to sleep because nobody used it: booting it again at once would keep it awake for ever.
      if (this.#world.visible() && !message.reason.startsWith("idle")) this.#planBoot();
      else this.#apply({ type: "waiting" });
    }
  }

  #lostSocket(code: number, reason: string, unsent: number): void {
    const opened = this.#open;
    const openedAt = this.#openedAt;
    this.#drop();
    const { phase, waiting } = this.view;
    if (phase === "exited") return;
    switch (code) {
      case Close.shellExited:
        this.#apply({ type: "exited", code: null });
        return;
      case Close.tabClosed:
        this.closed();
        return;
      case Close.wrongVersion:
        this.#apply({ type: "stopped", message: `The server speaks another version of the terminal's protocol than this page${reason ? `: ${reason}` : ""}. Reloading the page may help.` });
        return;
      case Close.badMessage:
        this.#apply({ type: "stopped", message: `The server refused a message of this page${reason ? `: ${reason}` : ""}.` });
        return;
      case Close.notReady:
        if (phase === "failed") return;
        // Asked without boot, because nobody was looking; perhaps somebody is by now.
        if (this.#askedBoot) this.#lost("connection_lost", "");
        else if (!this.#looking && this.#world.visible()) this.#connect();
        else this.#apply({ type: "waiting" });
        this.#looking = false;
        return;
      case Close.tooManyTerminals:
        this.#lost("too_many_terminals", "", crowdedDelay(this.#world.random()));
        return;
    }
    this.#looking = false;
    if (phase === "failed" || waiting) return;
    if (opened && this.#world.now() - openedAt >= STABLE_AFTER) this.#attempt = 0;
    if (opened) {
      this.#lost(code === Close.goingAway ? "server_stopping" : "connection_lost", "");
      if (unsent > 0) this.say(`The last ${unsent} bytes that you typed may not have arrived.`);
      return;
    }
    void this.#askWhy();
  }

  async #askWhy(): Promise<void> {
    this.#lost("connection_lost", "");
    const stillMine = this.#timer;
    const answer = await this.#world.standing();
    if (this.#timer !== stillMine) return;
    if (answer === "signed_out") this.signOut("");
    if (answer === "no_pod") this.noPod();
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
    this.#looking = false;
    this.#askedBoot = true;
    this.#apply({ type: "connecting" });
    this.#send({ type: "boot" });
  }

  /** Returns which frame of this socket it was. */
  #sendBytes(bytes: Uint8Array): number {
    this.#socket?.send(bytes);
    return ++this.#frames;
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
