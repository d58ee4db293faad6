// Delays, words, pastes and hostile logs: small functions, each with its claim.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cleanPaste, latin1, pieces } from "../src/input.ts";
import { bootDelay, crowdedDelay, reconnectDelay } from "../src/jitter.ts";
import { loginCode } from "../src/login.ts";
import { appendBounded, plain } from "../src/plain.ts";
import { initial, type View } from "../src/state.ts";
import { duration, failedText, failedTitle, status } from "../src/words.ts";

test("reconnect delays fill the whole range from 0.25 s to 15 s, never more", () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6, 50, 5000].map((attempt) => reconnectDelay(attempt, 0)), Array(9).fill(250));
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6, 50, 5000].map((attempt) => reconnectDelay(attempt, 0.9999999)), [500, 1000, 2000, 4000, 8000, 15000, 15000, 15000, 15000]);
  assert.equal(reconnectDelay(5, 0.5), 7625);
  assert.deepEqual([bootDelay(0), bootDelay(0.9999999), crowdedDelay(0), crowdedDelay(0.9999999)], [750, 2250, 10000, 30000]);
});

test("ESC cannot end a bracketed paste early", () => {
  assert.deepEqual(cleanPaste("ls\u001b[201~\nrm -rf ~\n"), { text: "ls[201~\nrm -rf ~\n", removed: 1 });
  assert.deepEqual(cleanPaste("\u009b201~x"), { text: "201~x", removed: 1 });
  assert.deepEqual(cleanPaste("héllo\t世界\n"), { text: "héllo\t世界\n", removed: 0 });
});

test("pieces lose nothing and keep the order", () => {
  const bytes = Uint8Array.from({ length: 16384 * 2 + 5 }, (_, i) => i % 251);
  const parts = pieces(bytes);
  assert.deepEqual(parts.map((part) => part.length), [16384, 16384, 5]);
  assert.deepEqual(Buffer.concat(parts), Buffer.from(bytes));
  assert.deepEqual(pieces(new Uint8Array(0)), []);
});

test("old mouse reports are bytes, not UTF-8", () => {
  assert.deepEqual([...latin1("\u001b[M\u00ff")], [0x1b, 0x5b, 0x4d, 0xff]);
});

test("a log is text: colours go, controls become visible, nothing can reorder it", () => {
  assert.equal(plain("\u001b[1;32mok\u001b[0m\r\n50%\r100%\n"), "ok\n50%\n100%\n");
  assert.equal(plain("a\u0007b\u001b]0;title\u0007\u007f"), "a␇b␛]0;title␇␡");
  assert.equal(plain("safe\u202etxt.exe\u2066"), "safe\ufffdtxt.exe\ufffd");
  assert.equal(plain("<img src=x onerror=alert(1)>\t世界"), "<img src=x onerror=alert(1)>\t世界");
});

test("a bounded log is cut at a line", () => {
  assert.deepEqual(appendBounded("one\ntwo\n", "three\n", 12), { log: "two\nthree\n", cut: true });
  assert.deepEqual(appendBounded("one\n", "two\n", 12), { log: "one\ntwo\n", cut: false });
});

test("the login code is read from the fragment only when it is there", () => {
  assert.equal(loginCode("#login=abc-123"), "abc-123");
  assert.equal(loginCode("#login="), null);
  assert.equal(loginCode(""), null);
  assert.equal(loginCode("#other=1"), null);
});

const view = (change: Partial<View>): View => ({ ...initial, podClass: "ephemeral", ...change });

test("the status line says in words what happens next", () => {
  const line = (change: Partial<View>, now = 0) => {
    const { text, detail } = status(view(change), now);
    return `${text} | ${detail}`;
  };
  assert.equal(line({ phase: "reconnecting", hadShell: true, nextAt: 2_400 }), "Reconnecting: your shell keeps running | next try in 3 s");
  assert.equal(line({ phase: "reconnecting", reason: "too_many_terminals", nextAt: 14_000 }), "Too many terminals are open: close one of them | next try in 14 s");
  assert.equal(line({ phase: "destroyed", nextAt: 1_500 }, 600), "The pod was reset: its container and disk are gone | a new one boots in 1 s");
  assert.equal(line({ phase: "asleep", waiting: true }), "The pod is asleep: its container and disk are gone | press a key to boot a new one");
  assert.equal(line({ phase: "exited", exitCode: 3 }), "The shell ended (exit code 3) | the pod is still there");
  assert.equal(
    line({ phase: "booting", bootStartedAt: 0, steps: [{ name: "clone", status: "started", detail: "", startedAt: 0, endedAt: null }] }, 4_200),
    "Booting: clone | 4.2 s",
  );
});

test("the part that screen readers announce does not count down", () => {
  const lost = view({ phase: "reconnecting", hadShell: true, nextAt: 9_000 });
  assert.equal(status(lost, 0).text, status(lost, 5_000).text);
  assert.notEqual(status(lost, 0).detail, status(lost, 5_000).detail);
});

test("a failed boot names its step and exit code", () => {
  assert.equal(failedTitle(view({ phase: "failed", reason: "boot_failed", failure: { step: "clone", exitCode: 128, logTail: "" } })), "The boot failed in step “clone” (exit code 128)");
  assert.equal(failedTitle(view({ phase: "failed", reason: "boot_failed", failure: { step: "timeout", exitCode: 0, logTail: "" } })), "The boot failed in step “timeout”");
  assert.match(failedTitle(view({ phase: "failed", reason: "engine_unavailable", failure: { step: "", exitCode: null, logTail: "" } })), /engine cannot be reached/);
});

test("what failed is not called the boot where it was something else", () => {
  const protocol = readFileSync("../../../docs/protocol.md", "utf8");
  const table = protocol.split("`failed` carries")[1]?.split("\n\n")[1] ?? "";
  const reasons = [...table.matchAll(/^\| `(\w+)`/gm)].map((row) => row[1] ?? "");
  assert.ok(reasons.includes("boot_failed") && reasons.includes("marker_missing") && reasons.length >= 10, `docs/protocol.md lists ${reasons.join(", ")}`);
  const titles = reasons.map((reason) => failedTitle(view({ phase: "failed", reason, failure: { step: "", exitCode: null, logTail: "" } })));
  assert.equal(new Set(titles).size, reasons.length, titles.join("\n"));
  assert.deepEqual(reasons.filter((_, i) => titles[i] === "The boot failed"), ["boot_failed"]);
  assert.equal(failedTitle(view({ phase: "failed", reason: "of_a_later_version" })), "The terminal could not be opened");
  assert.ok(!titles.includes("The terminal could not be opened"), "each reason of the document has its own title");
});

test("a failed boot's sentence is shown where the title does not say it", () => {
  const failed = (exitCode: number) => view({ phase: "failed", message: "no space left", failure: { step: "start", exitCode, logTail: "" } });
  assert.deepEqual([failedText(failed(0)), failedText(failed(7))], ["no space left", ""]);
});

test("durations read well", () => {
  assert.deepEqual([0, 440, 59_900, 60_000, 125_400].map(duration), ["0.0 s", "0.4 s", "59.9 s", "1 min 00 s", "2 min 05 s"]);
});
