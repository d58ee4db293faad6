package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/gorilla/websocket"
)

const loginPath = "/#login=" + fakeCode

// Each claim has a server and a tab of its own; the browser is one, because starting it takes longer than all of them.
func TestThePage(t *testing.T) {
	browser := startBrowser(t)
	for _, claim := range []struct {
		name  string
		check func(*testing.T, *fake, opener)
	}{
		{"a login link opens a shell and leaves no code behind", loginOpensAShell},
		{"without a session it says how to get a link", withoutSession},
		{"a boot is shown step by step and its log stays text", bootStepByStep},
		{"a failed boot shows step, code and log tail, and can retry", bootFailed},
		{"a reset says what is lost and a shell comes back by itself", resetComesBack},
		{"a lost connection comes back by itself", connectionLost},
		{"an exit is final until somebody wants a new shell", exitIsFinal},
		{"asleep by idleness waits for a key", idleWaitsForAKey},
		{"colours survive the policy", coloursSurvive},
		{"a paste cannot pretend to be keys", pasteIsClean},
		{"the terminal follows the window", terminalFollowsWindow},
		{"everything is reachable by keyboard", keyboard},
		{"it fits a phone", phone},
		{"it is dark where the system is", darkSystem},
		{"a reload goes on with the same shell and tabs", reloadGoesOn},
		{"a lost connection goes on at the byte where it was lost", resumesExactly},
		{"each tab has a shell of its own", tabsAreShells},
		{"a tab is renamed, and closed after a question", renameAndClose},
		{"a tab that is closed elsewhere says so", closedElsewhere},
		{"a big paste arrives whole", bigPaste},
		{"several lines are asked about before they run", pasteAsks},
		{"the scrollback can be searched", searchFinds},
		{"copy and menu", copyAndMenu},
		{"links ask before they open", linksAsk},
		{"the look is chosen and remembered", lookIsRemembered},
		{"a warning before the sleep goes away by a key", idleWarned},
		{"a session that is recorded says so", recordedSaysSo},
		{"sleep under several tabs", sleepUnderTabs},
		{"the lifecycle is lit", lifecycleIsLit},
		{"the pod is kept awake for a time", keptAwake},
		{"offline and back", offlineAndBack},
		{"a picture is not answered", pictureIsMute},
		{"the session's size wins", sessionSizeWins},
		{"a flood is acknowledged", floodIsAcknowledged},
		{"a named pod's page is of that pod only", namedPodsPage},
		{"a workspace keeps its home, and the page says so", workspaceWords},
		{"the default pod's class is the server's", defaultPodsClass},
		{"the pods are listed, with links", podsAreListed},
		{"the pods fit a phone", podsOnAPhone},
		{"a pod that is not there is said, with a way out", unknownPod},
		{"a pod is deleted under its page", podDeletedUnderThePage},
	} {
		t.Run(claim.name, func(t *testing.T) {
			f := newFake(t)
			claim.check(t, f, func(path string, as look) *tab { return openTab(t, browser, f.URL, path, as) })
		})
	}
}

type opener = func(path string, as look) *tab

func loginOpensAShell(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	tab.untilScreen("dev@pod:~/project$")
	tab.run(keys("echo hello"))
	tab.untilScreen("echo hello")
	if address := eval[string](tab, "location.href"); address != f.URL+"/" {
		t.Errorf("the address is %q: the code must be gone from it", address)
	}
	if hellos, boots := f.counts(); hellos != 1 || boots != 1 {
		t.Errorf("%d sockets and %d boots for one page load, want 1 and 1", hellos, boots)
	}
	hello := f.lastHello()
	size := eval[map[string]float64](tab, "podlife.size")
	if hello["cols"] != size["cols"] || hello["rows"] != size["rows"] || size["cols"] < 60 || size["rows"] < 15 {
		t.Errorf("hello said %v x %v, the terminal has %v", hello["cols"], hello["rows"], size)
	}
	tab.keep("after-boot")
}

func withoutSession(t *testing.T, f *fake, open opener) {
	tab := open("/", look{})
	tab.untilState("signed_out")
	tab.until("the way to a link", `document.querySelector("#panel").innerText.includes("podlife login-link")`)
	tab.keep("not-logged-in")
	stale := open("/#login=used-before", look{})
	stale.untilState("signed_out")
	stale.until("why the link did not work", `document.querySelector("#panel").innerText.includes("used before")`)
	if hellos, _ := f.counts(); hellos != 0 {
		t.Errorf("%d terminals were opened without a session", hellos)
	}
}

func bootStepByStep(t *testing.T, f *fake, open opener) {
	goOn := make(chan struct{})
	f.boot = func(s *fakeSocket, incarnation int) bool {
		s.steps(incarnation)
		s.step("settle", "started", "waiting for the test")
		s.say(message{"type": "log", "data": "<img src=x onerror=alert(1)><script>alert(2)</script>\n"})
		<-goOn
		s.step("settle", "done", "")
		return true
	}
	tab := open(loginPath, look{})
	tab.until("the running step", `document.querySelector("#steps li[data-status=started] .step-name")?.textContent === "settle"`)
	if steps := eval[string](tab, `[...document.querySelectorAll("#steps li")].map((li) => li.querySelector(".step-name").textContent + " " + li.dataset.status).join(", ")`); steps != "packages done, clone done, shell done, user-script skipped, settle started" {
		t.Errorf("steps: %s", steps)
	}
	tab.run(chromedp.Click("#log-details summary"))
	tab.until("the log as text", `document.querySelector("#log").textContent.includes("<img src=x onerror=alert(1)><script>")`)
	if elements := eval[int](tab, `document.querySelectorAll("#log *").length`); elements != 0 {
		t.Errorf("the log became %d elements", elements)
	}
	tab.keep("booting")
	close(goOn)
	tab.untilState("attached")
	tab.run(chromedp.Click("#pod-toggle"), chromedp.Click("#boot-toggle"))
	tab.until("the boot of an attached pod", `document.querySelectorAll("#steps li[data-status=done]").length === 4 && !document.querySelector("#panel").hidden`)
	tab.keep("boot-log-while-attached")
}

func bootFailed(t *testing.T, f *fake, open opener) {
	good := f.boot
	f.boot = func(s *fakeSocket, incarnation int) bool {
		if incarnation > 1 {
			return good(s, incarnation)
		}
		s.say(message{"type": "state", "state": "booting", "incarnation": incarnation})
		s.step("packages", "done", "tmux, git")
		s.step("clone", "started", "")
		s.step("clone", "failed", "git clone ended with 128")
		s.say(message{"type": "state", "state": "failed", "incarnation": incarnation, "reason": "boot_failed", "message": "The repository could not be cloned.",
			"step": "clone", "exit_code": 128, "log_tail": "Cloning into '/root/project'...\n\x1b[31mfatal:\x1b[0m repository '<b>nowhere</b>' does not exist\n"})
		return false
	}
	tab := open(loginPath, look{})
	tab.untilState("failed")
	tab.until("step and code", `document.querySelector("#panel-title").textContent.includes("“clone” (exit code 128)")`)
	tab.until("the log tail as text", `document.querySelector("#tail").textContent.includes("repository '<b>nowhere</b>' does not exist")`)
	tab.until("the retry under the fingers", `document.activeElement?.id === "go"`)
	tab.keep("boot-failed")
	tab.run(keys("\r"))
	tab.untilState("attached")
	if _, boots := f.counts(); boots != 2 {
		t.Errorf("%d boots, want the failed one and the retry", boots)
	}
}

func resetComesBack(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	tab.run(chromedp.Click("#pod-toggle"), chromedp.Click("#reset"))
	tab.until("what is lost", `document.querySelector("#ask[open]")?.innerText.includes("every commit that was not pushed")`)
	tab.keep("reset-confirmation")
	tab.run(chromedp.Click(`#ask-no`))
	if state := eval[string](tab, "podlife.state"); state != "attached" {
		t.Fatalf("after keeping it the page is %s", state)
	}
	tab.run(chromedp.Click("#reset"), chromedp.Click(`#ask-yes`))
	tab.untilState("destroyed")
	tab.until("what happens next, in words", `document.querySelector(".status").innerText.includes("a new one boots in")`)
	tab.keep("destroyed-with-the-tab-open")
	tab.until("a shell in the next incarnation", `podlife.state === "attached" && podlife.incarnation === 2`)
	tab.untilScreen("dev@pod:~/project$")
	tab.keep("back-by-itself")
	if hellos, boots := f.counts(); hellos != 1 || boots != 2 {
		t.Errorf("%d sockets and %d boots, want one socket that went through both boots", hellos, boots)
	}
}

func connectionLost(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	place := `JSON.stringify([podlife.shown, document.querySelector("main").getBoundingClientRect(), document.querySelector(".xterm-screen").getBoundingClientRect()])`
	before := eval[string](tab, place)
	f.setDown(true)
	f.dropAll(websocket.CloseGoingAway)
	tab.untilState("reconnecting")
	tab.until("that programs keep running", `/keeps running.*next try in \d+ s/s.test(document.querySelector(".status").innerText)`)
	tab.run(keys("x"))
	tab.until("that the key was not sent", `document.querySelector("#notice").innerText.includes("not sent")`)
	tab.keep("reconnecting")
	if meanwhile := eval[string](tab, place); meanwhile != before {
		t.Errorf("the terminal moved when the connection was lost: from %s to %s", before, meanwhile)
	}
	f.setDown(false)
	tab.until("the same shell", `podlife.state === "attached" && podlife.incarnation === 1`)
	if after := eval[string](tab, place); after != before {
		t.Errorf("the terminal moved when the connection came back: from %s to %s", before, after)
	}
	if _, boots := f.counts(); boots != 1 {
		t.Errorf("%d boots: a lost connection must not boot", boots)
	}
	if typed := f.typed("main"); typed != "" {
		t.Errorf("a key from the time without connection reached the shell: %q", typed)
	}
}

func exitIsFinal(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	tab.untilScreen("$")
	tab.run(keys("exit 3\r"))
	tab.untilState("exited")
	tab.until("the exit code", `document.querySelector("#panel-title").textContent === "The shell ended with exit code 3"`)
	tab.untilScreen("logout")
	tab.keep("shell-ended")
	tab.run(script(`dispatchEvent(new Event("online")); document.dispatchEvent(new Event("visibilitychange"))`))
	if hellos, _ := f.counts(); hellos != 1 {
		t.Errorf("%d sockets after an exit, want none but the first", hellos)
	}
	tab.run(chromedp.Click("#go"))
	tab.untilState("attached")
	if hellos, boots := f.counts(); hellos != 2 || boots != 1 {
		t.Errorf("%d sockets and %d boots, want a second socket and no second boot", hellos, boots)
	}
}

func idleWaitsForAKey(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	f.lose("asleep", "idle")
	tab.until("asleep and waiting", `podlife.state === "asleep" && podlife.waiting && document.querySelector(".status").innerText.includes("press a key")`)
	tab.keep("asleep")
	if _, boots := f.counts(); boots != 1 {
		t.Errorf("%d boots without a key", boots)
	}
	tab.run(keys("x"))
	tab.until("a shell in the next incarnation", `podlife.state === "attached" && podlife.incarnation === 2`)
}

// xterm.js writes styles of its own; if the policy refused them, text would lose its colours and columns.
func coloursSurvive(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	f.print("main", "\r\n\x1b[38;2;255;0;128mtruecolor\x1b[0m \x1b[48;5;24mindexed\x1b[0m\r\n")
	tab.untilScreen("truecolor")
	tab.until("a 24-bit colour", `[...document.querySelectorAll(".xterm-rows span")].some((span) => span.textContent.includes("truecolor") && span.getAttribute("style") !== null && getComputedStyle(span).color !== getComputedStyle(span.parentElement).color)`)
	tab.until("an indexed colour", `[...document.querySelectorAll(".xterm-rows span")].some((span) => span.textContent.includes("indexed") && getComputedStyle(span).backgroundColor === "rgb(0, 95, 135)")`)
}

func pasteIsClean(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	f.print("main", "\x1b[?2004hbracketed ")
	tab.untilScreen("bracketed")
	tab.run(script(`{
		const data = new DataTransfer();
		data.setData("text/plain", "one\u001b[201~two");
		document.querySelector(".xterm-helper-textarea").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
	}`))
	tab.untilScreen("<ESC>[200~one[201~two<ESC>[201~")
	tab.until("that something was left out", `document.querySelector("#notice").innerText.includes("1 escape character was left out")`)
}

func terminalFollowsWindow(t *testing.T, _ *fake, open opener) {
	tab := open(loginPath, look{width: 900, height: 600})
	tab.untilState("attached")
	before := eval[map[string]float64](tab, "podlife.size")
	tab.run(chromedp.EmulateViewport(1300, 800))
	tab.until("a bigger terminal", fmt.Sprintf(`podlife.size.cols > %v`, before["cols"]))
	after := eval[map[string]float64](tab, "podlife.size")
	if after["cols"] <= before["cols"] || after["rows"] <= before["rows"] {
		t.Errorf("the window grew, the terminal went from %v to %v", before, after)
	}
}

func keyboard(_ *testing.T, _ *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	tab.until("the keyboard in the terminal", `document.activeElement?.classList.contains("xterm-helper-textarea")`)
	tab.run(chromedp.KeyEvent(kb.F6, chromedp.KeyModifiers(kb.ModifierCtrl)))
	tab.until("Ctrl+F6 leads out of the terminal, to its tab", `document.activeElement?.getAttribute("role") === "tab"`)
	tab.run(chromedp.KeyEvent(kb.Delete))
	tab.until("Delete asks, and the safe answer is the first", `document.querySelector("#ask[open]")?.innerText.includes("ends the programs in it") && document.activeElement?.id === "ask-no"`)
	tab.run(keys("\x1b"))
	tab.until("Escape keeps it, and leads back", `document.querySelector("#ask[open]") === null && podlife.state === "attached" && document.activeElement?.getAttribute("role") === "tab"`)
	tab.run(chromedp.KeyEvent(kb.Tab))
	tab.until("Tab leads on", `document.activeElement?.id === "tab-new"`)
	tab.run(script(`document.querySelector("#pod-toggle").focus()`), keys("\r"))
	tab.until("the panel of the pod", `!document.querySelector("#pod").hidden && document.querySelector("#pod-toggle").getAttribute("aria-expanded") === "true"`)
	tab.run(script(`document.querySelector("#reset").focus()`), keys("\x1b"))
	tab.until("Escape closes it, and leads back", `document.querySelector("#pod").hidden && document.activeElement?.id === "pod-toggle"`)
}

func phone(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{width: 360, height: 640})
	tab.untilState("attached")
	tab.untilScreen("$")
	tab.keep("phone")
	fits := `document.documentElement.scrollWidth <= 360 && [...document.querySelectorAll("header > *, nav > *, .keys > *, .side, .side > *, .status, .card")].filter((e) => e.offsetParent).every((e) => e.getBoundingClientRect().right <= 360 && e.getBoundingClientRect().left >= 0)`
	tab.until("nothing beyond the edge", fits)
	if cols := eval[int](tab, "podlife.size.cols"); cols < 40 {
		t.Errorf("%d columns at 360 px", cols)
	}
	// The keys that a phone does not have. Ctrl holds for one key.
	tab.run(chromedp.Click(`#keys [data-key="escape"]`), chromedp.Click(`#keys [data-key="A"]`), chromedp.Click(`#key-control`), keys("c"), keys("c"))
	tab.until("the terminal keeps the keyboard", `document.activeElement?.classList.contains("xterm-helper-textarea")`)
	tab.untilScreen("<ESC><ESC>[A")
	f.waitTyped(t, "main", "\x1b\x1b[A\x03c")
	tab.run(chromedp.Click("#pod-toggle"))
	tab.until("nothing beyond the edge", fits)
	tab.keep("phone-pod")
	tab.run(chromedp.Click("#pod-close"), chromedp.Click("#view-toggle"))
	tab.until("nothing beyond the edge", fits)
	tab.keep("phone-view")
	tab.run(chromedp.Click("#view-toggle"))
	f.lose("destroyed", "reset")
	tab.untilState("destroyed")
	tab.until("nothing beyond the edge", fits)
	tab.keep("phone-destroyed")
}

func darkSystem(t *testing.T, _ *fake, open opener) {
	tab := open(loginPath, look{dark: true})
	tab.untilState("attached")
	tab.untilScreen("$")
	if colour := eval[string](tab, `getComputedStyle(document.body).backgroundColor`); colour != "rgb(23, 30, 27)" {
		t.Errorf("the page is %s", colour)
	}
	tab.keep("dark")
}
