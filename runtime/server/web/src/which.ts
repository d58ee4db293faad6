// Which pod the page is of, and where that pod is: its paths on the server and its place in this browser's memory. Pure.

/** The pod that every user has. It is at the short paths, which were there before pods had names. */
export const DEFAULT = "default";

const NAME = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** The pod of the page at this path. The server serves no page at a path that names none. */
export function podOf(path: string): string {
  const name = /^\/pods\/([^/]+)$/.exec(path)?.[1];
  return name !== undefined && NAME.test(name) ? name : DEFAULT;
}

/** The path of a pod's page; null for what is no name of a pod. */
export function pageOf(pod: string): string | null {
  if (pod === DEFAULT) return "/";
  return NAME.test(pod) ? `/pods/${pod}` : null;
}

/** The path of a call that is about a pod, such as `status` or `tabs/main`. What is `destroy` of the default pod is `stop` of a named one. */
export function apiPath(pod: string, call: string): string {
  if (pod === DEFAULT) return `/api/${call}`;
  return `/api/pods/${pod}/${call === "destroy" ? "stop" : call}`;
}

/** The path of a pod's socket for terminals. */
export function socketPath(pod: string): string {
  return pod === DEFAULT ? "/ws/terminal" : `/ws/pods/${pod}/terminal`;
}

/** The key under which the tabs of a pod's page are remembered: each pod has its own. */
export function tabsKey(pod: string): string {
  return pod === DEFAULT ? "podlife.tabs" : `podlife.tabs.${pod}`;
}
