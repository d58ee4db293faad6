package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"podlife/conformance/report"
)

// wait is how long anything of the page may take; nothing waits without reason.
const wait = 15 * time.Second

func chromium(t *testing.T) string {
	t.Helper()
	if os.Getenv("PODLIFE_TEST_BROWSER") == "" {
		t.Skip("not_run: set PODLIFE_TEST_BROWSER=1 (needs Chromium: scripts/ensure-tools.sh)")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no Chromium found in PATH: scripts/ensure-tools.sh installs it")
	return ""
}

// tab is the report, opened.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex // guards the following, which browser events write
	requests   []string
	complaints []string
}

// hear notes every request, and everything that a browser complains of.
func (tab *tab) hear(event any) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	complain := func(format string, args ...any) {
		tab.complaints = append(tab.complaints, fmt.Sprintf(format, args...))
	}
	switch event := event.(type) {
	case *cdpruntime.EventExceptionThrown:
		complain("uncaught: %s at %d", event.ExceptionDetails.Text, event.ExceptionDetails.LineNumber)
	case *cdpruntime.EventConsoleAPICalled:
		complain("console: %s", event.Type)
	case *log.EventEntryAdded:
		complain("log: %s %s", event.Entry.Text, event.Entry.URL)
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(event.Request.URL, "data:") {
			tab.requests = append(tab.requests, event.Request.URL)
		}
	case *page.EventJavascriptDialogOpening:
		complain("dialog: %s", event.Message)
	}
}

func (tab *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, wait)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		tab.t.Fatal(err)
	}
}

func call[P, R any](tab *tab, command cdp.Command[P, R], params P) {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, wait)
	defer cancel()
	if _, err := chromedp.Call(ctx, command, params); err != nil {
		tab.t.Fatal(err)
	}
}

func eval[T any](tab *tab, expression string) T {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, wait)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		tab.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// wants fails where a JavaScript condition does not hold.
func (tab *tab) wants(claim, condition string) {
	tab.t.Helper()
	if !eval[bool](tab, condition) {
		tab.t.Errorf("%s: not so", claim)
	}
}

// keep saves a picture of the part of the page with this id, where PODLIFE_SCREENSHOTS names a folder.
func (tab *tab) keep(name, id string) {
	tab.t.Helper()
	folder := os.Getenv("PODLIFE_SCREENSHOTS")
	if folder == "" {
		return
	}
	tab.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.getElementById(%q).scrollIntoView()", id)))
	ctx, cancel := context.WithTimeout(tab.ctx, wait)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "report-"+name+"-"+id+".png"), picture, 0o644)
	}
	if err != nil {
		tab.t.Fatal(err)
	}
}

// written leaves the report of the test's files in a file.
func written(t *testing.T) string {
	t.Helper()
	p, err := report.Build(t.Context(), report.Inputs{Coverage: "../testdata/coverage.json", Root: "../testdata", Results: "../testdata/results"})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "report.html")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestTheReportStandsForItself(t *testing.T) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium(t)),
		chromedp.NoSandbox, // root in a container has no other way; the only page it opens is ours
		chromedp.DisableGPU,
	)
	name := written(t)
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	browser, stopBrowser := chromedp.NewContext(allocator)
	t.Cleanup(stopBrowser)
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("Chromium does not start: %v", err)
	}
	for _, width := range []int64{360, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			t.Run(fmt.Sprintf("%d %s", width, scheme), func(t *testing.T) { opened(t, browser, name, width, scheme) })
		}
	}
}

func opened(t *testing.T, browser context.Context, name string, width int64, scheme string) {
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	tab := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, tab.hear); err != nil {
		t.Fatalf("no tab: %v", err)
	}
	call(tab, network.Enable, network.EnableParams{})
	call(tab, log.Enable, cdp.Empty{})
	call(tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 800, DeviceScaleFactor: 1, Mobile: width < 500})
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	tab.do(chromedp.Navigate("file://" + name))

	tab.wants("all sections are there", `document.querySelectorAll("main > section").length === 10`)
	tab.wants("nothing is wider than the window", `document.documentElement.scrollWidth <= innerWidth`)
	tab.wants("the ground is of the scheme", fmt.Sprintf(`(getComputedStyle(document.body).backgroundColor === "rgb(255, 255, 255)") === %v`, scheme == "light"))
	tab.wants("what a file said is text", `document.querySelector("#specs").innerText.includes("<script>alert('config')</script>")`)
	tab.wants("every table has a head", `[...document.querySelectorAll("table")].every((t) => t.tHead && t.rows.length > 1)`)
	tab.wants("no id is there twice", `new Set([...document.querySelectorAll("[id]")].map((e) => e.id)).size === document.querySelectorAll("[id]").length`)
	tab.wants("every link of the page leads somewhere", `[...document.querySelectorAll("a")].every((a) => document.querySelector(a.getAttribute("href")))`)
	if low := eval[string](tab, contrast); low != "" {
		t.Errorf("too little contrast: %s", low)
	}
	if edges := eval[int](tab, `document.querySelectorAll("#states .edge").length`); edges != 66 {
		t.Errorf("%d edges are drawn", edges)
	}
	tab.keep(fmt.Sprintf("%d-%s", width, scheme), "glance")
	tab.keep(fmt.Sprintf("%d-%s", width, scheme), "graph")
	tab.keep(fmt.Sprintf("%d-%s", width, scheme), "mutants")
	tab.do(chromedp.Evaluate[chromedp.Void](`{ const pick = document.querySelector("#pick"); pick.value = "0"; pick.dispatchEvent(new Event("change")) }`))
	tab.wants("the edges of a state that was chosen are told", `[...document.querySelectorAll("#chosen li")].some((l) => l.textContent.startsWith("StartBoot: asleep/idle"))`)
	tab.wants("and stand out", `document.querySelectorAll("#states .edge.on").length === document.querySelectorAll("#chosen li").length && document.querySelector("#states").classList.contains("chosen")`)
	tab.do(chromedp.Evaluate[chromedp.Void](`{ const pick = document.querySelector("#pick"); pick.value = ""; pick.dispatchEvent(new Event("change")) }`))
	tab.wants("all of them again", `document.querySelectorAll("#chosen li").length === 0 && !document.querySelector("#states").classList.contains("chosen")`)
	steps(tab)
	tab.keep(fmt.Sprintf("%d-%s", width, scheme), "behaviour")
	tab.keep(fmt.Sprintf("%d-%s", width, scheme), "picture")
	tab.do(chromedp.Evaluate[chromedp.Void](`window.told = []; addEventListener("message", (m) => told.push(m.data)); { const frame = document.querySelector("iframe"); frame.srcdoc = frame.srcdoc }`))
	tab.do(chromedp.Poll[chromedp.Void](`told.includes("drawn")`, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(0)))
	tab.wants("the picture reaches nothing of the page", `document.querySelector("iframe").contentDocument === null`)

	cancel()
	tab.mu.Lock()
	defer tab.mu.Unlock()
	for _, complaint := range tab.complaints {
		t.Errorf("the browser complains: %s", complaint)
	}
	if len(tab.requests) != 1 || tab.requests[0] != "file://"+name {
		t.Errorf("the page asked for %q, want itself alone", tab.requests)
	}
}

// steps goes through the counterexample by keys alone.
func steps(tab *tab) {
	tab.t.Helper()
	states := eval[int](tab, `document.querySelectorAll("#frames .frame").length`)
	if states < 5 {
		tab.t.Fatalf("the counterexample has %d states", states)
	}
	now := func(n int) {
		tab.t.Helper()
		tab.wants(fmt.Sprintf("state %d alone is shown", n), fmt.Sprintf(
			`[...document.querySelectorAll("#frames .frame")].filter((f) => f.offsetHeight > 0).map((f) => f.dataset.frame).join() === "%d" && document.querySelector("#lanes thead .now").dataset.frame === "%d"`, n, n))
		tab.wants("it is told", fmt.Sprintf(`document.querySelector("#where").textContent === "state %d of %d"`, n, states))
	}
	now(1)
	tab.do(chromedp.Focus("#stepper"), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	now(3)
	tab.do(chromedp.KeyEvent(kb.ArrowLeft))
	now(2)
	tab.do(chromedp.KeyEvent(kb.End))
	now(states)
	tab.do(chromedp.KeyEvent(kb.ArrowRight))
	now(states)
	tab.do(chromedp.KeyEvent(kb.Home))
	now(1)
	tab.do(chromedp.Click("#next"))
	now(2)
	tab.wants("what changed is marked", `document.querySelectorAll("#lanes td.changed.now").length > 0`)
	tab.do(chromedp.KeyEvent(kb.End))
}

// contrast names texts that have less than 4.5 to 1 against the ground that they stand on, as WCAG 2 wants it; "" is none.
const contrast = `(() => {
  const parse = (c) => c.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  const low = new Set();
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) || e.closest("svg, script, button:disabled") || e.offsetHeight === 0) continue;
    const a = light(parse(getComputedStyle(e).color)), b = light(ground(e));
    if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) low.add(e.tagName + "." + e.className + " " + e.textContent.slice(0, 20));
  }
  return [...low].join("; ");
})()`
