// Small parts of the page, each with its claim: what is typed, what is remembered, what is lit.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PodAPI, type PodEvent, type PodStatus } from "../src/api.ts";
import { arrow, isAnswer, pasteRisk, withControl } from "../src/input.ts";
import { eventLine, keepNewest, leaseChoices, leaseNotice, leaseText, lifecycleText, litState } from "../src/lifecycle.ts";
import { webAddress } from "../src/links.ts";
import { clampFont, defaults, lookOf, nextTheme, parsePrefs } from "../src/prefs.ts";
import { initial, type View } from "../src/state.ts";
import { found, themes } from "../src/theme.ts";
import { answered } from "./answered.ts";
import { idleWarning, isRecorded, pasteQuestion, status } from "../src/words.ts";

const view = (change: Partial<View>): View => ({ ...initial, podClass: "ephemeral", ...change });
const api = new PodAPI("default");

test("what a terminal answers by itself is known, and what people type is not taken for it", () => {
  for (const answer of ["\u001b[?1;2c", "\u001b[>0;276;0c", "\u001b[0n", "\u001b[12;40R", "\u001b[?12;40R", "\u001b[?2004;1$y", "\u001b[8;24;80t", "\u001b[I", "\u001b[O", "\u001b]10;rgb:d9d9/e2e2/dddd\u001b\\", "\u001bP1$r0m\u001b\\", "\u001b[?1;2c\u001b[0n"]) {
    assert.equal(isAnswer(answer), true, JSON.stringify(answer));
  }
  for (const typed of ["a", "1;2c", "\u001b", "\u001b[A", "\u001bOA", "\u001b[1;5C", "\u001b[3~", "\u001b[200~x\u001b[201~", "\u001b[Z", "\u001bb", "\u0003", "c", "\u001b[<0;3;4M"]) {
    assert.equal(isAnswer(typed), false, JSON.stringify(typed));
  }
});

test("a paste is asked about where it would run at once", () => {
  assert.equal(pasteRisk("one line", false), null);
  assert.equal(pasteRisk("one line\n", false), null);
  assert.equal(pasteRisk("two\nlines\n", true), null);
  assert.deepEqual(pasteRisk("two\nlines\n", false), { lines: 2, tooLong: false });
  assert.deepEqual(pasteRisk("a\r\nb\rc", false), { lines: 3, tooLong: false });
  assert.deepEqual(pasteRisk("x".repeat(4095), false), null);
  assert.deepEqual(pasteRisk("x".repeat(4096), false), { lines: 1, tooLong: true });
  assert.deepEqual(pasteRisk("ü".repeat(2048), false), { lines: 1, tooLong: true });
  assert.match(pasteQuestion({ lines: 3, tooLong: true }), /3 lines.*4,096 bytes/);
});

test("the keys of a phone are the terminal's, in either cursor mode", () => {
  assert.deepEqual([arrow("A", false, false), arrow("A", true, false), arrow("D", true, true)], ["\u001b[A", "\u001bOA", "\u001b[1;5D"]);
  assert.deepEqual(["c", "C", "[", " ", "?", "_", "1", "ab", "é"].map(withControl), ["\u0003", "\u0003", "\u001b", "\u0000", "\u007f", "\u001f", null, null, null]);
});

test("only http and https are links", () => {
  assert.equal(webAddress("https://example.org/a?b#c"), "https://example.org/a?b#c");
  assert.equal(webAddress("http://user@host:81/"), "http://user@host:81/");
  for (const bad of ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "mailto:a@b", "vbscript:x", "//host", "", "ssh://host"]) assert.equal(webAddress(bad), null, bad);
});

test("what is remembered of the look is checked when it is read", () => {
  assert.deepEqual(parsePrefs('{"fontSize":18,"theme":"dark","reader":true}'), { fontSize: 18, theme: "dark", reader: true });
  for (const odd of [null, "{", "null", "7", '{"fontSize":"18","theme":"pink","reader":1}']) assert.deepEqual(parsePrefs(odd), defaults, String(odd));
  assert.equal(parsePrefs('{"fontSize":1000}').fontSize, 32);
  assert.deepEqual([clampFont(1), clampFont(14.4)], [8, 14]);
});

test("the look follows the system until somebody chooses", () => {
  assert.deepEqual(lookOf(defaults, { dark: true, narrow: true }), { fontSize: 12, theme: "dark", reader: false });
  assert.deepEqual(lookOf({ fontSize: 20, theme: "light", reader: true }, { dark: true, narrow: true }), { fontSize: 20, theme: "light", reader: true });
  assert.deepEqual([nextTheme("system"), nextTheme("light"), nextTheme("dark")], ["light", "dark", "system"]);
});

test("both themes have every colour, and marks that the search can draw", () => {
  assert.deepEqual(Object.keys(themes.light), Object.keys(themes.dark));
  for (const colour of [...Object.values(themes.light), ...Object.values(themes.dark), ...Object.values(found.light), ...Object.values(found.dark)]) assert.match(String(colour), /^#[0-9a-f]{6}$/);
});

const pod = (change: Partial<PodStatus>): PodStatus => ({ podClass: "ephemeral", state: "asleep", incarnation: 1, recovering: false, since: "", sleepsAt: "", keptAwakeBy: [], lastError: "", leaseUntil: "", maxLeaseSeconds: 0, ...change });
const clock = (time: string) => `at ${time}`;

test("the lit state is what the tab was told, and what the server says where it was told nothing", () => {
  assert.equal(litState(view({ phase: "booting" }), pod({ state: "ready" })), "provisioning");
  assert.equal(litState(view({ phase: "destroyed" }), pod({ state: "ready" })), "asleep");
  assert.equal(litState(view({ phase: "failed" }), pod({ state: "asleep" })), "asleep");
  assert.equal(litState(view({ phase: "reconnecting" }), pod({ state: "fresh" })), "fresh");
  assert.equal(litState(view({ phase: "reconnecting" }), null), null);
  assert.equal(litState(view({ phase: "connecting" }), pod({ state: "of a later version" })), null);
});

test("the picture's words say why it is awake and when it sleeps, and not what is not so any more", () => {
  assert.equal(
    lifecycleText(view({ phase: "attached" }), pod({ state: "ready", keptAwakeBy: ["1 terminal"], sleepsAt: "10:30" }), clock),
    "The container is set up, and its shells can be used. Kept awake by 1 terminal. Sleeps at at 10:30 unless somebody comes.",
  );
  assert.doesNotMatch(lifecycleText(view({ phase: "booting" }), pod({ state: "ready", keptAwakeBy: ["1 terminal"] }), clock), /Kept awake/);
  assert.match(lifecycleText(view({ phase: "failed" }), pod({ lastError: "step <clone>\u001b[31m" }), clock), /The last boot failed: step <clone>$/);
  assert.match(lifecycleText(view({ phase: "reconnecting" }), null, clock), /not known/);
});

test("a lease is told in words of its own, also while the pod sleeps, and not twice", () => {
  const leased = pod({ state: "ready", keptAwakeBy: ["terminal", "lease"], leaseUntil: "18:00" });
  assert.equal(leaseText(view({ phase: "attached" }), leased, clock), "Kept awake until at 18:00 by its lease.");
  assert.match(lifecycleText(view({ phase: "attached" }), leased, clock), /Kept awake by terminal\.$/);
  assert.doesNotMatch(lifecycleText(view({ phase: "attached" }), { ...leased, keptAwakeBy: ["lease"] }, clock), /Kept awake/);
  assert.equal(leaseText(view({ phase: "destroyed" }), leased, clock), "Once it wakes, it is kept awake until at 18:00 by its lease.");
  assert.deepEqual([leaseText(view({ phase: "attached" }), pod({ state: "ready" }), clock), leaseText(view({}), null, clock)], ["", ""]);
});

test("only leases that the server gives are offered", () => {
  const offered = (maxLeaseSeconds: number) => leaseChoices([1, 4, 8], pod({ maxLeaseSeconds })).join();
  assert.deepEqual([86_400, 28_800, 28_799, 14_400, 3_600, 3_599, 0].map(offered), ["1,4,8", "1,4,8", "1,4", "1,4", "1", "", ""]);
  assert.deepEqual(leaseChoices([1, 4, 8], null), []);
});

test("a lease that lasts longer than what was asked for says so", () => {
  assert.equal(leaseNotice({ until: "18:00", longer: true }, clock), "The lease already lasts until at 18:00: it never gets shorter.");
  assert.equal(leaseNotice({ until: "18:00", longer: false }, clock), "");
});

test("a lease is asked for in hours, and a refusal is the server's sentence", async () => {
  const asked = await answered(Response.json({ lease_until: "2024-05-06T18:00:00Z", longer: true }), async () => {
    assert.deepEqual(await api.extend(8), { until: "2024-05-06T18:00:00Z", longer: true });
  });
  assert.deepEqual(asked, ['POST /api/extend {"for":"8h"}']);
  const refusal = Response.json({ detail: "at most 1h" }, { status: 400, headers: { "Content-Type": "application/problem+json" } });
  await answered(refusal, () => assert.rejects(api.extend(8), { message: "The pod is not kept awake: at most 1h" }));
  await answered(new TypeError("no network"), () => assert.rejects(api.extend(8), /could not be reached/));
  await answered(new Response("{"), () => assert.rejects(api.extend(8), /cut off/));
});

test("the status of a server without leases has none", async () => {
  await answered(Response.json({ state: "ready", lease_until: null }), async () => {
    const status = await api.status();
    assert.deepEqual([status?.leaseUntil, status?.maxLeaseSeconds], ["", 0]);
  });
  await answered(Response.json({ state: "ready", lease_until: "18:00", max_lease_seconds: 60 }), async () => {
    const status = await api.status();
    assert.deepEqual([status?.leaseUntil, status?.maxLeaseSeconds], ["18:00", 60]);
  });
});

test("events are told in words, with the specification's name beside them, and unknown ones as they are", () => {
  const event: PodEvent = { seq: 3, time: "10:00", action: "FinishBoot", incarnation: 2, cause: "boot" };
  assert.deepEqual(eventLine(event, clock), { time: "at 10:00", text: "boot done", detail: "FinishBoot #2, boot" });
  assert.equal(eventLine({ ...event, action: "Nova\u202e" }, clock).text, "Nova\ufffd");
});

test("the newest events are kept once each, and a server that was started again begins anew", () => {
  const event = (seq: number): PodEvent => ({ seq, time: "", action: "Sleep", incarnation: 1, cause: "" });
  const known = keepNewest([], { events: [event(1), event(2), event(3)], newest: 3 }, 2);
  assert.deepEqual(known.map(({ seq }) => seq), [2, 3]);
  assert.deepEqual(keepNewest(known, { events: [event(3), event(4)], newest: 4 }, 9).map(({ seq }) => seq), [2, 3, 4]);
  assert.deepEqual(keepNewest(known, { events: [], newest: 1 }, 2), []);
});

test("the warning before a sleep counts down beside words that do not change", () => {
  const warned = view({ phase: "attached", idle: { at: 60_000, why: "nobody typed" } });
  assert.equal(idleWarning(warned, 0)?.text, idleWarning(warned, 30_500)?.text);
  assert.match(idleWarning(warned, 0)?.text ?? "", /\(nobody typed\).*Any key/);
  assert.deepEqual([idleWarning(warned, 0)?.detail, idleWarning(warned, 29_500)?.detail, idleWarning(warned, 90_000)?.detail], ["1 min 00 s", "31 s", "0 s"]);
  assert.equal(idleWarning(view({}), 0), null);
});

test("a session that is recorded says so in words as long as it is shown", () => {
  const words = (change: Partial<View>) => status(view({ phase: "attached", recorded: true, ...change }), 0).text;
  assert.deepEqual([words({}), words({ readOnly: true }), words({ recorded: false })], ["Connected, recorded", "Connected, looking on, recorded", "Connected"]);
  assert.doesNotMatch(words({ phase: "reconnecting" }), /recorded/);
  assert.deepEqual([isRecorded(view({ phase: "attached", recorded: true })), isRecorded(view({ phase: "exited", recorded: true }))], [true, false]);
});

test("a terminal that another window sizes says so", () => {
  const shared = view({ phase: "attached", viewers: 2, size: { cols: 80, rows: 24 }, window: { cols: 120, rows: 40 } });
  assert.equal(status(shared, 0).detail, "shown in 2 windows, 80 × 24, as in the window that typed last");
  assert.equal(status(view({ phase: "exited", exitCode: 137, exitSignal: "9" }), 0).text, "The shell ended (signal 9)");
});
