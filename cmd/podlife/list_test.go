package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"podlife/runtime/client"
)

func TestAPipedListIsALineOfWholeFieldsForEachPod(t *testing.T) {
	f := newFakePods(t)
	long := strings.Repeat("x", 40)
	f.add(long, classWorkspace, map[string]string{"b": "2", "a": strings.Repeat("y", 100)})
	f.add("web", classEphemeral, map[string]string{"k": "bad\x1b[2J\t\nline"})
	f.pods["web"]["state"], f.pods["web"]["kept_awake_by"] = "ready", []string{"terminal", "lease"}
	f.pods["default"]["state"], f.pods["default"]["sleeps_at"] = "ready", fakeSince
	out, errOut, code := f.main(t).run(t, "", "ls")
	want := "default\tephemeral\tready\t" + fakeSince + "\t\t" + fakeSince + "\t\n" +
		"web\tephemeral\tready\t" + fakeSince + "\tterminal,lease\t\t" + `k=bad\x1b[2J\t\nline` + "\n" +
		long + "\tworkspace\tasleep\t" + fakeSince + "\t\t\ta=" + strings.Repeat("y", 100) + " b=2\n"
	if out != want || errOut != "" || code != 0 {
		t.Errorf("exit %d, %q\n%s\nwant\n%s", code, errOut, out, want)
	}
}

func TestAListOfPodsIsFilteredAndSortedByTheServer(t *testing.T) {
	f := newFakeServer(t)
	var query string
	f.mux.HandleFunc("GET /api/pods", func(w http.ResponseWriter, r *http.Request) {
		query = r.URL.RawQuery
		answer(w, 200, "application/json", map[string]any{"pods": []any{}, "next": ""})
	})
	m := f.main(t)
	if out, _, code := m.run(t, "", "ls", "--class", "workspace", "--state", "ready", "--label", "a=1", "--label", "b", "--sort", "-created"); code != 0 || out != "" ||
		query != "class=workspace&label=a%3D1&label=b&sort=-created&state=ready" {
		t.Errorf("exit %d, %q, query %s", code, out, query)
	}
	for want, args := range map[string][]string{"did you mean workspace?": {"--class", "workspaces"}, "did you mean asleep?": {"--state", "aslep"}, "allowed: name, -name, created, -created, state": {"--sort", "age"}} {
		query = ""
		if _, errOut, code := m.run(t, "", append([]string{"ls"}, args...)...); code != exitUsage || !strings.Contains(errOut, want) || query != "" {
			t.Errorf("%q: exit %d, %s", args, code, errOut)
		}
	}
	if out, _, _ := m.run(t, "", "ls", "--json"); out != "[]\n" {
		t.Errorf("json of none: %q", out)
	}
}

func TestAListAsJSONIsAllPages(t *testing.T) {
	f := newFakePods(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		f.add(name, classEphemeral, nil)
	}
	var pods []client.Pod
	if out, _, code := f.main(t).run(t, "", "ls", "--json", "--sort", "-name"); json.Unmarshal([]byte(out), &pods) != nil || len(pods) != 5 || pods[0].Name != "default" || pods[4].Name != "a" || code != 0 {
		t.Errorf("exit %d, %s", code, out)
	}
}

// Whoever has a narrow terminal sees a table that is not broken into pieces.
func TestATableOnATerminalFitsIt(t *testing.T) {
	f := newFakePods(t)
	f.pods["default"]["state"], f.pods["default"]["kept_awake_by"] = "provisioning", []string{"boot", "terminal", "exec", "lease"}
	f.add(strings.Repeat("n", 40), classWorkspace, map[string]string{"team": strings.Repeat("界", 60) + "\x1b[2J"})
	f.add("web", classWorkspace, nil)["life"] = lifeGoing
	f.pods["web"]["trouble"] = "its volume is in use\x1b"
	p := sitAt(t, f.main(t), "ls")
	p.sees("in use\\x1b\r\n") // what keeps a pod from being removed is told behind the table
	p.ends(0)

	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer slave.Close()
	tab := tableFor(&output{w: slave}, column{"NAME", 16})
	if tab.width != plainWidth {
		t.Errorf("a terminal without a size is taken to be %d wide", tab.width)
	}
	var all []client.Pod
	out, _, _ := f.main(t).run(t, "", "ls", "--json")
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	text := podsAt(t, all, 80)
	for line := range strings.Lines(text) {
		if n := cells(strings.TrimSuffix(line, "\n")); n > 80 || !clean(line) || strings.HasSuffix(line, " \n") {
			t.Errorf("%d cells: %q", n, line)
		}
	}
	for _, want := range []string{"NAME", "KEPT AWAKE", "LABELS", "going", "nnn… ", "provisioning", "by boot"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if wide := podsAt(t, all, 300); strings.Contains(wide, "…") || !strings.Contains(wide, `\x1b[2J`) {
		t.Errorf("nothing has to be cut in\n%s", wide)
	}
}

// podsAt lays pods out for a terminal of a width.
func podsAt(t *testing.T, pods []client.Pod, width int) string {
	t.Helper()
	var b strings.Builder
	tab := podTable(&b)
	tab.width = width
	for _, p := range pods {
		addPod(tab, p, time.Date(2024, 5, 8, 12, 0, 0, 0, time.UTC))
	}
	if err := tab.print("none"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestATableForPeopleSaysWhyAPodIsAwakeAndUntilWhen(t *testing.T) {
	now := time.Date(2024, 5, 8, 12, 0, 0, 0, time.UTC)
	soon, tomorrow := now.Add(10*time.Minute), now.Add(24*time.Hour)
	pod := func(name string, sleeps *time.Time, by ...string) client.Pod {
		return client.Pod{Name: name, Class: classEphemeral, State: "ready", Since: now.Add(-50 * time.Hour), SleepsAt: sleeps, KeptAwakeBy: by}
	}
	got := podsAt(t, []client.Pod{pod("a", nil, "terminal", "lease"), pod("b", &soon), pod("c", &tomorrow), {Name: "d", Class: classWorkspace, State: "asleep", Since: now.Add(-90 * time.Second)}}, 80)
	want := "NAME  CLASS      STATE   SINCE   KEPT AWAKE\n" +
		"a     ephemeral  ready   2 days  by terminal, lease\n" +
		"b     ephemeral  ready   2 days  until " + soon.Local().Format("15:04") + "\n" +
		"c     ephemeral  ready   2 days  until " + tomorrow.Local().Format("01-02 15:04") + "\n" +
		"d     workspace  asleep  1 min\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if none := podsAt(t, nil, 80); none != "none\n" {
		t.Errorf("of none: %q", none)
	}
}

// A pod that the server cannot look into is not shown as one that boots.
func TestAPodThatIsBeingRecoveredIsListedAsThat(t *testing.T) {
	f := newFakePods(t)
	f.add("web", classEphemeral, nil)["state"] = "provisioning"
	f.pods["web"]["recovering"] = true
	if out, errOut, code := f.main(t).run(t, "", "ls"); code != 0 || !strings.Contains(out, "\tprovisioning (recovering)\t") {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
}
