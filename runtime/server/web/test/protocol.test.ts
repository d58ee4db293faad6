import assert from "node:assert/strict";
import { test } from "node:test";
import { clampSize, decode, encode, newClientID, ProtocolError } from "../src/protocol.ts";

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
    [{ type: "attached", incarnation: 4 }, { type: "attached", incarnation: 4 }],
    [{ type: "exit", code: 0 }, { type: "exit", code: 0 }],
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
  const text = encode({ type: "hello", client: "c", tab: "main", cols: 80, rows: 24, boot: true });
  assert.deepEqual(JSON.parse(text), { type: "hello", client: "c", tab: "main", cols: 80, rows: 24, boot: true });
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
