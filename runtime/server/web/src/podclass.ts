// What a pod keeps when its container goes, by its class, and every sentence that depends on it. Pure. What is said of a pod whose class is not known yet is true of either.

/** An ephemeral pod's disk is wiped at each sleep; a workspace keeps its home. */
export type PodClass = "ephemeral" | "workspace";

/** The class that the server said: a server that says none has ephemeral pods only; null for one of a later version. */
export function classOf(said: unknown): PodClass | null {
  if (said === undefined || said === null || said === "") return "ephemeral";
  return said === "ephemeral" || said === "workspace" ? said : null;
}

export interface ClassWords {
  /** The status line of a pod whose container is gone: by the state's name and, before that, by the server's reason. */
  gone: Readonly<Record<"asleep" | "destroyed", string>> & Readonly<Record<string, string>>;
  /** Whether the server's own sentence about it comes first: it speaks of pods whose disk goes. */
  serversSentence: boolean;
  /** Before the seconds until the page boots it, and where it waits for somebody. */
  bootsIn: string;
  waits: string;
  /** The card over the terminal. */
  asleepTitle: string;
  destroyedTitle: string;
  cardWaits: string;
  cardText: string;
  goWaiting: string;
  goNow: string;
  /** After "The pod is about to sleep". */
  sleepTakes: string;
  /** What being asleep means. */
  asleepMeans: string;
  /** On the way from ready to asleep in the picture. */
  leaves: string;
  /** The button that removes the container, while it does so, and what went wrong if it did not. */
  reset: string;
  resetting: string;
  resetMeans: string;
  notReset: string;
}

const ephemeral: ClassWords = {
  gone: { asleep: "The pod is asleep: its container and disk are gone", destroyed: "The pod was reset: its container and disk are gone" },
  serversSentence: true,
  bootsIn: "a new one boots in",
  waits: "press a key to boot a new one",
  asleepTitle: "The pod is asleep",
  destroyedTitle: "The pod is gone",
  cardWaits: "Press a key to boot a new one.",
  cardText: "Its disk went with it. A new pod is set up from scratch; what you pushed is safe.",
  goWaiting: "Boot a new one",
  goNow: "Boot it now",
  sleepTakes: ", and its disk goes with it",
  asleepMeans: "There is no container and no disk. A boot makes a new one.",
  leaves: "sleep, reset, failure",
  reset: "Reset pod",
  resetting: "Resetting",
  resetMeans: "Remove the container and its disk, and boot a new one",
  notReset: "The pod was not reset",
};

const workspace: ClassWords = {
  gone: {
    asleep: "The pod is asleep: what is in its home stays",
    destroyed: "The pod was stopped: what is in its home stays",
    idle: "The pod went to sleep because it was idle: what is in its home stays",
    lost: "The container ended by itself: what is in the pod's home stays",
    boot_lost: "The pod was stopped while it booted: what is in its home stays",
  },
  serversSentence: false,
  bootsIn: "it starts again in",
  waits: "press a key to start it",
  asleepTitle: "The pod is asleep",
  destroyedTitle: "The pod was stopped",
  cardWaits: "Press a key to start it.",
  cardText: "What is in its home stays. What was installed outside of it, and running programs, are gone; the boot script sets up a new container.",
  goWaiting: "Start it",
  goNow: "Start it now",
  sleepTakes: ": what is in its home stays; what was installed outside of it, and running programs, go",
  asleepMeans: "There is no container; what is in the pod's home is kept. A start makes a new container around it, and the boot script sets that up.",
  leaves: "sleep, restart, failure",
  reset: "Restart",
  resetting: "Restarting",
  resetMeans: "Remove the container, and start a new one with the same home",
  notReset: "The pod was not restarted",
};

const unknown: ClassWords = {
  gone: { asleep: "The pod is asleep: its container is gone", destroyed: "The pod was stopped: its container is gone" },
  serversSentence: false,
  bootsIn: "it boots again in",
  waits: "press a key to boot it",
  asleepTitle: "The pod is asleep",
  destroyedTitle: "The pod was stopped",
  cardWaits: "Press a key to boot it.",
  cardText: "Its container went, with what was installed in it and the programs that ran.",
  goWaiting: "Boot it",
  goNow: "Boot it now",
  sleepTakes: ", and its container goes with it",
  asleepMeans: "There is no container. A boot makes a new one.",
  leaves: "sleep, reset, failure",
  reset: "Reset pod",
  resetting: "Resetting",
  resetMeans: "Remove the container, and boot a new one",
  notReset: "The pod was not reset",
};

/** @param podClass null: not known */
export function classWords(podClass: PodClass | null): ClassWords {
  return podClass === null ? unknown : { ephemeral, workspace }[podClass];
}

export interface ResetQuestion {
  title: string;
  text: string;
  yes: string;
  no: string;
  /** Something is lost that nothing brings back. */
  danger: boolean;
}

/** What to know before the container is removed and the pod boots again. */
export function resetQuestion(podClass: PodClass, incarnation: number): ResetQuestion {
  const which = incarnation > 0 ? ` (incarnation ${incarnation})` : "";
  if (podClass === "workspace") {
    return {
      title: "Restart the pod?",
      text: `What is in its home stays. The container${which} is removed: running programs end, and what was installed or written outside of the home is gone. A new container starts right after it, with the same home, and the boot script sets it up.`,
      yes: "Restart",
      no: "Cancel",
      danger: false,
    };
  }
  return {
    title: "Reset the pod?",
    text: `The container${which} is removed, and its whole disk with it: running programs, installed packages, files, and every commit that was not pushed. There is no way back. A new pod boots right after it and is set up from scratch.`,
    yes: "Reset, lose all that",
    no: "Keep it",
    danger: true,
  };
}
