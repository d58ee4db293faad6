// The list "Your pods" in words. Pure; podlist.ts draws it.
import type { PodInfo } from "./api.ts";
import { plain } from "./plain.ts";
import { DEFAULT, pageOf } from "./which.ts";

export interface PodLine {
  name: string;
  /** The pod of this page. */
  current: boolean;
  /** Its page; null for this one. */
  href: string | null;
  /** Class and state. */
  text: string;
  /** What is wrong with it; "" for nothing. */
  trouble: string;
}

/** One line for each pod, in the server's order; none where there is only the default one. */
export function podLines(pods: readonly PodInfo[], current: string): PodLine[] {
  if (pods.every((pod) => pod.name === DEFAULT)) return [];
  return pods.flatMap((pod) => {
    const href = pageOf(pod.name);
    if (href === null) return []; // no server of ours has such a name, and nothing else becomes an address
    const here = pod.name === current;
    return [{ name: pod.name, current: here, href: here ? null : href, text: [pod.podClass, stateWord(pod)].filter((part) => part !== "").map(plain).join(", "), trouble: plain(pod.trouble) }];
  });
}

function stateWord({ life, state }: PodInfo): string {
  if (life === "making") return "being made";
  if (life === "going") return "being deleted";
  return state;
}
