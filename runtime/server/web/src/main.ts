// Wires the page: each tab has a session, which decides, and a screen, which is its terminal; the page shows the tab in front. Read session.ts first.
import { PodAPI, type PodStatus } from "./api.ts";
import { browserWorld } from "./browser.ts";
import { Clipboard } from "./clipboard.ts";
import { Dialogs } from "./dialogs.ts";
import { byID } from "./dom.ts";
import { KeysBar } from "./keys.ts";
import { openAddress } from "./links.ts";
import { login, loginCode } from "./login.ts";
import { ContextMenu } from "./menu.ts";
import { Page } from "./page.ts";
import { PodPanel } from "./podpanel.ts";
import { resetQuestion, type PodClass } from "./podclass.ts";
import { PrefStore } from "./prefs.ts";
import { newClientID } from "./protocol.ts";
import { Screen } from "./screen.ts";
import { SearchBar } from "./search.ts";
import { Session } from "./session.ts";
import { addShortcuts } from "./shortcuts.ts";
import { initial, type View } from "./state.ts";
import { TabBar } from "./tabbar.ts";
import { FIRST, frontOf, wrongName } from "./tabs.ts";
import { TabMemory } from "./tabmemory.ts";
import { TabSet, type Opened, type Tab } from "./tabset.ts";
import { showForTests } from "./testview.ts";
import { ViewMenu } from "./viewmenu.ts";
import { DEFAULT, podOf } from "./which.ts";
import { closeQuestion } from "./words.ts";

/** How often a page that is looked at asks which tabs there are. In ms. */
const LIST_EVERY = 10_000;

const name = podOf(location.pathname);
const api = new PodAPI(name);
const world = browserWorld(name, api);
const memory = new TabMemory(name);
/** What the server said the pod keeps, for the tabs that are opened later. */
let podClass: PodClass | null = null;
const dialogs = new Dialogs();
const screens = new WeakMap<Tab, Screen>();
const search = new SearchBar(() => prefs.look.theme);
const clipboard = new Clipboard(dialogs, (message) => session()?.say(message));
const pod = new PodPanel(name, api, { say: (message) => session()?.say(message), learned });

const prefs = new PrefStore(() => {
  menu.draw();
  for (const tab of set.tabs) screens.get(tab)?.restyle(prefs.look);
});
const menu = new ViewMenu(
  prefs,
  () => openSearch(),
  (on) => session()?.lookOn(on),
  () => pod.close(),
);

const set: TabSet = new TabSet({ list: () => api.listTabs(), close: (tab) => api.closeTab(tab), rename: (tab, to) => api.renameTab(tab, to) }, openTab, () => {
  search.close();
  page.forget();
  memory.keep(set.names, set.active?.name ?? FIRST);
  drawSoon();
});
const bar = new TabBar(set, {
  add: () => set.add(),
  rename: (tab) => void rename(tab),
  close: (tab) => void close(tab),
});

const page = new Page(name, {
  go: () => session()?.go(),
  reset: () => void reset(),
  stay: () => {
    session()?.stay();
    screen()?.terminal.focus();
  },
  bootShown: (on) => {
    if (on) pod.close();
    else screen()?.terminal.focus();
  },
  asking: () => dialogs.open,
});

const keys = new KeysBar(screen, (data) => session()?.input(new TextEncoder().encode(data)));
const context = new ContextMenu((screen, item) => {
  const act = {
    copy: () => void clipboard.copy(screen),
    paste: () => void clipboard.pasteFromMenu(screen),
    select: () => screen.terminal.selectAll(),
    search: () => openSearch(),
    clear: () => screen.terminal.clear(),
  };
  act[item]();
});

function session(): Session | null {
  return set.active?.opened?.session ?? null;
}

function screen(): Screen | null {
  return set.active === null ? null : (screens.get(set.active) ?? null);
}

function openTab(tab: Tab): Opened {
  const inFront = () => set.active === tab;
  const screen: Screen = new Screen(byID("terminal"), prefs.look, {
    input: (bytes) => session.input(bytes),
    resized: () => session.resized(),
    typed: (data) => keys.typed(data),
    link: (address, direct) => void openLink(address, direct),
  });
  screens.set(tab, screen);
  clipboard.watch(screen);
  context.watch(screen);
  let attached = false;
  const session: Session = new Session(
    { ...world, visible: () => world.visible() && inFront() },
    screen,
    newClientID((bytes) => crypto.getRandomValues(bytes)),
    tab.name,
    (view: View) => {
      if (view.phase === "attached" && !attached) becameAttached(tab, screen);
      attached = view.phase === "attached";
      drawSoon();
    },
  );
  session.podIs(podClass);
  // Once the tab has it, and nobody has signed it out or has found that there is no pod.
  queueMicrotask(() => {
    if (session.view.phase === "connecting") session.start();
  });
  return {
    session,
    show: (on) => {
      screen.show(on);
      if (on) screen.terminal.focus();
    },
    dispose: () => screen.dispose(),
  };
}

/** Puts the keyboard into the terminal, and lets the other tabs know that there is something to attach to. */
function becameAttached(tab: Tab, screen: Screen): void {
  queueMicrotask(() => {
    set.sync(tab);
    // Whoever goes through the tabs or the menus by keyboard stays there.
    const busy = document.activeElement?.closest("dialog, .side, .search, [role=tablist]") ?? null;
    if (set.active === tab && busy === null) screen.terminal.focus();
    for (const other of set.tabs) if (other !== tab) other.opened?.session.join();
    void set.refresh();
    void learn();
  });
}

function learned(status: PodStatus): void {
  podClass = status.podClass;
  for (const { opened } of set.tabs) opened?.session.podIs(podClass);
}

async function learn(): Promise<PodStatus | null> {
  const status = await api.status();
  if (status !== null) learned(status);
  return status;
}

async function openLink(address: string, direct: boolean): Promise<void> {
  if (!direct) {
    const answer = await dialogs.ask({ title: "Open this link?", text: "A program in the terminal printed it. What it says there need not be where it leads:", sample: address, yes: "Open it", no: "Do not open" });
    if (answer === null) return;
  }
  openAddress(address);
}

async function reset(): Promise<void> {
  const asked = session();
  if (asked === null) return;
  if (asked.view.podClass === null) await learn();
  if (asked.view.podClass === null) {
    asked.say("The server does not say what the pod keeps: nothing was reset.");
    return;
  }
  if ((await dialogs.ask(resetQuestion(asked.view.podClass, asked.view.incarnation))) === null) return;
  pod.close();
  await asked.reset();
}

async function close(tab: Tab): Promise<void> {
  const answer = await dialogs.ask({ title: "Close the terminal?", text: closeQuestion(tab.name), yes: "Close, end its programs", no: "Keep it", danger: true });
  if (answer !== null) await told(() => set.close(tab));
  backToTerminal();
}

async function rename(tab: Tab): Promise<void> {
  const others = set.names.filter((name) => name !== tab.name);
  const name = await dialogs.ask({ title: "Rename the terminal", text: "Its programs go on.", yes: "Rename", no: "Cancel", input: tab.name, check: (word) => wrongName(word, others) });
  if (name !== null && name !== tab.name) await told(() => set.rename(tab, name));
  backToTerminal();
}

/** Where somebody goes who came from a button; who came from the tabs by keyboard stays there. */
function backToTerminal(): void {
  if (document.activeElement?.closest("[role=tablist]") == null && session()?.view.phase === "attached") screen()?.terminal.focus();
}

/** Does it, and says what went wrong. */
async function told(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    session()?.say(error instanceof Error ? error.message : "That did not work.");
  }
}

function openSearch(): void {
  const where = screen();
  if (where !== null) search.open(where);
}

let drawn = false;

/** Draws each change once. */
function drawSoon(): void {
  if (drawn) return;
  drawn = true;
  queueMicrotask(() => {
    drawn = false;
    const view = session()?.view ?? initial;
    page.draw(view, world.now());
    pod.draw(view);
    menu.drawTab(session()?.lookingOn ?? false);
    bar.draw();
  });
}

addShortcuts({ session, screen, search: openSearch, copy: (screen) => void clipboard.copy(screen), leave: () => bar.focus() });

/** The page is looked at again. What another window woke is attached to; what sleeps stays asleep. */
async function looked(): Promise<void> {
  session()?.becameVisible();
  void set.refresh();
  if ((await learn())?.state === "ready") for (const { opened } of set.tabs) opened?.session.join();
}

addEventListener("visibilitychange", () => {
  if (world.visible()) void looked();
});
addEventListener("online", () => set.tabs.forEach(({ opened }) => opened?.session.cameOnline()));
addEventListener("offline", () => set.tabs.forEach(({ opened }) => opened?.session.wentOffline()));
setInterval(() => page.tick(world.now()), 250);
setInterval(() => {
  if (world.visible() && session()?.view.phase === "attached") void set.refresh();
}, LIST_EVERY);

showForTests(session, screen, set);

async function start(): Promise<void> {
  const code = loginCode(location.hash);
  if (code !== null) {
    memory.clearAddress();
    const result = await login(code);
    if (result === "refused" && (await world.standing()) === "signed_out") {
      if (set.active === null) set.activate(FIRST);
      session()?.signOut("That link was used before, or is too old.");
      return;
    }
  }
  if (set.active !== null) {
    session()?.start();
    return;
  }
  // What a named pod's page says first is whether there is such a pod.
  if (name !== DEFAULT && (await world.standing()) === "no_pod") {
    set.activate(FIRST);
    session()?.noPod();
    return;
  }
  void learn();
  const known = memory.load();
  set.remember(known?.names ?? []);
  if (known === null) await set.refresh();
  set.activate(known?.active ?? frontOf(set.names, FIRST));
}

// A login link pasted into the address bar of an open page changes only the fragment; so does the address of another tab.
addEventListener("hashchange", () => {
  if (loginCode(location.hash) !== null) void start();
  else {
    const named = memory.named();
    if (named !== null) set.activate(named);
  }
});

void start();
