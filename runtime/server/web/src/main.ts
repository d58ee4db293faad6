// Wires the page: the session decides, the page shows, the screen is the terminal. Read session.ts first.
import { browserWorld } from "./browser.ts";
import { login, loginCode } from "./login.ts";
import { Page } from "./page.ts";
import { newClientID } from "./protocol.ts";
import { Screen } from "./screen.ts";
import { Session } from "./session.ts";
import type { View } from "./state.ts";

const terminal = document.getElementById("terminal") as HTMLElement;
const world = browserWorld();

const page = new Page({
  go: () => session.go(),
  reset: () => void session.reset(),
});

const screen: Screen = new Screen(terminal, {
  input: (bytes) => session.input(bytes),
  resized: () => session.resized(),
  pasteCleaned: (removed) => session.say(`${removed} escape character${removed === 1 ? " was" : "s were"} left out of what you pasted.`),
  leave: () => page.focusHeader(),
});

const session: Session = new Session(
  world,
  { size: () => screen.size(), attached: () => screen.reset(), output: (bytes) => screen.write(bytes) },
  newClientID((bytes) => crypto.getRandomValues(bytes)),
  "main",
  changed(),
);

/** Draws each change once, and puts the keyboard into the terminal when a shell begins. */
function changed(): (view: View) => void {
  let drawn = false;
  let attached = false;
  return (view) => {
    if (view.phase === "attached" && !attached && document.querySelector("dialog[open]") === null) screen.focus();
    attached = view.phase === "attached";
    if (drawn) return;
    drawn = true;
    queueMicrotask(() => {
      drawn = false;
      page.draw(session.view, world.now());
    });
  };
}

addEventListener("visibilitychange", () => {
  if (world.visible()) session.becameVisible();
});
addEventListener("online", () => session.cameOnline());
addEventListener("offline", () => session.wentOffline());
addEventListener("keydown", wake, { capture: true });
setInterval(() => page.tick(world.now()), 250);

/** "Press a key": any key that types something, unless it is for a button or a dialog. */
function wake(event: KeyboardEvent): void {
  if (!session.view.waiting || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key.length > 1 && event.key !== "Enter") return;
  const control = event.target instanceof Element ? event.target.closest("button, dialog, summary, a") : null;
  if (control !== null && control.id !== "go") return;
  event.preventDefault();
  event.stopPropagation();
  session.go();
}

// For tests: what a person sees, and nothing that changes it.
Object.defineProperty(window, "podlife", {
  value: Object.freeze({
    get state() {
      return session.view.phase;
    },
    get incarnation() {
      return session.view.incarnation;
    },
    get waiting() {
      return session.view.waiting;
    },
    get size() {
      return screen.size();
    },
    get screen() {
      return screen.text();
    },
  }),
});

async function start(): Promise<void> {
  const code = loginCode(location.hash);
  if (code !== null) {
    history.replaceState(null, "", location.pathname + location.search);
    const result = await login(code);
    if (result === "refused" && (await world.signedIn()) === "no") {
      session.signOut("That link was used before, or is too old.");
      return;
    }
  }
  session.start();
}

// A login link pasted into the address bar of an open page changes only the fragment.
addEventListener("hashchange", () => {
  if (loginCode(location.hash) !== null) void start();
});

void start();
