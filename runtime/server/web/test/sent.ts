// What the page sent, in a form that compares well.
export type Sent = { type: string; [field: string]: unknown } | { bytes: number; text: string };

export function decodeClient(data: string | Uint8Array): Sent {
  if (typeof data === "string") return JSON.parse(data) as Sent;
  return { bytes: data.length, text: new TextDecoder().decode(data) };
}
