package server

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"podlife/model/podlifecycle"
	"podlife/runtime/pod"
	"podlife/runtime/workspace"
)

// somePods are five of one owner, with the default one.
func somePods() []workspace.Info {
	at := func(minute int) time.Time { return time.Date(2030, 1, 1, 12, minute, 0, 0, time.UTC) }
	return []workspace.Info{
		{Name: "default", Class: workspace.Ephemeral},
		{Name: "api", Class: workspace.Workspace, CreatedAt: at(3), Labels: map[string]string{"team": "red", "tier": "web"}, Status: pod.Status{State: podlifecycle.Ready}},
		{Name: "build", Class: workspace.Ephemeral, CreatedAt: at(1), Labels: map[string]string{"team": "blue"}, Status: pod.Status{State: podlifecycle.Fresh}},
		{Name: "chat", Class: workspace.Workspace, CreatedAt: at(2), Labels: map[string]string{"team": "red", "empty": ""}},
		{Name: "docs", Class: workspace.Workspace, CreatedAt: at(2), Status: pod.Status{State: podlifecycle.Provisioning}},
	}
}

func names(pods []workspace.Info) string {
	var all []string
	for _, i := range pods {
		all = append(all, i.Name)
	}
	return strings.Join(all, " ")
}

func TestWhichPodsAQueryGivesAndInWhichOrder(t *testing.T) {
	for query, want := range map[string]string{
		"":                               "api build chat default docs",
		"sort=name":                      "api build chat default docs",
		"sort=-name":                     "docs default chat build api",
		"sort=created":                   "default build chat docs api",
		"sort=-created":                  "api docs chat build default",
		"sort=state":                     "chat default build docs api",
		"class=workspace":                "api chat docs",
		"class=ephemeral":                "build default",
		"state=asleep":                   "chat default",
		"state=provisioning":             "build docs",
		"state=ready":                    "api",
		"label=team":                     "api build chat",
		"label=team%3Dred":               "api chat",
		"label=team%3Dred&label=tier":    "api",
		"label=team%3Dred&label=tier%3D": "",
		"label=empty%3D":                 "chat",
		"label=nobody":                   "",
		"limit=2":                        "api build",
		"class=workspace&state=asleep&label=team%3Dred&sort=-name&limit=1": "chat",
	} {
		v, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		q, err := parsePodQuery(v)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		page, next := q.page(somePods())
		if got := names(page); got != want || (next != "") != (query == "limit=2") {
			t.Errorf("%s gives %q, next %q; want %q", query, got, next, want)
		}
	}
}

func TestAQueryThatIsNoneIsRefusedByName(t *testing.T) {
	cursorOf := func(c cursor) string { return url.QueryEscape(c.String()) }
	encoded := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	for query, name := range map[string]string{
		"colour=red":                   "colour",
		"class=permanent":              "class",
		"class=":                       "class",
		"class=workspace&class=x":      "class",
		"state=fresh":                  "state",
		"sort=-state":                  "sort",
		"sort=age":                     "sort",
		"sort=name&sort=name":          "sort",
		"limit=0":                      "limit",
		"limit=201":                    "limit",
		"limit=x":                      "limit",
		"limit=":                       "limit",
		"limit=1&limit=2":              "limit",
		"label=":                       "label",
		"label=%3Dred":                 "label",
		"after=":                       "after",
		"after=%00":                    "after",
		"after=" + encoded(`{}`) + "=": "after",
		"after=" + encoded(`{"sort":"name","key":"a","name":"a","more":1}`): "after",
		"after=" + encoded(`[]`):                                                      "after",
		"after=" + cursorOf(cursor{"-name", "a", "a"}):                                "after",
		"sort=created&after=" + cursorOf(cursor{"name", "a", "a"}):                    "after",
		"after=" + cursorOf(cursor{"name", "a", "a"}) + "x":                           "after",
		"after=" + cursorOf(cursor{"name", "a", "a"}) + "&after=" + encoded("anyone"): "after",
	} {
		v, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		_, err = parsePodQuery(v)
		var bad *requestError
		if !errors.As(err, &bad) || bad.status != 400 || bad.code != "bad_request" || !strings.Contains(bad.detail, name) {
			t.Errorf("%s: %v, want a bad request that names %s", query, err, name)
		}
	}
}

// Whatever is created and removed between the pages: what was there all the time is seen once, and what is seen is in order.
func TestPagesAreStableWhatEverHappensBetweenThem(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		for _, sort := range sorts() {
			if sort == "state" { // a pod's state is no fixed place
				continue
			}
			pods := map[string]workspace.Info{}
			add := func(name string) {
				pods[name] = workspace.Info{Name: name, CreatedAt: time.UnixMilli(rnd.Int64N(10))}
			}
			for n := range 30 {
				add(fmt.Sprintf("stays-%d", n))
			}
			var seen []workspace.Info
			for after := ""; ; {
				v := url.Values{"sort": {sort}, "limit": {fmt.Sprint(1 + rnd.IntN(7))}}
				if after != "" {
					v.Set("after", after)
				}
				q, err := parsePodQuery(v)
				if err != nil {
					t.Fatal(err)
				}
				page, next := q.page(slices.Collect(maps.Values(pods)))
				seen = append(seen, page...)
				if after = next; next == "" {
					break
				}
				for range rnd.IntN(4) {
					name := fmt.Sprintf("comes-%d", rnd.IntN(10))
					if _, has := pods[name]; has {
						delete(pods, name)
					} else {
						add(name)
					}
				}
			}
			q, _ := parsePodQuery(url.Values{"sort": {sort}})
			stays := 0
			for n, i := range seen {
				if n > 0 && q.compare(q.at(seen[n-1]), q.at(i)) >= 0 {
					t.Fatalf("seed %d, %s: %s is not behind %s", seed, sort, i.Name, seen[n-1].Name)
				}
				if strings.HasPrefix(i.Name, "stays-") {
					stays++
				}
			}
			if stays != 30 {
				t.Fatalf("seed %d, %s: of 30 pods that were there all the time %d were seen", seed, sort, stays)
			}
		}
	}
}
