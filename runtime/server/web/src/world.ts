// What a session needs of the world around it: a clock, chance, sockets, and the server's HTTP face. browser.ts is the real one, test/fake.ts the other.

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

/** How the server takes this browser: it knows it and the page's pod, it wants a login, it has no such pod; or it did not say. */
export type Standing = "known" | "signed_out" | "no_pod" | "unreachable";

export interface World {
  now(): number;
  /** Returns a function that cancels. */
  after(ms: number, run: () => void): () => void;
  random(): number;
  /** Whether somebody may be looking at this very terminal. */
  visible(): boolean;
  connect(handlers: SocketHandlers): Socket;
  /** A refused WebSocket does not say why, so the page asks. */
  standing(): Promise<Standing>;
  /** Removes the pod's container: an ephemeral pod's disk goes with it, a workspace's home stays. Rejects with an Error whose message is a sentence that begins with `failed`. */
  destroy(failed: string): Promise<void>;
}
