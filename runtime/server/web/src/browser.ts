// The real World: this browser's clock and sockets. api.ts has the HTTP.
import type { PodAPI } from "./api.ts";
import { SUBPROTOCOL } from "./protocol.ts";
import { socketPath } from "./which.ts";
import type { Socket, SocketHandlers, World } from "./world.ts";

/** @param pod is the one whose terminals its sockets are for, and `api` its calls */
export function browserWorld(pod: string, api: PodAPI): World {
  return {
    now: () => performance.now(),
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    random: () => Math.random(),
    visible: () => document.visibilityState === "visible",
    connect: (handlers) => connect(socketPath(pod), handlers),
    standing: () => api.standing(),
    destroy: (failed) => api.destroy(failed),
  };
}

function connect(path: string, handlers: SocketHandlers): Socket {
  const url = new URL(path, location.href);
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
