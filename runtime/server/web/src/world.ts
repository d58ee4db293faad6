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

export interface World {
  now(): number;
  /** Returns a function that cancels. */
  after(ms: number, run: () => void): () => void;
  random(): number;
  /** Whether somebody may be looking at this very terminal. */
  visible(): boolean;
  connect(handlers: SocketHandlers): Socket;
  /** Whether the server still knows this browser. A refused WebSocket does not say why, so the page asks. */
  signedIn(): Promise<"yes" | "no" | "unreachable">;
  /** POST /api/destroy. Rejects with an Error whose message is a sentence for people. */
  destroy(): Promise<void>;
}
