// Pods that have names, and pods that keep their home.
import assert from "node:assert/strict";
import { test } from "node:test";
import { listPods, PodAPI, type PodInfo } from "../src/api.ts";
import { cardFor } from "../src/card.ts";
import { lifecycleText } from "../src/lifecycle.ts";
import { classOf, classWords, resetQuestion, type PodClass } from "../src/podclass.ts";
import { podLines } from "../src/pods.ts";
import { initial, reduce, type View } from "../src/state.ts";
import { apiPath, pageOf, podOf, socketPath, tabsKey } from "../src/which.ts";
import { badge, idleWarning, pageTitle, status } from "../src/words.ts";
import { answered } from "./answered.ts";
import { attached, opened, page } from "./fake.ts";

const classes: readonly (PodClass | null)[] = ["ephemeral", "workspace", null];
const view = (change: Partial<View>): View => ({ ...initial, ...change });
const refusal = (code: string) => Response.json({ code }, { status: 404, headers: { "Content-Type": "application/problem+json" } });

test("the path names the pod, and only a name is one", () => {
  assert.deepEqual(["/", "/index.html", "/pods/work", "/pods/a", "/pods/a-1", `/pods/${"x".repeat(40)}`, "/pods/default"].map(podOf), ["default", "default", "work", "a", "a-1", "x".repeat(40), "default"]);
  for (const path of ["/pods/", "/pods", "/pods/Work", "/pods/-a", "/pods/a-", "/pods/a/b", "/pods/a/", `/pods/${"x".repeat(41)}`, "/pods/%61", "/pods/..", "/x/pods/a"]) assert.equal(podOf(path), "default", path);
});

test("a named pod's calls, socket and page are below its name, and the default one's where they always were", () => {
  assert.deepEqual(["status", "destroy", "tabs/a%20b", "events?after=3"].map((call) => apiPath("default", call)), ["/api/status", "/api/destroy", "/api/tabs/a%20b", "/api/events?after=3"]);
  assert.deepEqual(["status", "destroy", "tabs/a%20b", "events?after=3"].map((call) => apiPath("work", call)), ["/api/pods/work/status", "/api/pods/work/stop", "/api/pods/work/tabs/a%20b", "/api/pods/work/events?after=3"]);
  assert.deepEqual([socketPath("default"), socketPath("work")], ["/ws/terminal", "/ws/pods/work/terminal"]);
  assert.deepEqual([pageOf("default"), pageOf("work"), pageOf("../x"), pageOf("")], ["/", "/pods/work", null, null]);
  for (const pod of ["default", "work"]) assert.equal(podOf(pageOf(pod) ?? ""), pod);
});

test("the tabs of each pod are remembered apart, and the default one's where they were", () => {
  assert.deepEqual([tabsKey("default"), tabsKey("work"), tabsKey("tabs")], ["podlife.tabs", "podlife.tabs.work", "podlife.tabs.tabs"]);
});

test("every call of a pod goes to that pod", async () => {
  const api = new PodAPI("work");
  const asked = await answered(Response.json({ tabs: [], events: [], next: 0 }), async () => {
    await api.standing();
    await api.status();
    await api.events(7);
    await api.listTabs();
    await api.closeTab("a b");
    await api.renameTab("a", "b");
    await api.extend(1);
    await api.destroy("no");
  });
  assert.deepEqual(asked, [
    "GET /api/pods/work/status",
    "GET /api/pods/work/status",
    "GET /api/pods/work/events?after=7",
    "GET /api/pods/work/tabs",
    "DELETE /api/pods/work/tabs/a%20b",
    'POST /api/pods/work/tabs/a {"rename":"b"}',
    'POST /api/pods/work/extend {"for":"1h"}',
    "POST /api/pods/work/stop",
  ]);
});

test("only the server's own word is taken for that there is no such pod", async () => {
  const standing = async (response: Response | Error) => {
    let answer = "";
    await answered(response, async () => void (answer = await new PodAPI("work").standing()));
    return answer;
  };
  assert.equal(await standing(refusal("no_pod")), "no_pod");
  assert.equal(await standing(refusal("no_tab")), "unreachable");
  assert.equal(await standing(Response.json({ code: "no_pod" }, { status: 404 })), "unreachable", "a proxy's 404");
  assert.equal(await standing(new Response("{", { status: 404, headers: { "Content-Type": "application/problem+json" } })), "unreachable");
  assert.equal(await standing(new Response(null, { status: 401 })), "signed_out");
  assert.equal(await standing(Response.json({})), "known");
  assert.equal(await standing(new TypeError("no network")), "unreachable");
});

test("the class is the server's, a server that has none has ephemeral pods, and a later one's is not guessed", async () => {
  assert.deepEqual([undefined, null, "", "ephemeral", "workspace", "nova", 7].map(classOf), ["ephemeral", "ephemeral", "ephemeral", "ephemeral", "workspace", null, null]);
  for (const [answer, podClass] of [[{ state: "ready" }, "ephemeral"], [{ state: "ready", class: "workspace" }, "workspace"]] as const) {
    await answered(Response.json(answer), async () => assert.equal((await new PodAPI("default").status())?.podClass, podClass));
  }
});

test("what happens to a session does not change what its pod keeps", () => {
  const { world, session } = attached();
  session.podIs("workspace");
  world.socket.say({ type: "state", state: "asleep", incarnation: 1, reason: "idle" });
  session.closed();
  session.go();
  assert.equal(session.view.podClass, "workspace");
  assert.equal(reduce(view({ podClass: "workspace" }), { type: "no_pod" }).podClass, "workspace");
});

/** Everything that the page says of a pod whose container goes or is gone. */
function sentences(podClass: PodClass | null): string[] {
  const said: string[] = [];
  for (const phase of ["asleep", "destroyed"] as const) {
    for (const reason of ["", "idle", "lost", "boot_lost", "recovery", "not_ready", "destroy", "of_a_later_version", "toString"]) {
      for (const change of [{ waiting: true }, { nextAt: 2_000 }]) {
        const gone = view({ phase, reason, podClass, message: "The container went to sleep because it was idle; its disk is gone.", ...change });
        const { text, detail } = status(gone, 0);
        const card = cardFor(gone, "work");
        said.push(text, detail, card?.title ?? "", card?.text ?? "", card?.go ?? "");
      }
    }
    said.push(lifecycleText(view({ phase, podClass }), null, String));
  }
  said.push(idleWarning(view({ phase: "attached", podClass, idle: { at: 1, why: "" } }), 0)?.text ?? "");
  const { gone, serversSentence, ...words } = classWords(podClass);
  return [...said, ...Object.values(words)];
}

test("nothing that is said of a workspace says that its disk goes, and what goes is said where it matters", () => {
  for (const sentence of sentences("workspace")) assert.doesNotMatch(sentence, /disk|from scratch|a new one boots|pushed|new pod|undefined|function/i);
  for (const sentence of [
    cardFor(view({ phase: "asleep", podClass: "workspace" }), "work")?.text,
    idleWarning(view({ podClass: "workspace", idle: { at: 1, why: "" } }), 0)?.text,
    resetQuestion("workspace", 3).text,
  ]) {
    assert.match(sentence ?? "", /in its home stays.*installed|installed.*in its home stays/);
    assert.match(sentence ?? "", /running programs/);
  }
});

test("what is said before the class is known is true of either", () => {
  for (const sentence of sentences(null)) assert.doesNotMatch(sentence, /disk|home|files|from scratch|pushed|undefined/i);
});

test("an ephemeral pod's words are those that they were", () => {
  assert.equal(status(view({ phase: "asleep", podClass: "ephemeral", message: "its disk is gone." }), 0).text, "its disk is gone.");
  assert.match(sentences("ephemeral").join(" "), /disk went with it.*its disk goes with it/);
  const question = resetQuestion("ephemeral", 3);
  assert.deepEqual([question.title, question.yes, question.no, question.danger], ["Reset the pod?", "Reset, lose all that", "Keep it", true]);
  assert.match(question.text, /\(incarnation 3\).*whole disk.*not pushed.*no way back/);
});

test("to restart a workspace is no danger, and its question says exactly what goes", () => {
  const question = resetQuestion("workspace", 3);
  assert.deepEqual([question.title, question.yes, question.danger], ["Restart the pod?", "Restart", false]);
  assert.match(question.text, /^What is in its home stays\..*\(incarnation 3\).*running programs end.*outside of the home is gone/);
  assert.doesNotMatch(question.text, /no way back|disk/);
  assert.equal(classWords("workspace").reset, "Restart");
});

test("a restart that is refused is not called a reset", async () => {
  for (const [podClass, says] of [["workspace", "The pod was not restarted"], ["ephemeral", "The pod was not reset"], [null, "The pod was not reset"]] as const) {
    const { world, session } = attached();
    session.podIs(podClass);
    await session.reset();
    assert.deepEqual(world.destroySays, [says]);
  }
});

test("a workspace that was stopped is asleep, and only what has lost something is destroyed", () => {
  assert.deepEqual(classes.map((podClass) => badge(view({ phase: "destroyed", podClass }))), ["destroyed", "asleep", "asleep"]);
});

test("an idle workspace says in words of its own why it sleeps", () => {
  const text = (reason: string) => status(view({ phase: "asleep", podClass: "workspace", reason, message: "its disk is gone" }), 0).text;
  assert.equal(new Set(["idle", "lost", "boot_lost", "recovery"].map(text)).size, 4, "three reasons, and one that needs none");
  assert.equal(text("constructor"), text("recovery"));
});

test("a pod that is not there is said in words, with a way to the default one, and nothing is tried again", () => {
  const { world, session } = page();
  session.start();
  session.noPod();
  assert.equal(world.planned, 0);
  session.becameVisible();
  session.cameOnline();
  session.join();
  session.input(new Uint8Array(1));
  world.pass(3_600_000);
  assert.equal(world.sockets.length, 1);
  const card = cardFor(session.view, "work");
  assert.match(card?.title ?? "", /no pod “work”/);
  assert.deepEqual([card?.leave, card?.go, badge(session.view)], ["Go to your default pod", "Look again", "no such pod"]);
  assert.equal(lifecycleText(session.view, null, String), "There is no such pod.");
  session.go();
  assert.equal(world.sockets.length, 2, "but somebody may ask");
});

test("a pod that is deleted under an open page ends in that there is none", async () => {
  const { world, session } = opened();
  world.answer = "no_pod";
  world.socket.handlers.closed(1006, "", 0);
  for (let i = 0; i < 100 && session.view.phase !== "no_pod"; i++) {
    world.pass(100);
    if (world.sockets.length > 1) world.socket.handlers.closed(1006, "", 0);
    await Promise.resolve();
    await Promise.resolve();
  }
  assert.deepEqual([session.view.phase, world.planned], ["no_pod", 0]);
});

const info = (name: string, change: Partial<PodInfo> = {}): PodInfo => ({ name, podClass: "ephemeral", life: "there", state: "asleep", trouble: "", ...change });

test("the list has a link to each other pod, and says which one this is", () => {
  assert.deepEqual(podLines([info("default"), info("work", { podClass: "workspace", state: "ready" })], "work"), [
    { name: "default", current: false, href: "/", text: "ephemeral, asleep", trouble: "" },
    { name: "work", current: true, href: null, text: "workspace, ready", trouble: "" },
  ]);
  assert.equal(podLines([info("default"), info("work")], "default")[1]?.href, "/pods/work");
});

test("there is no list of the default pod alone", () => {
  assert.deepEqual([podLines([info("default")], "default"), podLines([], "default"), podLines([info("default")], "gone")], [[], [], []]);
  assert.equal(podLines([info("work")], "default").length, 1);
});

test("what is being made or deleted, or has trouble, says so, as text", () => {
  const [, making, going, odd] = podLines([info("default"), info("a", { life: "making" }), info("b", { life: "going", podClass: "workspace", trouble: "the volume is in use\u202e" }), info("c", { podClass: "", state: "ready" })], "default");
  assert.deepEqual([making?.text, going?.text, going?.trouble, odd?.text], ["ephemeral, being made", "workspace, being deleted", "the volume is in use\ufffd", "ready"]);
});

test("what is no name becomes no address", () => {
  assert.deepEqual(podLines([info("default"), info("work"), info("//evil.example"), info("../x"), info("")], "default").map((line) => line.name), ["default", "work"]);
});

test("the list is asked for by the caller and not by the pod, and another answer is none", async () => {
  const asked = await answered(Response.json({ pods: [{ name: "work", class: "workspace", life: "there", state: "ready" }, 7], next: "more" }), async () => {
    assert.deepEqual(await listPods(), { pods: [info("work", { podClass: "workspace", state: "ready" })], more: true });
  });
  assert.deepEqual(asked, ["GET /api/pods?limit=200"]);
  for (const other of [new Response(null, { status: 404 }), Response.json({}), Response.json({ pods: 7 }), new TypeError("no network")]) {
    await answered(other, async () => assert.equal(await listPods(), null));
  }
});

test("the window's title begins with the pod where it is not the default one", () => {
  assert.deepEqual([pageTitle(view({ phase: "attached" }), "default"), pageTitle(view({ phase: "attached" }), "work")], ["attached · podlife", "work · attached · podlife"]);
});

test("a login link opens the default pod, and a named pod's page says what to do after it", () => {
  const text = (pod: string) => cardFor(view({ phase: "signed_out", message: "" }), pod)?.text ?? "";
  assert.match(text("default"), /Open it in this browser and your terminal is here\.$/);
  assert.match(text("work"), /Open it in this browser, and then this page once more\.$/);
  for (const podClass of classes) assert.equal(cardFor(view({ phase: "attached", podClass }), "work"), null);
});
