package terminal

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// The behaviour of a whole terminal is tested in runtime/server, over real sockets.

func TestSizesStayWithinWhatATerminalCanHave(t *testing.T) {
	for n, want := range map[int]uint16{-1: 80, 0: 80, 1: 1, 1000: 1000, 1001: 1000, 1 << 40: 1000} {
		if got := clampSize(n, 80); got != want {
			t.Errorf("%d columns became %d, want %d", n, got, want)
		}
	}
}

func TestHelloHasDefaultsAndBounds(t *testing.T) {
	decode := func(text string) (hello, error) {
		m, err := decodeMessage([]byte(text))
		if err != nil {
			return hello{}, err
		}
		return parseHello(m)
	}
	h, err := decode(`{"type":"hello","client":"c1","from":"the future"}`)
	if err != nil || !reflect.DeepEqual(h, hello{Client: "c1", Tab: "main", Cols: 80, Rows: 24, Boot: true}) {
		t.Errorf("%+v, %v", h, err)
	}
	h, err = decode(`{"type":"hello","client":"c1","tab":"t","cols":5000,"rows":10,"boot":false}`)
	if err != nil || !reflect.DeepEqual(h, hello{Client: "c1", Tab: "t", Cols: 1000, Rows: 10}) {
		t.Errorf("%+v, %v", h, err)
	}
	for _, bad := range []string{
		``, `null`, `[]`, `"hello"`, `{"type":"hello","client":"a"} x`, `{"type":"hello","client":""}`, `{"type":"hello","client":"a b"}`,
		`{"type":"hello","client":"` + strings.Repeat("a", 65) + `"}`, `{"type":"hello","client":"c","tab":"../t"}`, `{"type":"hello","client":"c","cols":"80"}`, `{"type":"hello","client":"с"}`,
	} {
		if h, err := decode(bad); err == nil {
			t.Errorf("%s was taken as %+v", bad, h)
		}
	}
}

func FuzzDecodeMessage(f *testing.F) {
	for _, s := range []string{`{"type":"hello","client":"c","cols":1,"rows":1}`, `{"type":"resize","cols":-1}`, `{"type":"boot"}`, `{`, "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decodeMessage(data)
		if err != nil {
			return
		}
		if !json.Valid(data) {
			t.Errorf("took %q", data)
		}
		if h, err := parseHello(m); err == nil && (!ValidName(h.Client) || !ValidName(h.Tab) || h.Cols < 1 || h.Cols > 1000 || h.Rows < 1 || h.Rows > 1000) {
			t.Errorf("hello %+v", h)
		}
	})
}
