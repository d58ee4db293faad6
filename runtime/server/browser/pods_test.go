package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/gorilla/websocket"
)

const workPath = "/pods/work" + "#login=" + fakeCode

// nothingBeyond is that all of the page is inside a window of 360 px.
const nothingBeyond = `document.documentElement.scrollWidth <= 360 && [...document.querySelectorAll("header > *, nav > *, .keys > *, .side, .side *, .status, .card, .card *")].filter((e) => e.offsetParent).every((e) => e.getBoundingClientRect().right <= 360 && e.getBoundingClientRect().left >= 0)`

func namedPodsPage(t *testing.T, f *fake, open opener) {
	work := f.addPod("work", "workspace")
	tab := open(workPath, look{})
	tab.untilState("attached")
	tab.untilScreen("$")
	tab.until("its name, in the header and in the title", `document.querySelector("h1").innerText.includes("work") && document.title === "work · attached · podlife" && document.querySelector("#pod-title").textContent === "Pod “work”"`)
	tab.run(keys("here"))
	work.waitTyped(t, "main", "here")
	tab.run(chromedp.Click("#tab-new"))
	tab.until("a second shell", `podlife.tab === "2" && podlife.state === "attached"`)
	tab.run(chromedp.Click("#pod-toggle"))
	tab.until("what happened in it", `document.querySelectorAll("#events li").length > 0`)
	tab.keep("named-pod")
	tab.run(chromedp.Click("#reset"), chromedp.Click("#ask-yes"))
	tab.until("a shell in the next incarnation", `podlife.state === "attached" && podlife.incarnation === 2`)
	tab.run(chromedp.Reload())
	tab.until("its tabs after a reload", `window.podlife?.state === "attached" && podlife.tabs.join() === "main,2" && podlife.tab === "2" && location.pathname === "/pods/work"`)
	for _, path := range f.askedFor() {
		if !strings.HasPrefix(path, "/api/pods/work/") && !strings.HasPrefix(path, "/ws/pods/work/") {
			t.Errorf("the page of a named pod asked for %s", path)
		}
	}
	if hellos, boots := f.counts(); hellos != 0 || boots != 0 {
		t.Errorf("the default pod got %d sockets and %d boots", hellos, boots)
	}
	tab.run(chromedp.Navigate(f.URL + "/"))
	tab.until("the default pod, and none of the other one's tabs", `window.podlife?.state === "attached" && podlife.tabs.join() === "main" && document.title === "attached · podlife" && document.querySelector("#pod-name").hidden && !document.querySelector("h1").innerText.includes("work")`)
	if screen := eval[string](tab, "podlife.screen"); strings.Contains(screen, "here") {
		t.Errorf("the default pod shows the other one's shell: %q", screen)
	}
}

func workspaceWords(t *testing.T, f *fake, open opener) {
	work := f.addPod("work", "workspace")
	goOn := make(chan struct{})
	good := work.boot
	work.boot = func(s *fakeSocket, incarnation int) bool {
		if incarnation == 3 {
			<-goOn
		}
		return good(s, incarnation)
	}
	tab := open(workPath, look{})
	tab.untilState("attached")
	noDisk := func(where string) {
		t.Helper()
		if text := eval[string](tab, `document.body.innerText + [...document.querySelectorAll("[title]")].map((e) => e.title).join()`); strings.Contains(text, "disk") || strings.Contains(text, "scratch") {
			t.Errorf("%s, the page says of a workspace: %s", where, text)
		}
	}
	work.sayAll(message{"type": "idle", "seconds": 60, "message": "nobody has typed"})
	tab.until("what the sleep takes and what not", `/about to sleep.*in its home stays.*running programs, go/.test(document.querySelector("#idle-text").innerText)`)
	noDisk("before a sleep")
	tab.keep("workspace-idle")
	tab.run(chromedp.Click("#stay"), chromedp.Click("#pod-toggle"))
	tab.until("a restart, and no danger", `document.querySelector("#reset").innerText === "Restart" && !document.querySelector("#reset").classList.contains("danger")`)
	tab.run(chromedp.Click("#reset"))
	tab.until("exactly what goes", `document.querySelector("#ask[open]")?.innerText.includes("What is in its home stays. The container (incarnation 1) is removed: running programs end") && document.querySelector("#ask-yes").className === "primary"`)
	tab.keep("workspace-restart-question")
	noDisk("before a restart")
	tab.run(chromedp.Click("#ask-yes"))
	tab.untilState("destroyed")
	tab.until("what happens next", `/was stopped: what is in its home stays.*starts again in/s.test(document.querySelector(".status").innerText) && document.querySelector("#badge").innerText === "asleep"`)
	noDisk("while it restarts")
	tab.keep("workspace-restarting")
	tab.until("a shell in the next incarnation", `podlife.state === "attached" && podlife.incarnation === 2`)
	work.lose("asleep", "idle")
	tab.until("asleep and waiting", `podlife.waiting && document.querySelector("#panel-text").innerText.includes("What is in its home stays.") && document.querySelector("#go").innerText === "Start it"`)
	tab.run(chromedp.Click("#pod-toggle"))
	tab.until("what being asleep means", `document.querySelector("#lifecycle-text").innerText.includes("what is in the pod's home is kept")`)
	noDisk("asleep")
	tab.keep("workspace-asleep")
	tab.run(chromedp.Click("#pod-close"), chromedp.Click("#tab-new"))
	tab.until("a new tab that knows it before there is a shell", `podlife.tab === "2" && podlife.state === "connecting" && document.querySelector("#reset").textContent === "Restart"`)
	close(goOn)
	tab.untilState("attached")
}

// A default pod whose server says no class, as all did before there were classes, is ephemeral; one that is a workspace is one.
func defaultPodsClass(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	tab.run(chromedp.Click("#pod-toggle"))
	tab.until("a reset", `document.querySelector("#reset").innerText === "Reset pod" && document.querySelector("#reset").classList.contains("danger") && document.querySelector("#reset").title.includes("its disk")`)
	f.mu.Lock()
	f.class = "workspace"
	f.mu.Unlock()
	tab.until("a restart, as soon as the server says so", `document.querySelector("#reset").innerText === "Restart"`)
}

func podsAreListed(t *testing.T, f *fake, open opener) {
	names := `[...document.querySelectorAll("#pods-list li")].map((li) => li.innerText.replace(/\s+/g, " ").trim()).join("; ")`
	tab := open(loginPath, look{})
	tab.untilState("attached")
	tab.run(chromedp.Click("#pod-toggle"))
	tab.until("what happened", `document.querySelectorAll("#events li").length > 0`)
	if shown := eval[bool](tab, `document.querySelector("#pods").offsetParent !== null`); shown {
		t.Error("there is a list of the default pod alone")
	}
	f.addPod("api-server", "ephemeral")
	f.addPod("work", "workspace")
	f.mu.Lock()
	f.listed = append(f.listed, message{"name": "old", "class": "workspace", "life": "going", "state": "asleep", "trouble": "the volume <b>is in use</b>"}, message{"name": "young", "class": "workspace", "life": "making", "state": "asleep"})
	f.mu.Unlock()
	tab.until("the list", names+` === "default ephemeral, asleep; api-server ephemeral, asleep; work workspace, asleep; old workspace, being deleted the volume <b>is in use</b>; young workspace, being made"`)
	tab.until("one that is this page, and links to the others", `[...document.querySelectorAll("#pods-list [aria-current=page]")].map((e) => e.localName + e.textContent).join() === "spandefault" && [...document.querySelectorAll("#pods-list a")].map((a) => a.pathname).join() === "/pods/api-server,/pods/work,/pods/old,/pods/young"`)
	tab.keep("pods-list")
	// The list is asked for again all the time: that must take the keyboard from nobody, and move nothing.
	tab.run(script(`document.querySelector("#reset").focus()`), chromedp.KeyEvent(kb.Tab))
	tab.until("the first link, by keyboard", `document.activeElement?.pathname === "/pods/api-server"`)
	tab.run(script(`window.places = () => [...document.querySelectorAll("#reset, #pods-list a, #lifecycle")].map((e) => e.getBoundingClientRect().top).join(); window.before = places()`))
	f.mu.Lock()
	f.listed[2]["state"] = "ready"
	f.mu.Unlock()
	tab.until("the state changes in place", names+`.includes("work workspace, ready")`)
	tab.until("and nothing else", `document.activeElement?.pathname === "/pods/api-server" && places() === before`)
	f.mu.Lock()
	f.listed = append(f.listed[:1], f.listed[2:]...)
	f.mu.Unlock()
	tab.until("what is gone is not listed", names+`.startsWith("default ephemeral, asleep; work")`)
	tab.run(script(`document.querySelector("#pods-list a").focus()`))
	tab.follow("/pods/work", keys("\r"))
	tab.untilState("attached")
	tab.run(chromedp.Click("#pod-toggle"))
	tab.until("the way back", `document.querySelector("#pods-list a")?.pathname === "/" && document.querySelector("#pods-list [aria-current=page]")?.textContent === "work"`)
	tab.keep("pods-list-of-another")
}

func podsOnAPhone(t *testing.T, f *fake, open opener) {
	long := strings.Repeat("long-name-", 3) + "of-forty-x"
	f.addPod(long, "workspace")
	work := f.addPod("work", "workspace")
	short := open(workPath, look{width: 360, height: 640})
	short.untilState("attached")
	height := `document.querySelector("header").getBoundingClientRect().height`
	before := eval[float64](short, height)
	work.setDown(true)
	work.dropAll(websocket.CloseGoingAway)
	short.untilState("reconnecting")
	if after := eval[float64](short, height); after != before {
		t.Errorf("the header's height went from %v to %v when the badge changed", before, after)
	}
	short.keep("phone-named-short")
	medium := open("/pods/"+long+"#login="+fakeCode, look{width: 540, height: 500})
	medium.untilState("attached")
	medium.until("nothing beyond the edge of a window between", `[...document.querySelectorAll("header > *")].filter((e) => e.offsetParent).every((e) => e.getBoundingClientRect().right <= 540) && document.querySelector("#pod-name").getBoundingClientRect().width > 90`)
	medium.keep("medium-named")
	f.mu.Lock()
	f.listed[2]["trouble"] = "the volume podlife-1b2c-home-0123456789abcdef0123456789abcdef is in use by another container"
	for i := range 20 {
		f.listed = append(f.listed, message{"name": fmt.Sprintf("pod-%d", i), "class": "ephemeral", "life": "there", "state": "provisioning"})
	}
	f.mu.Unlock()
	for _, dark := range []bool{false, true} {
		name := map[bool]string{false: "light", true: "dark"}[dark]
		tab := open("/pods/"+long+"#login="+fakeCode, look{width: 360, height: 640, dark: dark})
		tab.untilState("attached")
		tab.until("nothing beyond the edge", nothingBeyond)
		tab.until("its name can be read", `document.querySelector("#pod-name").getBoundingClientRect().width > 200`)
		tab.keep("phone-named-" + name)
		tab.run(chromedp.Click("#pod-toggle"))
		tab.until("the list", `document.querySelectorAll("#pods-list li").length === 23`)
		tab.until("nothing beyond the edge", nothingBeyond)
		tab.until("a long list leaves room for the rest", `document.querySelector("#pods-list").getBoundingClientRect().height < 240 && document.querySelector("#pods-list").scrollHeight > 240`)
		tab.keep("phone-pods-" + name)
	}
	wide := open("/pods/"+long+"#login="+fakeCode, look{dark: true})
	wide.untilState("attached")
	wide.run(chromedp.Click("#pod-toggle"))
	wide.until("the list", `document.querySelectorAll("#pods-list li").length === 23`)
	wide.keep("dark-pods")
}

func unknownPod(t *testing.T, f *fake, open opener) {
	tab := open("/pods/nowhere#login="+fakeCode, look{width: 360, height: 640})
	tab.untilState("no_pod")
	tab.until("the words, with the keyboard on the way out", `document.querySelector("#panel-title").innerText === "You have no pod “nowhere”" && document.activeElement?.id === "leave" && document.title === "nowhere · no such pod · podlife"`)
	tab.until("nothing beyond the edge", nothingBeyond)
	tab.until("no button for what is not there", `document.querySelector("#reset").hidden`)
	tab.keep("no-pod")
	tab.run(script(`dispatchEvent(new Event("online")); document.dispatchEvent(new Event("visibilitychange"))`))
	tab.run(script(`document.querySelector("#pod-toggle").click(); window.polls = () => performance.getEntriesByType("resource").filter((e) => new URL(e.name).pathname === "/api/pods").length`))
	before := f.askedFor()
	tab.until("the other pods, asked for again and again", `polls() >= 3`)
	tab.keep("no-pod-panel")
	// A page that tries again does so within seconds.
	if after := f.askedFor(); len(after) > len(before)+2 || slices.ContainsFunc(after, func(path string) bool { return strings.HasPrefix(path, "/ws/") }) {
		t.Errorf("it goes on asking: %q, then %q", before, after[len(before):])
	}
	tab.run(script(`document.querySelector("#pod-close").click(); document.querySelector("#leave").focus()`))
	tab.follow("/", keys("\r"))
	tab.untilState("attached")
}

func podDeletedUnderThePage(t *testing.T, f *fake, open opener) {
	f.addPod("work", "workspace")
	tab := open(workPath, look{})
	tab.untilState("attached")
	f.removePod("work")
	tab.untilState("no_pod")
	tab.keep("pod-deleted")
	f.addPod("work", "ephemeral")
	tab.run(chromedp.Click("#go"))
	tab.until("one that was made again, with words of its own", `podlife.state === "attached" && document.querySelector("#leave").offsetParent === null`)
	tab.run(chromedp.Click("#pod-toggle"))
	tab.until("its class", `document.querySelector("#reset").innerText === "Reset pod"`)
}
