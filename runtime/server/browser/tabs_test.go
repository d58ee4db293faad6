package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/gorilla/websocket"
)

func reloadGoesOn(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	tab.run(chromedp.Click("#tab-new"))
	tab.until("a second shell", `podlife.tab === "2" && podlife.state === "attached"`)
	tab.run(keys("kept"))
	tab.untilScreen("$ kept")
	for range 3 {
		tab.run(chromedp.Reload())
		tab.until("the same tab in front", `window.podlife?.tab === "2" && podlife.state === "attached"`)
		tab.untilScreen("$ kept")
	}
	if tabs := eval[string](tab, `podlife.tabs.join()`); tabs != "main,2" {
		t.Errorf("tabs after the reloads: %s", tabs)
	}
	if address := eval[string](tab, "location.hash"); address != "#tab=2" {
		t.Errorf("the address names %q", address)
	}
	if typed := f.typed("2"); typed != "kept" {
		t.Errorf("the reloads typed into the shell: %q", typed)
	}
	if _, boots := f.counts(); boots != 1 {
		t.Errorf("%d boots", boots)
	}
}

func resumesExactly(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	for i := range 5 {
		f.print("main", fmt.Sprintf("line %d\r\n", i))
		tab.untilScreen(fmt.Sprintf("line %d", i))
		f.dropAll(websocket.CloseGoingAway)
		f.print("main", fmt.Sprintf("while away %d\r\n", i))
		tab.untilScreen(fmt.Sprintf("while away %d", i))
		tab.untilState("attached")
	}
	screen := eval[string](tab, "podlife.screen")
	for i := range 5 {
		for _, line := range []string{"line %d", "while away %d"} {
			if n := strings.Count(screen, fmt.Sprintf(line, i)); n != 1 {
				t.Errorf(line+" is on the screen %d times", i, n)
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.resumes != 5 || f.pictures != 1 {
		t.Errorf("%d sockets went on and %d got a picture, want 5 and the first", f.resumes, f.pictures)
	}
}

func tabsAreShells(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	tab.run(keys("first"))
	tab.untilScreen("$ first")
	tab.run(chromedp.Click("#tab-new"))
	tab.until("a second shell, with the keyboard in it", `podlife.tab === "2" && podlife.state === "attached" && document.activeElement?.closest(".screen:not([hidden])") !== null`)
	tab.run(keys("second"))
	tab.untilScreen("$ second")
	if screen := eval[string](tab, "podlife.screen"); strings.Contains(screen, "first") {
		t.Errorf("the second tab shows the first: %q", screen)
	}
	tab.keep("two-tabs")
	tab.run(chromedp.KeyEvent(kb.F6, chromedp.KeyModifiers(kb.ModifierCtrl)), chromedp.KeyEvent(kb.ArrowLeft))
	tab.until("the arrow key changes the tab and stays in the bar", `podlife.tab === "main" && document.activeElement?.textContent === "main"`)
	tab.untilScreen("$ first")
	if first, second := f.typed("main"), f.typed("2"); first != "first" || second != "second" {
		t.Errorf("the shells got %q and %q", first, second)
	}
	if hellos, boots := f.counts(); hellos != 2 || boots != 1 {
		t.Errorf("%d sockets and %d boots", hellos, boots)
	}
	// Another window of the same user: both sessions are there, and only the one in front is opened.
	other := open(loginPath, look{})
	other.until("both tabs", `window.podlife?.tabs.join() === "main,2" && podlife.tab === "main" && podlife.state === "attached"`)
	other.untilScreen("$ first")
	if hellos, _ := f.counts(); hellos != 3 {
		t.Errorf("%d sockets, want one more", hellos)
	}
}

func renameAndClose(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	tab.run(chromedp.Click("#tab-new"))
	tab.until("a second shell", `podlife.tab === "2" && podlife.state === "attached"`)
	tab.run(chromedp.Click("#tab-rename"))
	tab.until("the old name to change", `document.querySelector("#ask[open]") !== null && document.activeElement?.id === "ask-input" && document.activeElement.value === "2"`)
	tab.run(keys("main\r"))
	tab.until("why not", `document.querySelector("#ask-wrong")?.innerText === "Another tab has that name."`)
	tab.run(script(`document.querySelector("#ask-input").select()`), keys("no spaces\r"))
	tab.until("why not", `document.querySelector("#ask-wrong")?.innerText.includes("letters, digits")`)
	tab.keep("rename")
	tab.run(script(`document.querySelector("#ask-input").select()`), keys("logs\r"))
	tab.until("the new name", `podlife.tabs.join() === "main,logs" && podlife.tab === "logs" && podlife.state === "attached"`)
	tab.run(keys("still here"))
	tab.untilScreen("still here")
	if typed := f.typed("logs"); typed != "still here" {
		t.Errorf("the renamed shell got %q", typed)
	}

	tab.run(chromedp.Click("#tab-close"))
	tab.until("what closing does", `document.querySelector("#ask[open]")?.innerText.includes("Closing “logs” ends the programs in it")`)
	tab.keep("close-confirmation")
	tab.run(chromedp.Click("#ask-no"))
	if tabs := eval[string](tab, "podlife.tabs.join()"); tabs != "main,logs" {
		t.Errorf("after keeping it: %s", tabs)
	}
	tab.run(chromedp.Click("#tab-close"), chromedp.Click("#ask-yes"))
	tab.until("the tab is gone, and the other in front", `podlife.tabs.join() === "main" && podlife.tab === "main" && podlife.state === "attached"`)
	if n := eval[int](tab, `document.querySelectorAll(".screen").length`); n != 1 {
		t.Errorf("%d terminals are left", n)
	}
	tab.run(chromedp.Click("#tab-close"), chromedp.Click("#ask-yes"))
	tab.until("the last tab stays, empty", `podlife.state === "closed" && document.querySelector("#go").innerText === "New shell"`)
	tab.run(chromedp.Click("#go"))
	tab.until("a new shell", `podlife.state === "attached"`)
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.shells) != 1 || f.epochs != 3 || f.boots != 1 {
		t.Errorf("%d shells, %d ever, %d boots", len(f.shells), f.epochs, f.boots)
	}
}

func closedElsewhere(_ *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	tab.run(script(`void fetch("/api/tabs/main", { method: "DELETE" })`))
	tab.untilState("closed")
	tab.until("that its programs ended", `document.querySelector("#panel").innerText.includes("The programs in it ended")`)
}

func sleepUnderTabs(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	tab.run(chromedp.Click("#tab-new"))
	tab.until("a second shell", `podlife.tab === "2" && podlife.state === "attached"`)
	f.lose("asleep", "idle")
	tab.until("asleep, press a key", `podlife.state === "asleep" && document.querySelector("#panel").innerText.includes("Press a key")`)
	tab.keep("asleep-press-a-key")
	tab.run(chromedp.Click(`#tablist [role=tab]:first-child`))
	tab.until("the other tab sleeps too", `podlife.tab === "main" && podlife.state === "asleep" && podlife.waiting`)
	if _, boots := f.counts(); boots != 1 {
		t.Fatalf("%d boots: a look at a tab must not wake the pod", boots)
	}
	tab.run(keys("x"))
	tab.until("a new shell", `podlife.state === "attached" && podlife.incarnation === 2`)
	tab.run(chromedp.Click(`#tablist [role=tab]:last-child`))
	tab.until("the other tab has one too", `podlife.tab === "2" && podlife.state === "attached" && podlife.incarnation === 2`)
	if _, boots := f.counts(); boots != 2 {
		t.Errorf("%d boots for one key", boots)
	}
	f.waitTyped(t, "main", "")
}

func pictureIsMute(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	f.print("main", "\x1b[?1004h\x1b[c\x1b[6n\x1b]10;?\x1b\\asked ")
	tab.untilScreen("asked")
	f.waitTypedWith(t, "main", "\x1b]10;")
	before := f.typed("main")
	for range 3 {
		tab.run(chromedp.Reload())
		tab.untilState("attached")
		tab.untilScreen("asked")
	}
	tab.run(keys("k"))
	f.waitTypedWith(t, "main", "k")
	// A focus report for the click or the load is the browser's, and real; no answer is.
	if added := strings.NewReplacer("\x1b[I", "", "\x1b[O", "").Replace(strings.TrimPrefix(f.typed("main"), before)); added != "k" {
		t.Errorf("the reloads typed %q", added)
	}
}

func sessionSizeWins(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	// The window is measured again when the font is there.
	tab.until("a size that stays", `(() => { const now = JSON.stringify(podlife.size); if (now !== window.sized) { window.sized = now; window.sizedAt = Date.now(); } return Date.now() - window.sizedAt > 500; })()`)
	window := eval[map[string]float64](tab, "podlife.size")
	f.mu.Lock()
	f.shell("main").fixed = true
	f.mu.Unlock()
	f.sayAll(message{"type": "size", "cols": 40, "rows": 10})
	tab.until("the session's size in a larger window", `podlife.shown.cols === 40 && podlife.shown.rows === 10 && document.querySelector(".status").innerText.includes("40 × 10")`)
	tab.keep("letterbox")
	f.sayAll(message{"type": "size", "cols": 300, "rows": 90})
	tab.until("a larger one is scrolled through", `podlife.shown.cols === 300 && document.querySelector(".screen").scrollWidth > document.querySelector(".screen").clientWidth && document.documentElement.scrollWidth <= innerWidth`)
	if after := eval[map[string]float64](tab, "podlife.size"); after["cols"] != window["cols"] || after["rows"] != window["rows"] {
		t.Errorf("the window's own size went from %v to %v", window, after)
	}
	tab.run(chromedp.EmulateViewport(900, 600))
	tab.until("a smaller window, and the same session", fmt.Sprintf(`podlife.size.cols < %v && podlife.shown.cols === 300 && podlife.shown.rows === 90`, window["cols"]))
}
