// The login link: #login=CODE. A fragment never leaves the browser, so the code is in no log and in no Referer; it works once.

/** Takes the code out of a location's fragment; null when there is none. */
export function loginCode(hash: string): string | null {
  const code = new URLSearchParams(hash.replace(/^#/, "")).get("login");
  return code === null || code === "" ? null : code;
}

export type LoginResult = "ok" | "refused" | "unreachable";

/** Exchanges the code for a session cookie. */
export async function login(code: string): Promise<LoginResult> {
  try {
    const response = await fetch("/api/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ code }),
      credentials: "same-origin",
      cache: "no-store",
    });
    if (response.ok) return "ok";
    return response.status >= 500 ? "unreachable" : "refused";
  } catch {
    return "unreachable";
  }
}
