// What the card over the terminal says in each phase. Pure; page.ts draws it.
import type { Phase, View } from "./state.ts";
import { failedText, failedTitle } from "./words.ts";

export interface Card {
  title: string;
  text?: string;
  go?: string;
  steps?: boolean;
  tail?: boolean;
}

export function bootCard(view: View): Card {
  return { title: `How incarnation ${view.incarnation} was booted`, steps: true, go: "Back to the terminal" };
}

/** null: nothing is over the terminal. */
export function cardFor(view: View): Card | null {
  const cards: Record<Phase, () => Card | null> = {
    connecting: () => ({ title: "Connecting" }),
    booting: () => ({ title: view.incarnation > 0 ? `Booting incarnation ${view.incarnation}` : "Booting", text: "Your shell opens when every step is done.", steps: true }),
    ready: () => ({ title: "Opening your shell", steps: true }),
    attached: () => null,
    reconnecting: () => (view.hadShell ? null : { title: "The server does not answer", text: "This page keeps trying.", go: "Try now" }),
    asleep: () => lostCard(view, "The pod is asleep"),
    destroyed: () => lostCard(view, "The pod is gone"),
    failed: () => ({ title: failedTitle(view), text: failedText(view), go: "Try again", steps: true, tail: true }),
    exited: () => ({ title: exitTitle(view), go: "New shell" }),
    closed: () => ({ title: "This tab was closed", text: "The programs in it ended.", go: "New shell" }),
    signed_out: () => ({
      title: "You need a login link",
      text: `${view.message} A link works once. “podlife login-link” prints a fresh one on the machine where the server runs; whoever runs it for you can send it. Open it in this browser and your terminal is here.`.trim(),
    }),
    stopped: () => ({ title: "This page stopped", text: view.message, go: "Connect again" }),
  };
  return cards[view.phase]();
}

function lostCard(view: View, title: string): Card {
  const text = "Its disk went with it. A new pod is set up from scratch; what you pushed is safe.";
  return view.waiting ? { title, text: `Press a key to boot a new one. ${text}`, go: "Boot a new one" } : { title, text, go: "Boot it now" };
}

function exitTitle(view: View): string {
  if (view.exitSignal !== "") return `The shell was ended by signal ${view.exitSignal}`;
  return `The shell ended${view.exitCode === null ? "" : ` with exit code ${view.exitCode}`}`;
}
