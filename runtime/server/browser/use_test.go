package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// paste does what the browser does for Ctrl+V.
func (tab *tab) paste(expression string) {
	tab.t.Helper()
	tab.run(script(fmt.Sprintf(`{
		const data = new DataTransfer();
		data.setData("text/plain", %s);
		document.querySelector(".screen:not([hidden]) .xterm-helper-textarea").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
	}`, expression)))
}

// waitTyped waits until exactly this has arrived at a tab's shell.
func (f *fake) waitTyped(t *testing.T, tab, want string) {
	t.Helper()
	f.waitFor(t, tab, func(typed string) bool { return typed == want })
}

func (f *fake) waitTypedWith(t *testing.T, tab, part string) {
	t.Helper()
	f.waitFor(t, tab, func(typed string) bool { return strings.Contains(typed, part) })
}

func (f *fake) waitFor(t *testing.T, tab string, enough func(string) bool) {
	t.Helper()
	for deadline := time.Now().Add(wait); ; time.Sleep(5 * time.Millisecond) {
		typed := f.typed(tab)
		if enough(typed) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the shell of %s got %d bytes: %.300q", tab, len(typed), typed)
		}
	}
}

func bigPaste(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	f.mu.Lock()
	shell := f.shell("main")
	shell.silent, shell.slow = true, 2
	f.mu.Unlock()
	f.print("main", "\x1b[?2004hbracketed ")
	tab.untilScreen("bracketed")
	tab.paste(`Array.from({ length: 131072 }, (_, i) => String(i).padStart(7, "0") + "\n").join("")`)
	tab.run(keys("k"))
	f.waitTypedWith(t, "main", "\x1b[201~k")
	var want strings.Builder
	for i := range 131072 {
		fmt.Fprintf(&want, "%07d\r", i)
	}
	if typed := f.typed("main"); typed != "\x1b[200~"+want.String()+"\x1b[201~k" {
		t.Errorf("%d bytes arrived, and not those that were pasted", len(typed))
	}
	if hellos, _ := f.counts(); hellos != 1 {
		t.Errorf("%d sockets: the paste broke the connection", hellos)
	}
}

func pasteAsks(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	tab.paste(`"one line"`)
	f.waitTyped(t, "main", "one line")
	tab.paste(`"rm -rf build\n<b>make</b>\n"`)
	tab.until("the question, with the text as text", `document.querySelector("#ask[open]")?.innerText.includes("2 lines") && document.querySelector("#ask-sample").textContent === "rm -rf build\n<b>make</b>\n" && document.querySelector("#ask-sample").children.length === 0`)
	tab.keep("paste-question")
	tab.run(keys("\x1b"))
	tab.until("nothing open", `document.querySelector("#ask[open]") === null`)
	tab.paste(`"a\nb"`)
	tab.until("the question", `document.querySelector("#ask[open]") !== null`)
	tab.run(chromedp.Click("#ask-yes"))
	f.waitTyped(t, "main", "one linea\rb")
}

func searchFinds(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	var output strings.Builder
	for i := range 500 {
		fmt.Fprintf(&output, "line %d %s\r\n", i, map[bool]string{true: "needle"}[i%100 == 7])
	}
	f.print("main", output.String())
	tab.untilScreen("line 499")
	tab.run(chromedp.KeyEvent("F", chromedp.KeyModifiers(kb.ModifierCtrl|kb.ModifierShift)))
	tab.until("the search has the keyboard", `document.activeElement?.id === "search-term"`)
	tab.run(keys("needle"))
	tab.until("five places", `/^\d of 5$/.test(document.querySelector("#search-count").textContent)`)
	tab.until("one of them is selected", `podlife.selection === "needle"`)
	before := eval[string](tab, `document.querySelector("#search-count").textContent`)
	tab.run(keys("\r"))
	tab.until("Enter goes on", fmt.Sprintf(`document.querySelector("#search-count").textContent !== %q`, before))
	tab.keep("search")
	tab.run(keys("x"))
	tab.until("what is not there", `document.querySelector("#search-count").textContent === "not found"`)
	tab.run(keys("\x1b"))
	tab.until("Escape leads back", `document.querySelector("#search").hidden && document.activeElement?.classList.contains("xterm-helper-textarea")`)
	if typed := f.typed("main"); typed != "" {
		t.Errorf("the search typed into the shell: %q", typed)
	}
}

func copyAndMenu(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	tab.run(script(`window.copied = []; navigator.clipboard.writeText = async (text) => void copied.push(text); navigator.clipboard.readText = async () => "from the menu"`))
	rightClick := script(`document.querySelector(".xterm-screen").dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true, clientX: 200, clientY: 200, button: 2 }))`)
	tab.run(rightClick)
	tab.until("the menu, with the keyboard in it", `!document.querySelector("#context").hidden && document.activeElement?.dataset.item === "copy"`)
	tab.keep("menu")
	tab.run(chromedp.KeyEvent(kb.ArrowDown), keys("\r"))
	f.waitTyped(t, "main", "from the menu")
	tab.run(rightClick, chromedp.Click(`[data-item="select"]`))
	tab.until("a selection", `podlife.selection.includes("a fake shell")`)
	tab.run(chromedp.KeyEvent("C", chromedp.KeyModifiers(kb.ModifierCtrl|kb.ModifierShift)))
	tab.until("the selection in the clipboard", `copied.length === 1 && copied[0].includes("a fake shell")`)
	f.print("main", "\x1b[?1000hmouse ")
	tab.untilScreen("mouse")
	tab.run(rightClick)
	if open := eval[bool](tab, `!document.querySelector("#context").hidden`); open {
		t.Error("the menu takes a click that is the program's")
	}
	f.waitTypedWith(t, "main", "from the menu")
	if typed := f.typed("main"); strings.Contains(typed, "\x03") {
		t.Errorf("copying typed into the shell: %q", typed)
	}
}

func linksAsk(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	tab.run(script(`window.opened = []; window.open = (...a) => void opened.push(a)`))
	f.print("main", "\x1b[2J\x1b[Hhttps://example.org/a?b=<c>\r\n\x1b]8;;javascript:alert(1)\x07harmless\x1b]8;;\x07\r\n\x1b]8;;http://example.net/x\x07words\x1b]8;;\x07\r\n")
	tab.untilScreen("words")
	click := func(row int) {
		at := eval[map[string]float64](tab, fmt.Sprintf(`(({ x, y }) => ({ x, y }))(document.querySelectorAll(".xterm-rows > div")[%d].getBoundingClientRect())`, row))
		tab.run(chromedp.MouseClickXY(at["x"]+12, at["y"]+8))
	}
	// The terminal looks for a link when the mouse comes, and not when it clicks: it must have seen it there.
	hover := func(row int) {
		at := eval[map[string]float64](tab, fmt.Sprintf(`(({ x, y }) => ({ x, y }))(document.querySelectorAll(".xterm-rows > div")[%d].getBoundingClientRect())`, row))
		tab.run(chromedp.MouseEvent("mouseMoved", at["x"]+10, at["y"]+8), chromedp.MouseEvent("mouseMoved", at["x"]+12, at["y"]+8))
		tab.until("the mouse over the link", `document.querySelector(".xterm.xterm-cursor-pointer, .xterm-cursor-pointer") !== null`)
	}
	hover(0)
	click(0)
	tab.until("the address, as text", `document.querySelector("#ask-sample").textContent.startsWith("https://example.org/a?b=")`)
	tab.keep("link-question")
	tab.run(chromedp.Click("#ask-no"))
	hover(2)
	click(2)
	tab.until("where it leads, and not what it says", `document.querySelector("#ask-sample").textContent === "http://example.net/x"`)
	tab.run(chromedp.Click("#ask-yes"))
	tab.until("opened without a way back", `opened.length === 1 && opened[0][0] === "http://example.net/x" && opened[0][2].includes("noopener")`)
	click(1)
	if n := eval[int](tab, `opened.length`); n != 1 || eval[bool](tab, `document.querySelector("#ask[open]") !== null`) {
		t.Errorf("a link that is no web address was followed (%d opened)", n)
	}
}

func lookIsRemembered(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	before := eval[map[string]float64](tab, "podlife.size")
	tab.run(chromedp.Click("#view-toggle"), chromedp.Click("#font-larger"), chromedp.Click("#font-larger"), chromedp.Click("#font-larger"), chromedp.Click("#theme"), chromedp.Click("#theme"), chromedp.Click("#reader"))
	tab.keep("view-menu-dark")
	dark := `getComputedStyle(document.body).backgroundColor === "rgb(23, 30, 27)" && getComputedStyle(document.documentElement).colorScheme === "dark"`
	tab.until("dark on a light system", dark)
	tab.until("larger letters, fewer columns", fmt.Sprintf(`podlife.size.cols < %v && podlife.shown.cols === podlife.size.cols`, before["cols"]))
	tab.until("the screen reader's tree", `document.querySelector(".xterm-accessibility") !== null`)
	tab.run(chromedp.Reload())
	tab.untilState("attached")
	tab.until("all of it after a reload", dark+` && document.querySelector("#font-size").textContent === "17" && document.querySelector(".xterm-accessibility") !== null`)
}

func idleWarned(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	f.sayAll(message{"type": "idle", "seconds": 60, "message": "nobody has typed for 29 minutes"})
	tab.until("the warning", `!document.querySelector("#idle").hidden && /nobody has typed.*\d+ s/s.test(document.querySelector("#idle").innerText)`)
	tab.keep("idle-warning")
	// Alone, which types nothing.
	call(tab, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kb.KeyDown, Key: "Shift", Code: "ShiftLeft", WindowsVirtualKeyCode: 16, Modifiers: int64(kb.ModifierShift)})
	tab.until("no warning", `document.querySelector("#idle").hidden`)
	f.sayAll(message{"type": "idle", "seconds": 60, "message": "again"})
	tab.until("the warning", `!document.querySelector("#idle").hidden`)
	tab.run(chromedp.Click("#stay"))
	tab.until("no warning", `document.querySelector("#idle").hidden`)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stays < 2 || f.shell("main").input.String() != "" {
		t.Errorf("%d times asked to stay awake, and typed %q", f.stays, f.shell("main").input.String())
	}
}

// In words, and with a mark on the tab that its name does not have for those who hear it.
func recordedSaysSo(t *testing.T, f *fake, open opener) {
	const mark = `getComputedStyle(document.querySelector('.tab[aria-selected="true"]'), "::before").content`
	tab := open(loginPath, look{})
	tab.untilState("attached")
	tab.until("no word of it", `!/recorded/.test(document.body.innerText) && `+mark+` === "none"`)
	f.mu.Lock()
	f.recorded = true
	f.mu.Unlock()
	tab = open(loginPath, look{})
	tab.untilState("attached")
	tab.until("the words", `/Connected, recorded/.test(document.body.innerText)`)
	tab.until("the mark", mark+`.includes("●") && /recorded/.test(document.querySelector('.tab[aria-selected="true"]').title)`)
	tab.keep("recorded")
}

func lifecycleIsLit(t *testing.T, f *fake, open opener) {
	goOn := make(chan struct{})
	f.boot = func(s *fakeSocket, incarnation int) bool {
		s.steps(incarnation)
		<-goOn
		return true
	}
	tab := open(loginPath, look{})
	tab.untilState("booting")
	lit := func(state string) {
		t.Helper()
		tab.until(state+" is lit", fmt.Sprintf(`[...document.querySelectorAll("#lifecycle [data-lit=true]")].map((g) => g.dataset.state).join() === %q`, state))
	}
	tab.run(chromedp.Click("#pod-toggle"))
	lit("provisioning")
	close(goOn)
	tab.untilState("attached")
	lit("ready")
	tab.until("what happened, newest first", `[...document.querySelectorAll("#events .event-text")].map((e) => e.textContent).join() === "terminal attached,boot done,boot begins"`)
	tab.keep("lifecycle")
	f.lose("asleep", "idle")
	lit("asleep")
	tab.until("the sleep at the top", `document.querySelector("#events .event-text").textContent === "container removed"`)
}

func keptAwake(t *testing.T, f *fake, open opener) {
	f.maxLease = 7 * time.Hour
	tab := open(loginPath, look{width: 360, height: 640})
	tab.untilState("attached")
	tab.run(chromedp.Click("#pod-toggle"))
	tab.until("what the server gives is offered, and it fits", `[...document.querySelectorAll("#lease button")].filter((e) => e.offsetParent).map((e) => e.textContent).join() === "1 h,4 h" && [...document.querySelectorAll("#lease *")].every((e) => e.getBoundingClientRect().right <= 360) && document.documentElement.scrollWidth <= 360`)
	tab.until("no lease", `document.querySelector("#lease-text").hidden`)
	tab.run(chromedp.Click(`#lease [data-hours="4"]`))
	tab.until("the lease", `!document.querySelector("#lease-text").hidden && /^Kept awake until .*\d\d:\d\d.* by its lease\.$/.test(document.querySelector("#lease-text").innerText)`)
	tab.keep("lease")
	before := eval[string](tab, `document.querySelector("#lease-text").innerText`)
	tab.run(chromedp.Click(`#lease [data-hours="1"]`))
	tab.until("that it never gets shorter", `document.querySelector("#notice").innerText.startsWith("The lease already lasts until ")`)
	if after := eval[string](tab, `document.querySelector("#lease-text").innerText`); after != before {
		t.Errorf("%q became %q", before, after)
	}
	f.mu.Lock()
	f.maxLease = 30 * time.Minute
	f.mu.Unlock()
	tab.run(script(`document.querySelector("#lease [data-hours='1']").click()`)) // before the page knows
	tab.until("the server's refusal", `document.querySelector("#notice").innerText === "The pod is not kept awake: that is no lease"`)
	tab.until("nothing is offered that is not given", `document.querySelector("#lease").hidden`)
}

func offlineAndBack(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	f.print("main", "before ")
	tab.untilScreen("before")
	online := func(on bool) {
		call(tab, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: !on, DownloadThroughput: -1, UploadThroughput: -1})
		tab.until("what the browser knows", fmt.Sprintf("navigator.onLine === %v", on))
	}
	// The socket looks open all the time, as one does whose network went away under it.
	online(false)
	f.print("main", "meanwhile ")
	online(true)
	tab.until("the same shell, with what came meanwhile", `podlife.state === "attached" && podlife.screen.includes("before meanwhile")`)
	if screen := eval[string](tab, "podlife.screen"); strings.Count(screen, "meanwhile") != 1 || strings.Count(screen, "before") != 1 {
		t.Errorf("lost or doubled: %q", screen)
	}
	if hellos, boots := f.counts(); hellos != 2 || boots != 1 {
		t.Errorf("%d sockets and %d boots, want the old socket replaced and no boot", hellos, boots)
	}
}

func floodIsAcknowledged(t *testing.T, f *fake, open opener) {
	tab := open(loginPath, look{})
	tab.untilState("attached")
	for range 64 {
		f.print("main", strings.Repeat("y\r\n", 5461))
	}
	f.print("main", "the end")
	tab.untilScreen("the end")
	f.mu.Lock()
	defer f.mu.Unlock()
	total := float64(f.shell("main").output.Len())
	last := 0.0
	for _, have := range f.acks {
		if have-last < 64*1024 || have > total {
			t.Errorf("ack %v after %v of %v", have, last, total)
		}
		last = have
	}
	if total-last > 128*1024 {
		t.Errorf("the last ack is %v of %v", last, total)
	}
}
