import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, ProtocolError } from "../src/decode.ts";
import { clampSize, encode, newClientID } from "../src/protocol.ts";

test("every message of the protocol is read, and unknown fields are ignored", () => {
  const cases: [object, object][] = [
    [
      { type: "state", state: "booting", incarnation: 3, reason: "", message: "", new_field: 1 },
      { type: "state", state: "booting", incarnation: 3, reason: "", message: "", failure: null },
    ],
    [
      { type: "state", state: "asleep" },
      { type: "state", state: "asleep", incarnation: 0, reason: "", message: "", failure: null },
    ],
    [
      { type: "state", state: "failed", incarnation: 2, reason: "boot_failed", message: "m", step: "clone", exit_code: 128, log_tail: "fatal" },
      { type: "state", state: "failed", incarnation: 2, reason: "boot_failed", message: "m", failure: { step: "clone", exitCode: 128, logTail: "fatal" } },
    ],
    [
      { type: "step", step: "packages", status: "skipped", detail: "all there" },
      { type: "step", step: "packages", status: "skipped", detail: "all there" },
    ],
    [{ type: "log", data: "line\n" }, { type: "log", data: "line\n" }],
    [
      { type: "attached", incarnation: 4, tab: "logs", epoch: "fedcba9876543210", cols: 80, rows: 24, read_only: true, recorded: true },
      { type: "attached", incarnation: 4, tab: "logs", epoch: "fedcba9876543210", size: { cols: 80, rows: 24 }, readOnly: true, recorded: true },
    ],
    [{ type: "resumed", from: 9007199254740991 }, { type: "resumed", from: 9007199254740991 }],
    [{ type: "reset", reason: "slow" }, { type: "reset", reason: "slow" }],
    [{ type: "live", from: 0 }, { type: "live", from: 0 }],
    [{ type: "size", cols: 1200, rows: 24 }, { type: "size", size: { cols: 1000, rows: 24 } }],
    [{ type: "viewers", count: 3 }, { type: "viewers", count: 3 }],
    [{ type: "taken", frames: 3 }, { type: "taken", frame: 3 }],
    [{ type: "refused", reason: "input_full", frames: 4 }, { type: "refused", reason: "input_full", frame: 4 }],
    [{ type: "idle", seconds: 60, sleeps_at: "2026-01-01T00:00:00Z", message: "no input" }, { type: "idle", inSeconds: 60, why: "no input" }],
    [{ type: "idle" }, { type: "idle", inSeconds: null, why: "" }],
    [{ type: "exit", code: 0 }, { type: "exit", code: 0, signal: "" }],
    [{ type: "exit", code: 137, signal: 9 }, { type: "exit", code: 137, signal: "9" }],
    [{ type: "exit", code: 143, signal: "SIGTERM" }, { type: "exit", code: 143, signal: "SIGTERM" }],
  ];
  for (const [frame, want] of cases) assert.deepEqual(decode(JSON.stringify(frame)), want);
});

test("what is not the protocol is refused with a reason, never half read", () => {
  const cases: [string, RegExp][] = [
    ["{", /not JSON/],
    ["null", /not an object/],
    ["[]", /not an object/],
    ["{}", /unknown message type/],
    ['{"type":"boot"}', /unknown message type "boot"/],
    ['{"type":"state","state":"fresh"}', /unknown state "fresh"/],
    ['{"type":"state","state":"ready","incarnation":"3"}', /incarnation is not an integer/],
    ['{"type":"step","step":"clone","status":"odd"}', /unknown status "odd"/],
    ['{"type":"step","status":"done"}', /no name/],
    ['{"type":"log","data":7}', /data is not text/],
    ['{"type":"attached"}', /no incarnation/],
    ['{"type":"attached","incarnation":1,"cols":80,"rows":24}', /epoch is not 16 hex/],
    ['{"type":"attached","incarnation":1,"epoch":"FEDCBA9876543210","cols":80,"rows":24}', /epoch is not 16 hex/],
    ['{"type":"attached","incarnation":1,"epoch":"fedcba9876543210","cols":0,"rows":24}', /no size/],
    ['{"type":"resumed"}', /no from/],
    ['{"type":"live","from":-1}', /negative/],
    ['{"type":"live","from":9007199254740992}', /not an integer/],
    ['{"type":"reset","reason":"why not"}', /unknown reason/],
    ['{"type":"refused","reason":"mood"}', /unknown reason/],
    ['{"type":"exit","code":1.5}', /not an integer/],
  ];
  for (const [frame, why] of cases) {
    assert.throws(
      () => decode(frame),
      (error) => error instanceof ProtocolError && why.test(error.message),
      frame,
    );
  }
});

test("a hello is one line of JSON with the protocol's names", () => {
  const first = encode({ type: "hello", client: "c", tab: "main", cols: 80, rows: 24, boot: true });
  assert.deepEqual(JSON.parse(first), { type: "hello", client: "c", tab: "main", cols: 80, rows: 24, boot: true });
  const again = encode({ type: "hello", client: "c", tab: "main", cols: 80, rows: 24, boot: false, epoch: "fedcba9876543210", have: 7 });
  assert.deepEqual(JSON.parse(again), { type: "hello", client: "c", tab: "main", cols: 80, rows: 24, boot: false, epoch: "fedcba9876543210", have: 7 });
});

test("sizes stay between 1 and 1000, and what is no size is not sent", () => {
  assert.deepEqual(clampSize(80.9, 24), { cols: 80, rows: 24 });
  assert.deepEqual(clampSize(5000, 1), { cols: 1000, rows: 1 });
  for (const [cols, rows] of [
    [0, 24],
    [80, 0],
    [Number.NaN, 24],
    [80, Number.POSITIVE_INFINITY],
    [-3, 24],
  ] as const) {
    assert.equal(clampSize(cols, rows), null);
  }
});

test("a client id fits the protocol's pattern and uses every random bit", () => {
  assert.equal(newClientID((bytes) => bytes.fill(0xff)), "_____________________w");
  assert.equal(newClientID((bytes) => bytes.fill(0xfb)), "-_v7-_v7-_v7-_v7-_v7-w");
  assert.match(newClientID((bytes) => crypto.getRandomValues(bytes)), /^[A-Za-z0-9_-]{22}$/);
});
