// A server whose answer to every call the test decides.

/** Answers every request of the page with this, and gives those that were made. */
export async function answered(response: Response | Error, run: () => Promise<void>): Promise<string[]> {
  const { fetch } = globalThis;
  const asked: string[] = [];
  globalThis.fetch = async (to, init) => {
    asked.push(`${init?.method ?? "GET"} ${String(to)} ${String(init?.body ?? "")}`.trim());
    if (response instanceof Error) throw response;
    return response.clone();
  };
  try {
    await run();
  } finally {
    globalThis.fetch = fetch;
  }
  return asked;
}
