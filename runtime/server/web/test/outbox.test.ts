// The input: in order, whole, and never silently lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMIT, Outbox } from "../src/outbox.ts";
import { attached, attachedMessage, bytes, FakeWorld, shell, type Bench } from "./fake.ts";

const text = (bench: Bench) =>
  bench.world.socket.sent
    .filter((sent): sent is { bytes: number; text: string } => "bytes" in sent)
    .map((sent) => sent.text)
    .join("");
const frames = (bench: Bench) => bench.world.socket.sent.filter((sent) => "bytes" in sent).length;

test("a paste of 1 MB arrives whole and in order at a program that reads 16 KiB at a time, with a key behind it", () => {
  const world = new FakeWorld();
  let got = "";
  let room = 0;
  let refused = 0;
  let sent = 0;
  const outbox: Outbox = new Outbox({
    after: (ms, run) => world.after(ms, run),
    send: (piece) => {
      const frame = ++sent;
      if (piece.length > room && piece.length >= 4096) {
        refused++;
        world.after(5, () => outbox.refused(frame));
        return frame;
      }
      room -= piece.length;
      got += new TextDecoder().decode(piece);
      if (piece.length >= 4096) world.after(5, () => outbox.taken(frame));
      return frame;
    },
  });
  const paste = Array.from({ length: 131_072 }, (_, i) => `line${i % 1000}`.padEnd(7) + "\n").join("");
  assert.equal(paste.length, 1 << 20);
  outbox.push(bytes(paste));
  outbox.push(bytes("k"));
  for (let i = 0; i < 200; i++) {
    room = Math.min(256 * 1024, room + 16 * 1024);
    world.pass(300);
  }
  assert.ok(got === `${paste}k`, `${got.length} bytes arrived`);
  assert.ok(refused > 5, "the test has refused");
  assert.equal(outbox.waiting, 0);
});

test("a server that does not say what it took is given time to refuse before the next piece", () => {
  const bench = attached();
  bench.session.input(bytes("x".repeat(40_000)));
  assert.equal(frames(bench), 1);
  bench.world.socket.say({ type: "refused", reason: "input_full" });
  bench.world.pass(40);
  assert.equal(frames(bench), 1, "the refused piece waits");
  bench.world.pass(10);
  assert.equal(frames(bench), 2, "and comes again");
  bench.world.pass(30 * 3);
  assert.equal(frames(bench), 4);
});

test("once the server has said what it took, silence is not taken for a yes", () => {
  const bench = attached();
  bench.session.input(bytes("x".repeat(60_000)));
  bench.world.socket.say({ type: "taken", frames: 1 });
  assert.equal(frames(bench), 2);
  bench.world.pass(9_000);
  assert.equal(frames(bench), 2);
});

test("what is said of one frame is not taken for another", () => {
  const bench = attached();
  bench.session.input(bytes("k"));
  bench.session.input(bytes("x".repeat(40_000)));
  assert.equal(frames(bench), 2);
  bench.world.socket.say({ type: "refused", reason: "input_full", frames: 1 }); // the key
  assert.match(bench.session.view.notice, /dropped/);
  bench.world.socket.say({ type: "taken", frames: 1 });
  assert.equal(frames(bench), 2, "the piece is still under way");
  bench.world.socket.say({ type: "taken", frames: 2 });
  assert.equal(frames(bench), 3);
});

test("keys that the program does not take are named", () => {
  const bench = attached();
  bench.session.input(bytes("k"));
  bench.world.socket.say({ type: "refused", reason: "input_full" });
  assert.match(bench.session.view.notice, /dropped/);
});

test("Ctrl+C overtakes a paste, cuts it, and closes its bracket", () => {
  const bench = attached();
  bench.session.input(bytes(`\u001b[200~${"x".repeat(100_000)}\u001b[201~`));
  bench.session.input(bytes("\u0003"));
  bench.world.pass(60_000);
  assert.ok(text(bench).endsWith("x\u001b[201~\u0003"), JSON.stringify(text(bench).slice(-20)));
  assert.equal(text(bench).length, 16_384 + 6 + 1);
  assert.match(bench.session.view.notice, /not sent/);
});

test("a paste that the connection cuts is named, and its bracket is closed where the shell goes on", () => {
  const bench = attached();
  bench.session.input(bytes(`\u001b[200~${"x".repeat(100_000)}\u001b[201~`));
  bench.world.socket.handlers.closed(1006, "", 0);
  assert.match(bench.session.view.notice, /83628 bytes of your paste/);
  bench.world.pass(15_000);
  bench.world.socket.handlers.open();
  bench.world.socket.say(attachedMessage());
  bench.world.socket.say({ type: "resumed", from: 0 });
  assert.equal(text(bench), "\u001b[201~");
  bench.world.socket.handlers.closed(1006, "", 0);
  bench.world.pass(15_000);
  bench.world.socket.handlers.open();
  shell(bench.world.socket);
  assert.equal(text(bench), "", "once");
});

test("a bracket that was cut is not closed in a shell that was painted again", () => {
  const bench = attached();
  bench.session.input(bytes(`\u001b[200~${"x".repeat(100_000)}\u001b[201~`));
  bench.world.socket.handlers.closed(1006, "", 0);
  for (const how of ["reset", "resumed"]) {
    bench.world.pass(15_000);
    bench.world.socket.handlers.open();
    if (how === "reset") shell(bench.world.socket);
    else {
      bench.world.socket.say(attachedMessage());
      bench.world.socket.say({ type: "resumed", from: 0 });
    }
    assert.equal(text(bench), "", how);
    bench.world.socket.handlers.closed(1006, "", 0);
  }
});

test("more than the page keeps is refused whole", () => {
  const bench = attached();
  bench.session.input(new Uint8Array(LIMIT + 1));
  assert.equal(frames(bench), 0);
  assert.match(bench.session.view.notice, /too much/);
});

test("a window that only looks on sends no key", () => {
  const bench = attached();
  bench.world.socket.say({ ...attachedMessage(), read_only: true });
  bench.world.socket.say({ type: "resumed", from: 0 });
  bench.session.input(bytes("k"));
  assert.equal(frames(bench), 0);
  assert.match(bench.session.view.notice, /only looks on/);
});

test("a piece that may have been typed does not come again, and is named", () => {
  const bench = attached();
  bench.session.input(bytes("x".repeat(40_000)));
  assert.equal(frames(bench), 1);
  bench.world.socket.say({ type: "refused", reason: "lost", frames: 1 });
  assert.match(bench.session.view.notice, /may be missing/);
  assert.equal(frames(bench), 2, "the next piece goes");
  bench.world.socket.say({ type: "taken", frames: 2 });
  assert.equal(frames(bench), 3);
});
