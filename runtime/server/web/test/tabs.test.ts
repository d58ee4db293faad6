import assert from "node:assert/strict";
import { test } from "node:test";
import type { TabInfo } from "../src/api.ts";
import { Session } from "../src/session.ts";
import { freeName, fromStored, frontOf, hashOf, toStored, wrongName } from "../src/tabs.ts";
import { TabSet, type Tab } from "../src/tabset.ts";
import { bytes, FakeTerminal, FakeWorld, shell } from "./fake.ts";

const info = (name: string): TabInfo => ({ name, title: "", command: "bash", viewers: 1 });

/** A page of tabs, each with a world of its own, and the server's list of them. */
function tabset() {
  const worlds = new Map<string, FakeWorld>();
  const server = { tabs: [] as TabInfo[] | null, closed: [] as string[], renamed: [] as string[], refuses: "" };
  const gone: string[] = [];
  const set: TabSet = new TabSet(
    {
      list: async () => server.tabs,
      async close(name) {
        if (server.refuses) throw new Error(server.refuses);
        server.closed.push(name);
      },
      async rename(name, to) {
        if (server.refuses) throw new Error(server.refuses);
        server.renamed.push(`${name} to ${to}`);
      },
    },
    (tab: Tab) => {
      const world = new FakeWorld();
      worlds.set(tab.name, world);
      const session = new Session({ ...facade(world), visible: () => world.looking && set.active === tab }, new FakeTerminal(), `client-${tab.name}`, tab.name, () => {});
      queueMicrotask(() => session.start());
      return { session, show: () => {}, dispose: () => gone.push(tab.name) };
    },
    () => {},
  );
  const socket = (name: string) => {
    const world = worlds.get(name);
    if (world === undefined) throw new Error(`${name} was not opened`);
    return world.socket;
  };
  return { set, server, worlds, socket, gone };
}

function facade(world: FakeWorld) {
  return {
    now: () => world.now(),
    after: (ms: number, run: () => void) => world.after(ms, run),
    random: () => world.random(),
    connect: (handlers: Parameters<FakeWorld["connect"]>[0]) => world.connect(handlers),
    standing: () => world.standing(),
    destroy: (failed: string) => world.destroy(failed),
  };
}

/** Brings tabs to the front, each with a shell. */
async function shells(bench: ReturnType<typeof tabset>, ...names: string[]) {
  for (const name of names) {
    bench.set.activate(name);
    await Promise.resolve();
    bench.socket(name).handlers.open();
    shell(bench.socket(name));
  }
}

test("a tab gets its terminal and its socket when it is first looked at, and only once", async () => {
  const bench = tabset();
  bench.set.remember(["main", "logs"]);
  await shells(bench, "main");
  assert.deepEqual([...bench.worlds.keys()], ["main"]);
  await shells(bench, "logs");
  bench.set.activate("main");
  assert.deepEqual([...bench.worlds.values()].map((world) => world.sockets.length), [1, 1]);
});

test("a tab behind another one never boots, and attaches when the one in front has", async () => {
  const bench = tabset();
  await shells(bench, "main", "logs");
  for (const name of ["main", "logs"]) bench.socket(name).say({ type: "state", state: "destroyed", incarnation: 1, reason: "reset" });
  for (const world of bench.worlds.values()) world.pass(60_000);
  const boots = (name: string) => bench.socket(name).sent.filter((sent) => "type" in sent && sent.type === "boot").length;
  assert.deepEqual([boots("main"), boots("logs")], [0, 1]);
  bench.set.tabs[0]?.opened?.session.join();
  bench.socket("main").handlers.open();
  assert.deepEqual((bench.socket("main").sent[0] as { boot?: boolean }).boot, false, "to join is to look");
  shell(bench.socket("main"), 2);
  assert.equal(bench.set.tabs[0]?.opened?.session.view.phase, "attached");
});

test("what sleeps because nobody used it is not woken by a look at its tab, nor by joining", async () => {
  const bench = tabset();
  await shells(bench, "main", "logs");
  bench.socket("main").say({ type: "state", state: "asleep", incarnation: 1, reason: "idle" });
  bench.set.activate("main");
  const session = bench.set.active?.opened?.session;
  bench.worlds.get("main")?.pass(60_000);
  session?.join();
  bench.socket("main").handlers.open();
  bench.socket("main").say({ type: "state", state: "asleep", incarnation: 1, reason: "not_ready" });
  bench.socket("main").handlers.closed(4409, "not ready", 0);
  bench.worlds.get("main")?.pass(60_000);
  session?.becameVisible();
  assert.deepEqual([session?.view.phase, session?.view.waiting, session?.view.reason], ["asleep", true, "idle"]);
  assert.equal(bench.worlds.get("main")?.sockets.length, 2);
});

test("closing a tab ends its session at the server, and the next one comes to the front", async () => {
  const bench = tabset();
  await shells(bench, "main", "logs", "top");
  bench.set.activate("logs");
  await bench.set.close(bench.set.active as Tab);
  assert.deepEqual([bench.server.closed, bench.gone, bench.set.names, bench.set.active?.name], [["logs"], ["logs"], ["main", "top"], "top"]);
  assert.notEqual(bench.socket("logs").closedWith, null);
});

test("the last tab stays when it is closed, empty, and its next shell is a new session", async () => {
  const bench = tabset();
  await shells(bench, "main");
  bench.socket("main").handlers.bytes(bytes("secret"));
  await bench.set.close(bench.set.active as Tab);
  const session = bench.set.active?.opened?.session;
  assert.deepEqual([bench.set.names, session?.view.phase], [["main"], "closed"]);
  bench.worlds.get("main")?.pass(3_600_000);
  session?.becameVisible();
  assert.equal(bench.worlds.get("main")?.sockets.length, 1, "nothing opens it again");
  session?.go();
  bench.socket("main").handlers.open();
  assert.equal("epoch" in (bench.socket("main").sent[0] ?? {}), false);
});

test("a tab that somebody else closed says so and does not come back", async () => {
  const bench = tabset();
  await shells(bench, "main");
  bench.socket("main").handlers.closed(4410, "closed", 0);
  bench.worlds.get("main")?.pass(3_600_000);
  assert.equal(bench.set.active?.opened?.session.view.phase, "closed");
  assert.equal(bench.worlds.get("main")?.sockets.length, 1);
});

test("a close or a new name that the server refuses changes nothing", async () => {
  const bench = tabset();
  await shells(bench, "main", "logs");
  bench.server.refuses = "The name is taken.";
  await assert.rejects(bench.set.close(bench.set.active as Tab), /taken/);
  await assert.rejects(bench.set.rename(bench.set.active as Tab, "x"), /taken/);
  assert.deepEqual(bench.set.names, ["main", "logs"]);
  assert.equal(bench.socket("logs").closedWith, null);
});

test("a renamed tab keeps its socket, and says its new name when it comes again", async () => {
  const bench = tabset();
  await shells(bench, "main");
  await bench.set.rename(bench.set.active as Tab, "work");
  assert.deepEqual([bench.server.renamed, bench.set.names], [["main to work"], ["work"]]);
  assert.equal(bench.socket("main").closedWith, null);
  bench.socket("main").handlers.closed(1006, "", 0);
  bench.worlds.get("main")?.pass(15_000);
  bench.socket("main").handlers.open();
  assert.equal((bench.socket("main").sent[0] as { tab?: string }).tab, "work");
});

test("a tab that was renamed elsewhere takes the name that the server attaches it by", async () => {
  const bench = tabset();
  await shells(bench, "main");
  bench.set.remember(["work"]); // as the server's list has said meanwhile
  bench.socket("main").say({ type: "attached", incarnation: 1, tab: "work", epoch: "00000000000000a1", cols: 100, rows: 30 });
  bench.set.sync(bench.set.active as Tab);
  assert.deepEqual(bench.set.names, ["work"]);
});

test("sessions that appear get a tab, those that went lose it unless they are shown here", async () => {
  const bench = tabset();
  bench.set.remember(["main", "stale"]);
  await shells(bench, "main");
  bench.server.tabs = [info("main"), info("elsewhere")];
  await bench.set.refresh();
  assert.deepEqual(bench.set.names, ["main", "elsewhere"]);
  bench.server.tabs = [];
  await bench.set.refresh();
  assert.deepEqual(bench.set.names, ["main", "elsewhere"], "a pod that is not ready has none, and that says nothing");
  bench.server.tabs = null;
  await bench.set.refresh();
  bench.server.tabs = [info("elsewhere")];
  await bench.set.refresh();
  assert.deepEqual(bench.set.names, ["main", "elsewhere"], "this page shows main");
});

test("names are the protocol's, and free ones are counted up", () => {
  assert.equal(wrongName("logs_2-x", ["main"]), "");
  for (const bad of ["", "a b", "ä", "../x", "x".repeat(65), "a\u0000"]) assert.match(wrongName(bad, []), /1 to 64/, bad);
  assert.match(wrongName("main", ["main"]), /Another/);
  assert.deepEqual([freeName([]), freeName(["main"]), freeName(["main", "2", "4"])], ["main", "2", "3"]);
});

test("a reload finds the tabs again, and the address says which one is in front", () => {
  const stored = toStored({ names: ["main", "logs"], active: "logs" });
  assert.deepEqual(fromStored(stored, ""), { names: ["main", "logs"], active: "logs" });
  assert.deepEqual(fromStored(stored, hashOf("top")), { names: ["main", "logs", "top"], active: "top" });
  assert.equal(fromStored(null, ""), null);
  assert.equal(fromStored(null, "#tab=../../x"), null);
  for (const odd of ["{", "7", '{"names":7}', '{"names":["a b",3]}']) assert.equal(fromStored(odd, ""), null, odd);
  assert.deepEqual(fromStored('{"names":["a","a"],"active":"gone"}', ""), { names: ["a"], active: "a" });
});

test("a page that knows no tab yet shows the first one, or one that runs", () => {
  assert.equal(frontOf([], "main"), "main");
  assert.equal(frontOf(["build", "main"], "main"), "main");
  assert.equal(frontOf(["build", "logs"], "main"), "build");
});
