// What the card over the terminal says in each phase. Pure; page.ts draws it.
import { classWords } from "./podclass.ts";
import type { Phase, View } from "./state.ts";
import { DEFAULT } from "./which.ts";
import { failedText, failedTitle } from "./words.ts";

export interface Card {
  title: string;
  text?: string;
  go?: string;
  /** Leads to the default pod. */
  leave?: string;
  steps?: boolean;
  tail?: boolean;
}

export function bootCard(view: View): Card {
  return { title: `How incarnation ${view.incarnation} was booted`, steps: true, go: "Back to the terminal" };
}

/** null: nothing is over the terminal. `pod` is the one that the page is of. */
export function cardFor(view: View, pod: string): Card | null {
  const cards: Record<Phase, () => Card | null> = {
    connecting: () => ({ title: "Connecting" }),
    booting: () => ({ title: view.incarnation > 0 ? `Booting incarnation ${view.incarnation}` : "Booting", text: "Your shell opens when every step is done.", steps: true }),
    ready: () => ({ title: "Opening your shell", steps: true }),
    attached: () => null,
    reconnecting: () => (view.hadShell ? null : { title: "The server does not answer", text: "This page keeps trying.", go: "Try now" }),
    asleep: () => lostCard(view, classWords(view.podClass).asleepTitle),
    destroyed: () => lostCard(view, classWords(view.podClass).destroyedTitle),
    failed: () => ({ title: failedTitle(view), text: failedText(view), go: "Try again", steps: true, tail: true }),
    exited: () => ({ title: exitTitle(view), go: "New shell" }),
    closed: () => ({ title: "This tab was closed", text: "The programs in it ended.", go: "New shell" }),
    signed_out: () => ({
      title: "You need a login link",
      text: `${view.message} A link works once. “podlife login-link” prints a fresh one on the machine where the server runs; whoever runs it for you can send it. Open it in this browser${pod === DEFAULT ? " and your terminal is here" : ", and then this page once more"}.`.trim(),
    }),
    no_pod: () => ({ title: `You have no pod “${pod}”`, text: "It was deleted, or there never was one of this name. This page does not look again by itself.", go: "Look again", leave: "Go to your default pod" }),
    stopped: () => ({ title: "This page stopped", text: view.message, go: "Connect again" }),
  };
  return cards[view.phase]();
}

function lostCard(view: View, title: string): Card {
  const words = classWords(view.podClass);
  return view.waiting ? { title, text: `${words.cardWaits} ${words.cardText}`, go: words.goWaiting } : { title, text: words.cardText, go: words.goNow };
}

function exitTitle(view: View): string {
  if (view.exitSignal !== "") return `The shell was ended by signal ${view.exitSignal}`;
  return `The shell ended${view.exitCode === null ? "" : ` with exit code ${view.exitCode}`}`;
}
