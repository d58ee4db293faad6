// The keys that are for the page and not for the program in the terminal. Heard before xterm.js hears them (capture).
import type { Screen } from "./screen.ts";
import type { Session } from "./session.ts";

export interface ShortcutHooks {
  session(): Session | null;
  screen(): Screen | null;
  search(): void;
  copy(screen: Screen): void;
  /** Out of the terminal by keyboard. */
  leave(): void;
}

export function addShortcuts(hooks: ShortcutHooks): void {
  addEventListener(
    "keydown",
    (event) => {
      const session = hooks.session();
      if (session === null || document.querySelector("dialog[open]") !== null) return;
      session.stay();
      if (event.ctrlKey && event.key === "F6") take(event, () => hooks.leave());
      else if (event.ctrlKey && event.shiftKey && !event.altKey && !event.metaKey) chord(event, hooks);
      else if (session.view.waiting && wakes(event)) take(event, () => session.go());
    },
    { capture: true },
  );
}

function chord(event: KeyboardEvent, hooks: ShortcutHooks): void {
  const screen = hooks.screen();
  // By the place of the key too: where the alphabet is another one, the letter is not F.
  const key = event.key.length === 1 && /[a-z]/i.test(event.key) ? event.key.toLowerCase() : event.code.replace("Key", "").toLowerCase();
  if (key === "f") take(event, () => hooks.search());
  else if (screen === null || !(event.target instanceof Node) || !screen.host.contains(event.target)) return;
  else if (key === "c") take(event, () => hooks.copy(screen));
  else if (key === "v") event.stopPropagation(); // the browser pastes, and the terminal sees no key
}

function take(event: KeyboardEvent, run: () => void): void {
  event.preventDefault();
  event.stopPropagation();
  run();
}

/** "Press a key": any key that types something, unless it is for a button or a field. */
function wakes(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.altKey || event.metaKey || (event.key.length > 1 && event.key !== "Enter")) return false;
  const control = event.target instanceof Element ? event.target.closest("button, input:not(.xterm-helper-textarea), summary, a") : null;
  return control === null || control.id === "go";
}
