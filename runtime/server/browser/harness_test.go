package browser

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// wait is how long a test waits for the page before it says what it saw instead. Generous: the machine may be busy, and nothing waits without reason.
const wait = 15 * time.Second

// requireBrowser skips where browser tests were not asked for. Where they were, a missing browser is a failure and not a skip.
func requireBrowser(t *testing.T) string {
	t.Helper()
	if os.Getenv("PODLIFE_TEST_BROWSER") == "" && os.Getenv("PODLIFE_TEST_DOCKER") == "" {
		t.Skip("not_run: set PODLIFE_TEST_BROWSER=1 (needs Chromium and the built page: scripts/ensure-tools.sh, make web)")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no Chromium found in PATH: scripts/ensure-tools.sh installs it")
	return ""
}

// startBrowser runs one headless Chromium until the test ends.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(requireBrowser(t)),
		chromedp.NoSandbox, // root in a container has no other way; the only page it opens is ours
		chromedp.DisableGPU,
	)
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	browser, stopBrowser := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		stopBrowser()
		stop()
	})
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("Chromium does not start: %v", err)
	}
	return browser
}

// look says how a tab sees the world.
type look struct {
	width, height int64
	dark          bool
}

// tab is one browser tab with cookies of its own.
type tab struct {
	t      *testing.T
	ctx    context.Context
	server string

	mu         sync.Mutex // guards the following, which browser events write
	complaints []string
}

// openTab opens path of server in a new tab. When the test ends it fails if the page threw, broke its own policy, or asked any other host for anything.
func openTab(t *testing.T, browser context.Context, server, path string, as look) *tab {
	t.Helper()
	if as.width == 0 {
		as.width, as.height = 1100, 700
	}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	tab := &tab{t: t, ctx: ctx, server: server}
	host := mustParse(t, server).Host
	// Listen also opens the tab, with a context that has no timeout: the first one that is used rules the tab's life.
	if err := chromedp.Listen(ctx, func(event any) { tab.hear(event, host) }); err != nil {
		t.Fatalf("no tab: %v", err)
	}
	scheme := "light"
	if as.dark {
		scheme = "dark"
	}
	call(tab, network.Enable, network.EnableParams{})
	call(tab, log.Enable, cdp.Empty{})
	call(tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: as.width, Height: as.height, DeviceScaleFactor: 1, Mobile: as.width < 500})
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	tab.run(chromedp.Navigate(server + path))
	t.Cleanup(func() {
		cancel()
		tab.mu.Lock()
		defer tab.mu.Unlock()
		for _, complaint := range tab.complaints {
			t.Errorf("the browser complains: %s", complaint)
		}
	})
	return tab
}

func (tab *tab) hear(event any, host string) {
	complain := func(format string, args ...any) {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		tab.complaints = append(tab.complaints, fmt.Sprintf(format, args...))
	}
	switch event := event.(type) {
	case *cdpruntime.EventExceptionThrown:
		complain("uncaught: %s", exception(event.ExceptionDetails))
	case *log.EventEntryAdded:
		if event.Entry.Source == log.EntrySourceSecurity || strings.Contains(event.Entry.Text, "Content Security Policy") {
			complain("policy: %s %s", event.Entry.Text, event.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		if address, err := url.Parse(event.Request.URL); err == nil && address.Scheme != "data" && address.Host != host {
			complain("request to another host: %s", event.Request.URL)
		}
	case *network.EventWebSocketCreated:
		if address, err := url.Parse(event.URL); err != nil || address.Host != host {
			complain("socket to another host: %s", event.URL)
		}
	case *page.EventJavascriptDialogOpening:
		complain("dialog: %s", event.Message)
	}
}

func (tab *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, wait)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		tab.t.Fatalf("%v\nthe page: %s", err, tab.describe())
	}
}

// call runs one command of the browser's protocol.
func call[P, R any](tab *tab, command cdp.Command[P, R], params P) {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, wait)
	defer cancel()
	if _, err := chromedp.Call(ctx, command, params); err != nil {
		tab.t.Fatal(err)
	}
}

// eval gives the value of a JavaScript expression.
func eval[T any](tab *tab, expression string) T {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, wait)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		tab.t.Fatalf("%s: %v\nthe page: %s", expression, err, tab.describe())
	}
	return value
}

// script runs JavaScript for its effect.
func script(code string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](code)
}

// keys types as a keyboard does: one event whose default is the character, so that a page which handles the key itself gets no second one.
// (chromedp.KeyEvent sends the character in any case, and a terminal then sees each key twice.)
func keys(text string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		for _, r := range text {
			for _, event := range kb.Encode(r) {
				switch event.Type {
				case kb.KeyChar:
					continue
				case kb.KeyDown:
					if key, known := kb.Keys[r]; known {
						event.Text = key.Text
					}
				}
				if _, err := chromedp.Call(ctx, input.DispatchKeyEvent, *event); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// until waits for a JavaScript condition, and when it does not come says what the page shows instead.
func (tab *tab) until(claim, condition string) {
	tab.t.Helper()
	tab.untilWithin(wait, claim, condition)
}

// untilWithin is until with another patience, for what takes a real container.
func (tab *tab) untilWithin(patience time.Duration, claim, condition string) {
	tab.t.Helper()
	poll := chromedp.Poll[chromedp.Void](condition, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(0))
	ctx, cancel := context.WithTimeout(tab.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, poll); err != nil {
		tab.t.Fatalf("%s: not seen (%v)\nthe page: %s", claim, err, tab.describe())
	}
}

// follow does what leads to another page of the server, and waits until that is there. While a page is left nothing can be asked of it.
func (tab *tab) follow(path string, action chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	tab.run(action)
	ctx, cancel := context.WithTimeout(tab.ctx, wait)
	defer cancel()
	for ctx.Err() == nil {
		poll := chromedp.Poll[chromedp.Void](fmt.Sprintf(`location.pathname === %q && document.readyState === "complete" && window.podlife`, path), chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(0))
		if chromedp.Do(ctx, poll) == nil {
			return
		}
	}
	tab.t.Fatalf("%s: not opened\nthe page: %s", path, tab.describe())
}

func (tab *tab) untilState(state string) {
	tab.t.Helper()
	tab.until("state "+state, fmt.Sprintf("window.podlife && podlife.state === %q", state))
}

func (tab *tab) untilScreen(text string) {
	tab.t.Helper()
	tab.until(fmt.Sprintf("%q on the screen", text), fmt.Sprintf("podlife.screen.includes(%q)", text))
}

// describe is for failure messages.
func (tab *tab) describe() string {
	ctx, cancel := context.WithTimeout(tab.ctx, 2*time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`JSON.stringify({state: window.podlife?.state, incarnation: window.podlife?.incarnation, text: document.body.innerText.slice(0, 800), screen: window.podlife?.screen.slice(-800)})`))
	if err != nil {
		return fmt.Sprintf("cannot be read (%v)", err)
	}
	return text
}

// keep saves what the page looks like, where PODLIFE_SCREENSHOTS names a folder.
func (tab *tab) keep(name string) {
	tab.t.Helper()
	folder := os.Getenv("PODLIFE_SCREENSHOTS")
	if folder == "" {
		return
	}
	// What moves (a card that fades in) comes to its end first.
	tab.run(script(`document.getAnimations().forEach((a) => { try { a.finish() } catch { a.cancel() } })`))
	ctx, cancel := context.WithTimeout(tab.ctx, wait)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		tab.t.Fatal(err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		tab.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644); err != nil {
		tab.t.Fatal(err)
	}
}

func exception(details *cdpruntime.ExceptionDetails) string {
	if details.Exception != nil && details.Exception.Description != "" {
		return details.Exception.Description
	}
	return fmt.Sprintf("%s at %s:%d", details.Text, details.URL, details.LineNumber)
}

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
