import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServerMessage } from "../src/protocol.ts";
import { initial, LOG_LIMIT, reduce, type View } from "../src/state.ts";

const state = (state: "booting" | "ready" | "asleep" | "destroyed", incarnation: number): ServerMessage => ({ type: "state", state, incarnation, reason: "", message: "", failure: null });
const step = (name: string, status: "started" | "done" | "skipped" | "failed", detail = ""): ServerMessage => ({ type: "step", step: name, status, detail });

const attachedTo = (incarnation: number): ServerMessage => ({ type: "attached", incarnation, tab: "main", epoch: "00000000000000a1", size: { cols: 80, rows: 24 }, readOnly: false, recorded: false });

function play(...events: [number, ServerMessage][]): View {
  return events.reduce((view, [at, message]) => reduce(view, { type: "message", message, at }), initial);
}

test("a boot is told step by step, with the time of each", () => {
  const view = play(
    [0, state("booting", 1)],
    [10, step("packages", "started")],
    [500, step("packages", "done", "tmux, git")],
    [500, step("clone", "skipped", "no repository is configured")],
    [510, step("hook", "started")],
  );
  assert.equal(view.phase, "booting");
  assert.deepEqual(view.steps, [
    { name: "packages", status: "done", detail: "tmux, git", startedAt: 10, endedAt: 500 },
    { name: "clone", status: "skipped", detail: "no repository is configured", startedAt: 500, endedAt: 500 },
    { name: "hook", status: "started", detail: "", startedAt: 510, endedAt: null },
  ]);
});

test("a session that is recorded is known by its attach, and the next one may not be", () => {
  const recorded: ServerMessage = { ...attachedTo(1), recorded: true } as ServerMessage;
  assert.equal(play([0, attachedTo(1)]).recorded, false);
  assert.equal(play([0, recorded]).recorded, true);
  assert.equal(play([0, recorded], [1, attachedTo(1)]).recorded, false);
});

test("a new boot starts with an empty list; the same boot said twice does not", () => {
  const boot: [number, ServerMessage][] = [
    [0, state("booting", 1)],
    [10, step("packages", "done")],
    [20, { type: "log", data: "Reading package lists\n" }],
  ];
  assert.equal(play(...boot, [30, state("booting", 1)]).steps.length, 1);
  const next = play(...boot, [30, state("booting", 2)]);
  assert.deepEqual([next.steps.length, next.log, next.bootStartedAt], [0, "", 30]);
  const again = play(...boot, [25, state("asleep", 1)], [30, state("booting", 1)]);
  assert.equal(again.steps.length, 0);
});

test("the boot's time ends with the first thing that is not booting", () => {
  const view = play([5, state("booting", 1)], [105, state("ready", 1)], [900, attachedTo(1)]);
  assert.deepEqual([view.bootStartedAt, view.bootEndedAt, view.phase], [5, 105, "attached"]);
});

test("a failed boot keeps step, exit code and log tail, and an attach forgets them", () => {
  const failed: ServerMessage = { type: "state", state: "failed", incarnation: 1, reason: "boot_failed", message: "", failure: { step: "clone", exitCode: 128, logTail: "fatal: \u001b[31mno\u001b[0m" } };
  const view = play([0, state("booting", 1)], [1, failed]);
  assert.deepEqual(view.failure, { step: "clone", exitCode: 128, logTail: "fatal: no" });
  assert.equal(reduce(view, { type: "message", message: attachedTo(2), at: 2 }).failure, null);
});

test("the log is bounded, and says that its beginning is gone", () => {
  let view = play([0, state("booting", 1)]);
  const line = "x".repeat(1023) + "\n";
  for (let i = 0; i < 400; i++) view = reduce(view, { type: "message", message: { type: "log", data: line }, at: 1 });
  assert.ok(view.log.length <= LOG_LIMIT && view.log.length > LOG_LIMIT - 2048, String(view.log.length));
  assert.equal(view.logCut, true);
  assert.ok(view.log.startsWith("xxx") && view.log.endsWith("\n"));
});

test("the incarnation never goes back to unknown", () => {
  assert.equal(play([0, state("booting", 4)], [1, state("destroyed", 0)]).incarnation, 4);
});

test("a lost connection does not change what the page waits for", () => {
  const asleep = play([0, state("asleep", 1)]);
  const lost = reduce(asleep, { type: "lost", reason: "connection_lost", message: "", nextAt: 5 });
  assert.equal(lost.phase, "asleep");
  const shell = play([0, attachedTo(1)]);
  assert.equal(reduce(shell, { type: "lost", reason: "connection_lost", message: "", nextAt: 5 }).phase, "reconnecting");
});

test("the old view is never changed in place", () => {
  const before = play([0, state("booting", 1)], [1, step("packages", "started")]);
  const copy = structuredClone(before);
  reduce(before, { type: "message", message: step("packages", "done"), at: 9 });
  assert.deepEqual(before, copy);
});

test("a warning before a sleep ends with the session, with the loss of the connection, and when it is taken back", () => {
  const warned = play([0, attachedTo(1)], [1000, { type: "idle", inSeconds: 60, why: "nobody typed" }]);
  assert.deepEqual(warned.idle, { at: 61_000, why: "nobody typed" });
  assert.equal(reduce(warned, { type: "message", message: { type: "idle", inSeconds: null, why: "" }, at: 2000 }).idle, null);
  assert.equal(reduce(warned, { type: "message", message: state("asleep", 1), at: 2000 }).idle, null);
  assert.equal(reduce(warned, { type: "lost", reason: "", message: "", nextAt: 1 }).idle, null);
});

test("the same notice said twice is two notices", () => {
  const once = reduce(initial, { type: "notice", message: "not sent" });
  const twice = reduce(once, { type: "notice", message: "not sent" });
  assert.notEqual(once.notices, twice.notices);
});

test("a closed tab has no size and no plan", () => {
  const closed = reduce(play([0, attachedTo(1)]), { type: "closed" });
  assert.deepEqual([closed.phase, closed.size, closed.nextAt, closed.waiting], ["closed", null, null, false]);
});
