// The real World: this browser's clock, sockets and HTTP.
import { SUBPROTOCOL } from "./protocol.ts";
import type { Socket, SocketHandlers, World } from "./session.ts";

export function browserWorld(): World {
  return {
    now: () => performance.now(),
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    random: () => Math.random(),
    visible: () => document.visibilityState === "visible",
    connect,
    signedIn,
    destroy,
  };
}

function connect(handlers: SocketHandlers): Socket {
  const url = new URL("/ws/terminal", location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(url, SUBPROTOCOL);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => handlers.open();
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (typeof data === "string") handlers.text(data);
    else handlers.bytes(new Uint8Array(data));
  };
  // An error is always followed by a close, which says more.
  socket.onclose = ({ code, reason }) => handlers.closed(code, reason, socket.bufferedAmount);
  return {
    send(data) {
      if (socket.readyState === WebSocket.OPEN) socket.send(data as string | Uint8Array<ArrayBuffer>);
    },
    close(code, reason) {
      socket.close(code, reason.slice(0, 100));
    },
  };
}

async function signedIn(): Promise<"yes" | "no" | "unreachable"> {
  try {
    const response = await fetch("/api/status", { credentials: "same-origin", cache: "no-store" });
    if (response.status === 401) return "no";
    return response.ok ? "yes" : "unreachable";
  } catch {
    return "unreachable";
  }
}

async function destroy(): Promise<void> {
  let response: Response;
  try {
    response = await fetch("/api/destroy", { method: "POST", credentials: "same-origin", cache: "no-store" });
  } catch {
    throw new Error("The server could not be reached, so the pod may still be there.");
  }
  if (response.ok) return;
  throw new Error(`The pod was not reset: ${await problem(response)}`);
}

/** The one sentence of an application/problem+json answer. */
async function problem(response: Response): Promise<string> {
  try {
    const { detail, title } = (await response.json()) as { detail?: unknown; title?: unknown };
    if (typeof detail === "string" && detail) return detail;
    if (typeof title === "string" && title) return title;
  } catch {
    // Not our server's answer; the number has to do.
  }
  return `the server answered ${response.status}.`;
}
