// The output: nothing lost, nothing doubled, nothing answered that was answered before, and acknowledged when it is shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { attached, attachedMessage, bytes, EPOCH, opened, shell } from "./fake.ts";
import { FakeServer } from "./server.ts";

/** Numbers between 0 and 1, the same in each run. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test("through 300 disconnects at any byte the screen shows all output exactly once", () => {
  const random = chance(7);
  const server = new FakeServer();
  const { world, terminal } = opened();
  terminal.lazy = true;
  server.attach(world.socket);
  let line = 0;
  for (let lost = 0; lost < 300; lost++) {
    for (let i = 0; i < 1 + random() * 200; i++) server.output += `${line++}\r\n`;
    server.send(1 + Math.floor(random() * 300), Math.floor(random() * 8));
    terminal.parse(Math.floor(random() * 12));
    server.lose();
    world.socket.handlers.closed(1006, "", 0);
    if (random() < 0.1) server.output += "x".repeat(3000);
    world.pass(15_000);
    world.socket.handlers.open();
    server.attach(world.socket);
  }
  server.send(1 << 20, 100);
  terminal.parse();
  assert.ok(terminal.text === server.output, `the screen has ${terminal.text.length} of ${server.output.length} bytes`);
  assert.deepEqual([server.resumes, server.resets], [300, 1], "the first attach is a picture, every other goes on");
});

test("a page that comes back too late is shown a picture, and nothing of before stays", () => {
  const server = new FakeServer();
  server.keep = 100;
  const { world, terminal, session } = opened();
  server.attach(world.socket);
  server.output = "a".repeat(500);
  server.send(64, 2);
  server.lose();
  world.socket.handlers.closed(1006, "", 0);
  world.pass(15_000);
  world.socket.handlers.open();
  server.attach(world.socket);
  assert.equal(server.resets, 2);
  assert.equal(terminal.text, server.output);
  assert.match(session.view.notice, /newest/);
});

test("another session's output never follows this one's", () => {
  const server = new FakeServer();
  const { world, terminal } = opened();
  server.attach(world.socket);
  server.output = "old";
  server.send(64, 1);
  world.socket.handlers.closed(1006, "", 0);
  world.pass(15_000);
  world.socket.handlers.open();
  assert.deepEqual(world.socket.sent[0], { type: "hello", client: "client-1", tab: "main", cols: 100, rows: 30, boot: true, epoch: EPOCH, have: 3 });
  server.epoch = "00000000000000b2";
  server.output = "new shell";
  server.attach(world.socket);
  assert.equal(terminal.text, "new shell");
});

test("a picture that broke off is no position to go on from", () => {
  const { world } = attached();
  world.socket.handlers.bytes(bytes("whole"));
  world.socket.say({ type: "reset", reason: "slow" });
  world.socket.handlers.bytes(bytes("half a pict"));
  world.socket.handlers.closed(1006, "", 0);
  world.pass(15_000);
  world.socket.handlers.open();
  assert.equal("epoch" in (world.socket.sent[0] ?? {}), false);
});

test("a page that heard of another session and lost the socket again does not take its old output for that session's", () => {
  const { world } = attached();
  world.socket.handlers.bytes(bytes("old"));
  world.socket.handlers.closed(1006, "", 0);
  world.pass(15_000);
  world.socket.handlers.open();
  world.socket.say(attachedMessage(2, "00000000000000b2"));
  world.socket.handlers.closed(1006, "", 0);
  world.pass(15_000);
  world.socket.handlers.open();
  assert.equal("epoch" in (world.socket.sent[0] ?? {}), false);
});

test("output is acknowledged each 64 KiB, when it is shown and not when it came", () => {
  const { world, terminal } = attached();
  const acks = () => world.socket.sent.filter((sent) => "type" in sent && sent.type === "ack");
  terminal.lazy = true;
  for (let i = 0; i < 20; i++) world.socket.handlers.bytes(new Uint8Array(10_000));
  assert.deepEqual(acks(), []);
  terminal.parse(6);
  assert.deepEqual(acks(), []);
  terminal.parse(1);
  assert.deepEqual(acks(), [{ type: "ack", have: 70_000 }]);
  terminal.parse();
  assert.deepEqual(acks(), [{ type: "ack", have: 70_000 }, { type: "ack", have: 140_000 }]);
});

test("a slow terminal is never sent more than the window beyond what it has shown", () => {
  const server = new FakeServer();
  const { world, terminal } = opened();
  terminal.lazy = true;
  server.attach(world.socket);
  server.output = "y\r\n".repeat(700_000);
  for (let i = 0; i < 400; i++) {
    server.send(16_384, 100);
    terminal.parse(2);
  }
  assert.ok(server.ahead <= server.window && server.ahead > server.window / 2, `${server.ahead} bytes ahead`);
  server.send(16_384, 1000);
  terminal.parse();
  assert.ok(terminal.text.length > 1_000_000);
});

test("output of an earlier socket that is shown late acknowledges nothing to the next one", () => {
  const { world, terminal } = attached();
  terminal.lazy = true;
  world.socket.handlers.bytes(new Uint8Array(100_000));
  world.socket.handlers.closed(1006, "", 0);
  world.pass(15_000);
  world.socket.handlers.open();
  shell(world.socket, 2, "00000000000000b2");
  terminal.parse();
  assert.equal(world.socket.sent.length, 1, "only the hello");
});

test("the terminal is mute from the reset until the picture is shown, in the order of the bytes", () => {
  const { world, terminal } = attached();
  terminal.lazy = true;
  world.socket.handlers.bytes(bytes("before"));
  world.socket.say({ type: "reset", reason: "slow" });
  world.socket.handlers.bytes(bytes("picture"));
  world.socket.say({ type: "live", from: 6 });
  world.socket.handlers.bytes(bytes("after"));
  const seen: string[] = [];
  for (let i = 0; i < 6; i++) {
    terminal.parse(1);
    seen.push(`${terminal.muted ? "mute" : "heard"} ${terminal.text}`);
  }
  assert.deepEqual(seen, ["heard before", "mute before", "mute ", "mute picture", "heard picture", "heard pictureafter"]);
});

for (const [claim, messages] of [
  ["output before it is said how it goes on", [attachedMessage()]],
  ["a resume from elsewhere", [attachedMessage(), { type: "reset", reason: "new" }, { type: "live", from: 10 }, attachedMessage(), { type: "resumed", from: 9 }]],
  ["a resume of nothing", [attachedMessage(), { type: "resumed", from: 0 }]],
  ["live without a picture", [attachedMessage(), { type: "live", from: 0 }]],
] as const) {
  test(`${claim} ends the socket with 4400: bytes would be lost or doubled`, () => {
    const { world, session } = opened();
    const { socket } = world;
    for (const message of messages) socket.say(message);
    socket.handlers.bytes(bytes("x"));
    assert.equal(socket.closedWith?.code, 4400);
    assert.equal(session.view.phase, "stopped");
  });
}

test("the session's size is the terminal's, whatever the window has; without a session the window decides", () => {
  const { world, session, terminal } = opened();
  shell(world.socket);
  terminal.window.cols = 60;
  session.resized();
  assert.deepEqual(terminal.bound, { cols: 100, rows: 30 }, "it waits for the server's word");
  world.socket.say({ type: "size", cols: 60, rows: 30 });
  assert.deepEqual(terminal.bound, { cols: 60, rows: 30 });
  world.socket.handlers.closed(1006, "", 0);
  assert.deepEqual(terminal.bound, { cols: 60, rows: 30 }, "a lost connection moves nothing");
  world.pass(15_000);
  world.socket.handlers.open();
  world.socket.say({ type: "state", state: "destroyed", incarnation: 1 });
  assert.equal(terminal.bound, null);
});
