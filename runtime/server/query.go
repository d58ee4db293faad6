package server

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"podlife/runtime/workspace"
)

// The number of pods on a page: where none is asked for, and the most.
const (
	defaultPage = 100
	mostPage    = 200
)

// podQuery is which pods somebody wants to see, and in which order.
type podQuery struct {
	class, state string // "" is any
	labels       []labelQuery
	sort         string // a sort key, with a minus before it for the other way round
	limit        int
	after        *cursor // nil is the first page
}

// labelQuery is a label that a pod must have, with a value or with any.
type labelQuery struct {
	key, value string
	any        bool
}

// cursor says where a page ended: the sort that it belongs to, and the last pod's key in it and name. Nothing of what is created or removed meanwhile moves it.
type cursor struct {
	Sort string `json:"sort"`
	Key  string `json:"key"`
	Name string `json:"name"`
}

// sortKeys gives the keys of a pod that pods can be sorted by, as text that is in order where they are. Pods with the same key are in order of their names.
func sortKeys() map[string]func(workspace.Info) string {
	return map[string]func(workspace.Info) string{
		"name":    func(i workspace.Info) string { return i.Name },
		"created": func(i workspace.Info) string { return created(i) },
		"state":   stateOf,
	}
}

// created is the moment of a pod's creation; the default pod was there before all others.
func created(i workspace.Info) string {
	if i.CreatedAt.IsZero() {
		return ""
	}
	return fmt.Sprintf("%016d", i.CreatedAt.UnixMilli())
}

func sorts() []string { return []string{"name", "-name", "created", "-created", "state"} }

// parsePodQuery reads a query. What is wrong with it is a bad request that names the parameter.
func parsePodQuery(v url.Values) (q podQuery, err error) {
	q = podQuery{sort: "name", limit: defaultPage}
	for _, l := range v["label"] {
		label, err := parseLabel(l)
		if err != nil {
			return q, err
		}
		q.labels = append(q.labels, label)
	}
	once := maps.Clone(v)
	delete(once, "label")
	if err := onlyParameters(once, "class", "state", "sort", "limit", "after"); err != nil {
		return q, err
	}
	var classes []string
	for _, c := range workspace.Classes() {
		classes = append(classes, string(c))
	}
	for _, p := range []struct {
		name    string
		to      *string
		allowed []string
	}{{"class", &q.class, classes}, {"state", &q.state, states()}, {"sort", &q.sort, sorts()}} {
		if !v.Has(p.name) {
			continue
		}
		if *p.to = v.Get(p.name); !slices.Contains(p.allowed, *p.to) {
			return q, badParameter(p.name, *p.to, "one of "+strings.Join(p.allowed, ", "))
		}
	}
	if v.Has("limit") {
		if q.limit, err = strconv.Atoi(v.Get("limit")); err != nil || q.limit < 1 || q.limit > mostPage {
			return q, badParameter("limit", v.Get("limit"), fmt.Sprintf("a number from 1 to %d", mostPage))
		}
	}
	if v.Has("after") {
		q.after, err = parseCursor(v.Get("after"), q.sort)
	}
	return q, err
}

func parseLabel(text string) (labelQuery, error) {
	key, value, has := strings.Cut(text, "=")
	if key == "" {
		return labelQuery{}, badParameter("label", text, "key=value, or key for any value")
	}
	return labelQuery{key, value, !has}, nil
}

func parseCursor(text, sort string) (*cursor, error) {
	var c cursor
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	switch {
	case err != nil || c.String() != text: // only what this function's other half has written
		return nil, badParameter("after", text, "next of an earlier page")
	case c.Sort != sort:
		return nil, badRequest("after is a page of another sort: " + quoted(c.Sort))
	}
	return &c, nil
}

// String writes a cursor for whoever is to give it back.
func (c cursor) String() string {
	b, _ := json.Marshal(c) // strings only: it cannot fail
	return base64.RawURLEncoding.EncodeToString(b)
}

// page gives those of all pods that are asked for, and the cursor behind them; "" where nothing is.
func (q podQuery) page(all []workspace.Info) (page []workspace.Info, next string) {
	for _, i := range all {
		if q.wants(i) && (q.after == nil || q.compare(q.at(i), *q.after) > 0) {
			page = append(page, i)
		}
	}
	slices.SortFunc(page, func(a, b workspace.Info) int { return q.compare(q.at(a), q.at(b)) })
	if len(page) > q.limit {
		page = page[:q.limit]
		next = q.at(page[q.limit-1]).String()
	}
	return page, next
}

func (q podQuery) wants(i workspace.Info) bool {
	for _, l := range q.labels {
		if value, has := i.Labels[l.key]; !has || !l.any && value != l.value {
			return false
		}
	}
	return (q.class == "" || q.class == string(i.Class)) && (q.state == "" || q.state == stateOf(i))
}

// at is the place of a pod.
func (q podQuery) at(i workspace.Info) cursor {
	return cursor{Sort: q.sort, Key: sortKeys()[strings.TrimPrefix(q.sort, "-")](i), Name: i.Name}
}

func (q podQuery) compare(a, b cursor) int {
	if strings.HasPrefix(q.sort, "-") {
		return cmp.Or(cmp.Compare(b.Key, a.Key), cmp.Compare(b.Name, a.Name))
	}
	return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Name, b.Name))
}

func badParameter(name, value, allowed string) error {
	return badRequest(fmt.Sprintf("%s is %s, and has to be %s", name, quoted(value), allowed))
}

// quoted is what a caller has sent, short and harmless.
func quoted(text string) string { return fmt.Sprintf("%.60q", text) }
