import assert from "node:assert/strict";
import { test } from "node:test";
import { attached, bytes, EPOCH, opened, page, shell } from "./fake.ts";

const hello = (boot: boolean) => ({ type: "hello", client: "client-1", tab: "main", cols: 100, rows: 30, boot });
/** The hello of a page that has a session's output. */
const again = (boot: boolean, have = 0) => ({ ...hello(boot), epoch: EPOCH, have });
const boots = (sent: object[]) => sent.filter((message) => "type" in message && message.type === "boot").length;

test("a page that opens asks for one boot, with the terminal's size", () => {
  const { world } = opened();
  assert.deepEqual(world.socket.sent, [hello(true)]);
  assert.equal(world.sockets.length, 1);
});

test("a page opened in the background does not boot until it is looked at", () => {
  const { world, session } = page();
  world.looking = false;
  session.start();
  world.socket.handlers.open();
  assert.deepEqual(world.socket.sent, [hello(false)]);
  world.socket.say({ type: "state", state: "asleep", incarnation: 0, reason: "not_ready" });
  world.socket.handlers.closed(4409, "not ready", 0);
  world.pass(3_600_000);
  assert.equal(world.sockets.length, 1);
  world.looking = true;
  session.becameVisible();
  world.socket.handlers.open();
  assert.deepEqual(world.socket.sent, [hello(true)]);
});

test("a lost connection comes back with full jitter, and the waits grow up to 15 s", () => {
  const { world } = attached();
  world.chance = 0.999999;
  world.socket.handlers.closed(1006, "", 0);
  const waits: number[] = [];
  for (let i = 0; i < 7; i++) {
    const from = world.time;
    const count = world.sockets.length;
    while (world.sockets.length === count) world.pass(50);
    waits.push(world.time - from);
    world.socket.handlers.open();
    world.socket.handlers.closed(1006, "", 0);
  }
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 15000, 15000]);
});

test("after a connection that held, the waits start again at the shortest", () => {
  const { world, session } = attached();
  world.chance = 0.999999;
  for (let i = 0; i < 5; i++) {
    world.socket.handlers.closed(1006, "", 0);
    world.pass(15_000);
    world.socket.handlers.open();
  }
  world.pass(10_000);
  world.socket.handlers.closed(1006, "", 0);
  assert.equal(session.view.nextAt, world.time + 500);
});

test("a server that takes the socket and drops it at once does not reset the waits", () => {
  const { world, session } = attached();
  world.chance = 0.999999;
  for (let i = 0; i < 3; i++) {
    world.socket.handlers.closed(1006, "", 0);
    world.pass(15_000);
    world.socket.handlers.open();
    shell(world.socket);
  }
  world.socket.handlers.closed(1006, "", 0);
  assert.equal(session.view.nextAt, world.time + 4000);
});

test("a socket that neither opens nor fails is given up", () => {
  const { world, session } = page();
  session.start();
  world.pass(14_999);
  assert.equal(session.view.phase, "connecting");
  world.pass(1);
  assert.equal(session.view.phase, "reconnecting");
  assert.notEqual(world.socket.closedWith, null);
});

test("looking at the tab, or the network coming back, reconnects at once", () => {
  for (const wake of ["becameVisible", "cameOnline"] as const) {
    const { world, session } = attached();
    world.socket.handlers.closed(1006, "", 0);
    assert.equal(world.sockets.length, 1);
    session[wake]();
    assert.equal(world.sockets.length, 2, wake);
    assert.equal(world.planned, 1, "the planned try is replaced by the timeout of this one");
  }
});

test("after the network was away, a socket that looks open is replaced", () => {
  const { world, session } = attached();
  session.cameOnline();
  assert.equal(world.sockets.length, 1, "it never was away");
  session.wentOffline();
  session.cameOnline();
  assert.equal(world.sockets.length, 2);
  assert.notEqual(world.sockets[0]?.closedWith, null);
});

test("a late word from a replaced socket changes nothing", () => {
  const { world, session } = attached();
  session.wentOffline();
  session.cameOnline();
  const [old] = world.sockets;
  world.socket.handlers.open();
  shell(world.socket, 7);
  old?.say({ type: "state", state: "destroyed", incarnation: 6 });
  old?.handlers.closed(1006, "", 0);
  assert.equal(session.view.phase, "attached");
  assert.equal(session.view.incarnation, 7);
});

test("an exit never reconnects, whatever the socket says after it", () => {
  for (const code of [4000, 1006, 1001]) {
    const { world, session } = attached();
    world.socket.say({ type: "exit", code: 3 });
    world.socket.handlers.closed(code, "", 0);
    session.becameVisible();
    session.cameOnline();
    world.pass(600_000);
    assert.equal(world.sockets.length, 1);
    assert.equal(session.view.phase, "exited");
    assert.equal(session.view.exitCode, 3);
  }
});

test("a new shell after an exit is a new hello", () => {
  const { world, session } = attached();
  world.socket.say({ type: "exit", code: 0 });
  world.socket.handlers.closed(4000, "", 0);
  session.go();
  assert.equal(world.sockets.length, 2);
  world.socket.handlers.open();
  assert.deepEqual(world.socket.sent, [hello(true)]);
});

for (const state of ["asleep", "destroyed"]) {
  test(`${state} with the tab in view boots by itself, once, after a pause`, () => {
    const { world, session } = attached();
    world.socket.say({ type: "state", state, incarnation: 1, reason: "container_gone" });
    assert.equal(boots(world.socket.sent), 0);
    assert.equal(session.view.nextAt, world.time + 1500);
    world.pass(1500);
    world.pass(60_000);
    assert.equal(boots(world.socket.sent), 1);
    assert.equal(world.sockets.length, 1, "on the same socket");
  });

  test(`${state} in a hidden tab waits until it is looked at`, () => {
    const { world, session } = attached();
    world.looking = false;
    world.socket.say({ type: "state", state, incarnation: 1 });
    world.pass(3_600_000);
    assert.equal(boots(world.socket.sent), 0);
    assert.equal(session.view.waiting, true);
    world.looking = true;
    session.becameVisible();
    world.pass(3_000);
    assert.equal(boots(world.socket.sent), 1);
  });

  test(`${state} in a tab that is hidden during the pause waits too`, () => {
    const { world, session } = attached();
    world.socket.say({ type: "state", state, incarnation: 1 });
    world.looking = false;
    world.pass(60_000);
    assert.equal(boots(world.socket.sent), 0);
    assert.equal(session.view.waiting, true);
  });
}

test("an idle sleep waits for a key even in view", () => {
  const { world, session } = attached();
  world.socket.say({ type: "state", state: "asleep", incarnation: 1, reason: "idle_timeout" });
  world.pass(3_600_000);
  assert.equal(boots(world.socket.sent), 0);
  session.go();
  assert.equal(boots(world.socket.sent), 1);
});

test("a boot that was planned survives the loss of its socket", () => {
  const { world } = attached();
  world.socket.say({ type: "state", state: "destroyed", incarnation: 1 });
  world.socket.handlers.closed(1006, "", 0);
  world.pass(3_000);
  assert.equal(world.sockets.length, 2);
  world.socket.handlers.open();
  assert.deepEqual(world.socket.sent, [hello(true)]);
});

test("a hidden tab that lost its connection attaches again but does not boot", () => {
  const { world, session } = attached();
  world.looking = false;
  world.socket.handlers.closed(1006, "", 0);
  world.pass(15_000);
  world.socket.handlers.open();
  assert.deepEqual(world.socket.sent, [again(false)]);
  world.socket.say({ type: "state", state: "asleep", incarnation: 1 });
  world.socket.handlers.closed(4409, "not ready", 0);
  world.pass(3_600_000);
  assert.equal(session.view.phase, "asleep");
  assert.equal(world.sockets.length, 2);
  world.looking = true;
  session.becameVisible();
  world.pass(3_000);
  world.socket.handlers.open();
  assert.deepEqual(world.socket.sent, [hello(true)]);
});

test("a failed boot is tried again only when somebody asks", () => {
  const { world, session } = opened();
  world.socket.say({ type: "state", state: "failed", incarnation: 1, reason: "boot_failed", step: "clone", exit_code: 128, log_tail: "no" });
  session.becameVisible();
  session.cameOnline();
  world.pass(3_600_000);
  assert.equal(boots(world.socket.sent), 0);
  session.go();
  assert.equal(boots(world.socket.sent), 1);
});

// Bug report B62: what was wrong is not overwritten by the end of the connection.
test("a failed boot stays failed when the socket goes away, and trying again connects", () => {
  const { world, session } = opened();
  world.socket.say({ type: "state", state: "failed", incarnation: 1, reason: "boot_failed", step: "clone", exit_code: 128 });
  world.socket.handlers.closed(1006, "", 0);
  session.becameVisible();
  world.pass(3_600_000);
  assert.equal(world.sockets.length, 1);
  assert.equal(session.view.phase, "failed");
  session.go();
  assert.equal(world.sockets.length, 2);
});

test("a refused upgrade leads to the login page, or to that there is no such pod, only when the server says so", async () => {
  for (const [answer, phase] of [
    ["signed_out", "signed_out"],
    ["no_pod", "no_pod"],
    ["known", "reconnecting"],
    ["unreachable", "reconnecting"],
  ] as const) {
    const { world, session } = page();
    world.answer = answer;
    session.start();
    world.socket.handlers.closed(1006, "", 0);
    await Promise.resolve();
    await Promise.resolve();
    assert.equal(session.view.phase, phase);
    world.pass(60_000);
    assert.equal(world.sockets.length > 1, phase === "reconnecting");
  }
});

test("too many terminals: tries again, but much later", () => {
  const { world, session } = opened();
  world.socket.handlers.closed(4429, "", 0);
  assert.equal(session.view.reason, "too_many_terminals");
  world.pass(9_999);
  assert.equal(world.sockets.length, 1);
  world.pass(20_001);
  assert.equal(world.sockets.length, 2);
});

test("a message of an unknown type closes the socket with 4400 and stops", () => {
  const { world, session } = attached();
  world.socket.say({ type: "surprise" });
  assert.equal(world.socket.closedWith?.code, 4400);
  world.pass(3_600_000);
  assert.equal(session.view.phase, "stopped");
  assert.equal(world.sockets.length, 1);
});

test("a paste goes in pieces of 16 KiB, in order with the keys around it", () => {
  const { world, session } = attached();
  session.input(bytes("a"));
  session.input(bytes("x".repeat(40_000)));
  session.input(bytes("b"));
  for (let i = 0; i < 3; i++) world.socket.say({ type: "taken", frames: i + 2 });
  const frames = world.socket.sent.filter((sent): sent is { bytes: number; text: string } => "bytes" in sent);
  assert.deepEqual(frames.map((frame) => frame.bytes), [1, 16384, 16384, 7232, 1]);
  assert.equal(frames.map((frame) => frame.text).join(""), "a" + "x".repeat(40_000) + "b");
});

test("keys without a connection are refused in words, and not sent later", () => {
  const { world, session } = attached();
  world.socket.handlers.closed(1006, "", 0);
  session.input(new TextEncoder().encode("rm -rf build\r"));
  assert.match(session.view.notice, /not sent/);
  world.pass(15_000);
  world.socket.handlers.open();
  shell(world.socket);
  assert.deepEqual(world.socket.sent, [again(true)]);
});

test("bytes that the lost socket still had to send are named", () => {
  const { world, session } = attached();
  world.socket.handlers.closed(1006, "", 12);
  assert.match(session.view.notice, /12 bytes/);
});

test("a new size is sent once; one from before attached is not lost", () => {
  const bench = opened();
  bench.terminal.window.cols = 120;
  bench.session.resized();
  bench.session.resized();
  assert.deepEqual(bench.world.socket.sent.slice(1), [{ type: "resize", cols: 120, rows: 30 }]);
  bench.world.socket.handlers.closed(1006, "", 0);
  bench.terminal.window.cols = 90;
  bench.session.resized();
  bench.world.pass(15_000);
  bench.world.socket.handlers.open();
  assert.deepEqual(bench.world.socket.sent, [{ ...hello(true), cols: 90 }]);
});

test("reset asks once, and a page without a socket boots again after it", async () => {
  const { world, session } = attached();
  world.socket.say({ type: "exit", code: 0 });
  world.socket.handlers.closed(4000, "", 0);
  const first = session.reset();
  const second = session.reset();
  await Promise.all([first, second]);
  assert.equal(world.destroys, 1);
  assert.equal(session.view.phase, "destroyed");
  world.pass(3_000);
  assert.equal(world.sockets.length, 2);
});

test("a reset that failed says why and leaves the terminal alone", async () => {
  const { world, session } = attached();
  world.destroyFails = "The pod was not reset: the engine is away.";
  await session.reset();
  assert.equal(session.view.phase, "attached");
  assert.equal(session.view.resetting, false);
  assert.match(session.view.notice, /engine is away/);
});

test("a page that waits keeps waiting when its socket goes away, and connects when it is looked at", () => {
  const { world, session } = attached();
  world.looking = false;
  world.socket.say({ type: "state", state: "destroyed", incarnation: 1 });
  world.socket.handlers.closed(1006, "", 0);
  world.pass(3_600_000);
  assert.equal(world.sockets.length, 1);
  assert.deepEqual([session.view.phase, session.view.waiting], ["destroyed", true]);
  world.looking = true;
  session.becameVisible();
  world.pass(3_000);
  world.socket.handlers.open();
  assert.deepEqual(world.socket.sent, [hello(true)]);
});

test("a server that refuses a boot as not ready is not asked again without a pause", () => {
  const { world } = opened();
  world.socket.handlers.closed(4409, "", 0);
  assert.equal(world.sockets.length, 1);
  world.pass(500);
  assert.equal(world.sockets.length, 2);
});

test("a hidden tab that is told of a failed boot does not try it again when looked at", () => {
  const { world, session } = attached();
  world.looking = false;
  world.socket.handlers.closed(1006, "", 0);
  world.pass(15_000);
  world.socket.handlers.open();
  world.socket.say({ type: "state", state: "failed", incarnation: 1, reason: "boot_failed", step: "clone", exit_code: 1 });
  world.looking = true;
  world.socket.handlers.closed(4409, "", 0);
  session.becameVisible();
  world.pass(3_600_000);
  assert.equal(world.sockets.length, 2);
  assert.equal(session.view.phase, "failed");
});

test("a tab that only looks on says so, and goes on where it was", () => {
  const { world, session } = attached();
  world.socket.handlers.bytes(bytes("abc"));
  session.lookOn(true);
  assert.equal(session.lookingOn, true);
  world.socket.handlers.open();
  assert.equal(world.sockets.length, 2);
  assert.deepEqual(world.socket.sent, [{ ...again(true, 3), read_only: true }]);
  session.lookOn(true);
  assert.equal(world.sockets.length, 2);
  shell(world.socket, 1, EPOCH, 3);
  session.lookOn(false);
  world.socket.handlers.open();
  assert.deepEqual(world.socket.sent, [again(true, 3)]);
});
