package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// untilShell waits for a shell in an incarnation and looks, by typing into it, whether the boot script set it up: multiplexer, repository, hook.
func (tab *tab) untilShell(incarnation int) {
	tab.t.Helper()
	tab.untilWithin(bootWait, fmt.Sprintf("a shell in incarnation %d", incarnation), fmt.Sprintf(`window.podlife && podlife.state === "attached" && podlife.incarnation === %d`, incarnation))
	tab.untilScreen("~/example#")
	// The sum keeps the command's own echo from passing for its answer.
	tab.run(keys(fmt.Sprintf("clear; command -v tmux && ls ~/example && grep -qi podlife ~/.bashrc && echo provisioned-%d-$((40+2))\r", incarnation)))
	tab.untilScreen(fmt.Sprintf("provisioned-%d-42", incarnation))
	tab.untilScreen("hello.sh")
}

func TestDockerPage(t *testing.T) {
	if os.Getenv("PODLIFE_TEST_DOCKER") != "1" {
		t.Skip("not_run: needs Docker; set PODLIFE_TEST_DOCKER=1")
	}
	program := buildProgram(t)
	browser := startBrowser(t)
	t.Run("survives what happens to its pod", func(t *testing.T) { survives(t, program, browser) })
	t.Run("shows why a boot failed", func(t *testing.T) { showsWhyABootFailed(t, program, browser) })
}

func survives(t *testing.T, program string, browser context.Context) {
	s := startServer(t, program, "--repo-url", "file:///srv/example.git")
	tab := openTab(t, browser, s.URL, s.loginPath, look{})

	// After boot.
	tab.untilShell(1)
	tab.keep("docker-after-boot")
	tab.run(chromedp.Click("#pod-toggle"), chromedp.Click("#boot-toggle"))
	steps := eval[string](tab, `[...document.querySelectorAll("#steps li")].map((li) => li.querySelector(".step-name").textContent + " " + li.dataset.status).join(", ")`)
	if !strings.Contains(steps, "repository done") || strings.Contains(steps, "started") || strings.Contains(steps, "failed") {
		t.Errorf("steps of a boot that is over: %s", steps)
	}
	tab.keep("docker-boot-log")
	tab.run(chromedp.Click("#go"), chromedp.Click(".xterm-screen"))

	// The shell has the terminal's size (bug report B52).
	size := eval[map[string]float64](tab, "podlife.size")
	tab.run(keys("clear; stty size\r"))
	tab.untilScreen(fmt.Sprintf("%v %v", size["rows"], size["cols"]))

	// Reloads: the same session, no second boot, and nothing typed into it by the terminal itself (bug report B46).
	tab.run(keys("clear; kept=here; echo kept-$((40+2))\r"))
	tab.untilScreen("kept-42")
	for range 3 {
		tab.run(chromedp.Reload())
		tab.untilState("attached")
		tab.untilScreen("kept-42")
	}
	tab.run(keys("echo [$kept]\r"))
	tab.untilScreen("[here]")
	if screen := eval[string](tab, "podlife.screen"); strings.Contains(screen, ";2c") || strings.Contains(screen, "rgb:") {
		t.Errorf("answers of the terminal were typed into the shell: %q", screen)
	}
	if incarnation := eval[int](tab, "podlife.incarnation"); incarnation != 1 {
		t.Errorf("incarnation %d after reloads", incarnation)
	}

	// Destroyed by somebody else, with the tab open: it says so, and a provisioned shell comes back by itself.
	s.cli(t.Context(), "destroy", "--yes")
	tab.until("destroyed, and what happens next", `podlife.state === "destroyed" && document.querySelector(".status").innerText.includes("boots in")`)
	tab.keep("docker-destroyed-with-the-tab-open")
	tab.untilShell(2)
	tab.keep("docker-back-by-itself")

	// Removed behind the server's back: that is a sleep, and the same way back.
	container, _ := tab.status()["container"].(string)
	removeBehind(t, container)
	tab.untilState("asleep")
	tab.untilShell(3)

	// The shell ends: that is final, and the pod stays.
	tab.run(keys("clear; exit\r"))
	tab.untilState("exited")
	tab.keep("docker-shell-ended")
	tab.run(chromedp.Click("#go"))
	tab.untilShell(3)
}

// status asks the server, as the page's user.
func (tab *tab) status() map[string]any {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, wait)
	defer cancel()
	status, err := chromedp.Run(ctx, chromedp.Evaluate[map[string]any](`fetch("/api/status").then((answer) => answer.json())`, chromedp.EvalAwaitPromise))
	if err != nil {
		tab.t.Fatalf("no status: %v", err)
	}
	return status
}

func showsWhyABootFailed(t *testing.T, program string, browser context.Context) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("echo 'reading <b>settings</b>'\necho 'settings: no such file' >&2\nexit 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startServer(t, program, "--user-script", script)
	tab := openTab(t, browser, s.URL, s.loginPath, look{dark: true})
	tab.untilWithin(bootWait, "the failed step", `window.podlife && podlife.state === "failed"`)
	tab.until("the exit code", `document.querySelector("#panel-title").textContent.includes("exit code 7")`)
	tab.until("the log's end as text", `document.querySelector("#tail").textContent.includes("reading <b>settings</b>") && document.querySelector("#tail").textContent.includes("settings: no such file")`)
	tab.keep("docker-boot-failed")
	tab.run(chromedp.Click("#go"))
	tab.untilWithin(bootWait, "the retry to boot", `podlife.state === "booting"`)
	tab.untilWithin(bootWait, "the retry to fail too", `podlife.state === "failed"`)
	if incarnation := tab.status()["incarnation"]; incarnation != 2.0 {
		t.Errorf("the retry was incarnation %v: a failed one must not be used again", incarnation)
	}
}
