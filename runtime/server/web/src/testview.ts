// window.podlife, for tests: what a person sees, and nothing that changes it.
import type { Screen } from "./screen.ts";
import type { Session } from "./session.ts";
import type { TabSet } from "./tabset.ts";

export function showForTests(session: () => Session | null, screen: () => Screen | null, set: TabSet): void {
  Object.defineProperty(window, "podlife", {
    value: Object.freeze({
      get state() {
        return session()?.view.phase;
      },
      get incarnation() {
        return session()?.view.incarnation;
      },
      get waiting() {
        return session()?.view.waiting;
      },
      /** What fits into the window. */
      get size() {
        return screen()?.size();
      },
      /** What the terminal has: the session's size. */
      get shown() {
        const terminal = screen()?.terminal;
        return terminal && { cols: terminal.cols, rows: terminal.rows };
      },
      get screen() {
        return screen()?.text() ?? "";
      },
      get selection() {
        return screen()?.terminal.getSelection() ?? "";
      },
      get tabs() {
        return set.names;
      },
      get tab() {
        return set.active?.name;
      },
    }),
  });
}
