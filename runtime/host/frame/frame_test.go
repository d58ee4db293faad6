package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// samples has one message of every type.
func samples() []Message {
	return []Message{
		&Hello{Version}, &Welcome{Version, "abc"}, &Open{Request: 1, Viewer: 2, Tab: "main", Want: Marker{"u", 3, "r"}, Cols: 80, Rows: 24, Dir: "/", Env: []string{"A=b"}, Argv: []string{"make", ""}, Epoch: 9, Have: 10, ReadOnly: true},
		&Opened{Request: 1, Viewer: 2, Epoch: 3, From: 4, Reset: true, Lo: 5, Hi: 6, Cols: 7, Rows: 8, Tab: "t", Started: true, Running: true}, &Refused{1, 2, NoShell, 127, "no"}, &Input{1, []byte("ls\r")}, &Resize{1, 80, 24},
		&Ack{1, 1 << 40}, &Close{7}, &End{1, "main"}, &List{5}, &Output{1, 2, []byte("out")}, &Reset{1, 2, 3, true, false, []byte("\x1bc")}, &Size{1, 80, 24, 2}, &Exit{1, 137, "SIGKILL", 99},
		&Listed{1, []Tab{{"main", 1, 2, 3, 4, 5, true, 6}}}, &Ended{1},
		&Run{Request: 1, Viewer: 2, Want: Marker{"u", 3, "r"}, Argv: []string{"ls", ""}, Dir: "/", Env: []string{"A=b"}}, &Ran{1, 2}, &Errors{1, 2, []byte("err")}, &Taken{1, 1 << 40}, &EOF{1}, &Signal{1, "SIGINT"}, &Rename{1, "a", "b"}, &Follow{1, 2, Marker{"u", 3, "r"}, 4, 5},
	}
}

func TestEveryTypeSurvivesTheWire(t *testing.T) {
	var wire []byte
	seen := map[Type]bool{}
	for _, m := range samples() {
		wire = Append(wire, m)
		seen[m.kind()] = true
		if err := Check(m); err != nil {
			t.Errorf("%T: %v", m, err)
		}
	}
	for n := range 256 {
		if m := blank(Type(n)); m != nil && !seen[Type(n)] {
			t.Errorf("type %d, %T, is not tested", n, m)
		}
	}
	r := NewReader(bytes.NewReader(wire), MaxFrame)
	for _, want := range samples() {
		got, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("%v at the end", err)
	}
}

func TestAnOpenWithAnythingInItSurvivesTheWire(t *testing.T) {
	text := rapid.StringN(0, 16, 64)
	rapid.Check(t, func(t *rapid.T) {
		want := &Open{
			Request: rapid.Uint32().Draw(t, "request"), Viewer: rapid.Uint32().Draw(t, "viewer"), Tab: text.Draw(t, "tab"), Want: Marker{text.Draw(t, "pod"), rapid.Uint64().Draw(t, "incarnation"), text.Draw(t, "recipe")},
			Cols: rapid.Uint16().Draw(t, "cols"), Rows: rapid.Uint16().Draw(t, "rows"), Dir: text.Draw(t, "dir"), Env: rapid.SliceOfN(text, 0, 5).Draw(t, "env"),
			Epoch: rapid.Uint64().Draw(t, "epoch"), Have: rapid.Uint64().Draw(t, "have"), ReadOnly: rapid.Bool().Draw(t, "readonly"),
		}
		got, err := NewReader(bytes.NewReader(Append(nil, want)), MaxServerFrame).Next()
		if err != nil {
			t.Fatal(err)
		}
		if len(want.Env) == 0 {
			want.Env = nil
		}
		if d := cmp.Diff(Message(want), got); d != "" {
			t.Fatal(d)
		}
	})
}

func TestATypeThatIsNotKnownIsSkipped(t *testing.T) {
	wire := append([]byte{0, 0, 0, 4, 200, 'a', 'b', 'c'}, Append(nil, &Close{3})...)
	got, err := NewReader(bytes.NewReader(wire), MaxFrame).Next()
	if err != nil || !reflect.DeepEqual(got, &Close{3}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestAnotherVersionIsReadWhateverFollowsIt(t *testing.T) {
	wire := append([]byte{0, 0, 0, 6, byte(TypeHello), 0, 9}, "abc"...)
	got, err := NewReader(bytes.NewReader(wire), MaxFrame).Next()
	if err != nil || !reflect.DeepEqual(got, &Hello{9}) {
		t.Errorf("%v, %v", got, err)
	}
}

// What is claimed is not believed: no memory is taken for it, and nothing is waited for.
func TestALengthBeyondItsBoundIsRefusedBeforeAnythingIsRead(t *testing.T) {
	for _, c := range []struct {
		t      Type
		length uint32
		max    int
	}{{TypeInput, MaxData + 66, MaxServerFrame}, {TypeResize, 1000, MaxFrame}, {TypeOutput, MaxFrame, MaxFrame}, {200, MaxServerFrame + 1, MaxServerFrame}, {200, 1 << 31, MaxFrame}} {
		head := binary.BigEndian.AppendUint32(nil, c.length)
		in := io.MultiReader(bytes.NewReader(append(head, byte(c.t))), neverRead{t})
		_, err := NewReader(in, c.max).Next()
		var long *TooLongError
		if !errors.As(err, &long) || long.Length != c.length {
			t.Errorf("type %d, length %d: %v", c.t, c.length, err)
		}
	}
}

type neverRead struct{ t *testing.T }

func (r neverRead) Read([]byte) (int, error) {
	r.t.Error("what is too long is read")
	return 0, io.EOF
}

func TestAFrameThatIsCutIsNoEndOfTheStream(t *testing.T) {
	whole := Append(nil, &Output{1, 2, []byte("abc")})
	for n := 1; n < len(whole); n++ {
		if _, err := NewReader(bytes.NewReader(whole[:n]), MaxFrame).Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
}

func TestWhatIsBeyondABoundIsNotSent(t *testing.T) {
	for _, m := range []Message{
		&Input{1, make([]byte, MaxData+1)}, &Open{Tab: string(make([]byte, maxTab+1))}, &Open{Tab: "a", Env: make([]string, maxEnv+1)}, &Open{Tab: "a", Dir: string(make([]byte, maxPath+1))},
		&Run{Argv: make([]string, maxArgs+1)}, &Run{Argv: []string{string(make([]byte, maxArg+1))}}, &Run{Env: make([]string, maxEnv+1)}, &Refused{Detail: string(make([]byte, MaxDetail+1))}, &Listed{Tabs: make([]Tab, maxTabs+1)},
	} {
		if err := Check(m); err == nil {
			t.Errorf("%T beyond its bound passes", m)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, m := range samples() {
		b := Append(nil, m)
		f.Add(b[4], b[5:])
	}
	f.Add(byte(TypeOpen), []byte{0, 0, 0, 1, 0, 0, 0, 2, 0xff, 0xff, 0xff, 0xff})
	f.Add(byte(TypeClose), []byte{0, 0, 0, 1, 0})
	f.Add(byte(TypeListed), []byte{0, 0, 0, 1, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, kind byte, b []byte) {
		m, err := Decode(Type(kind), b)
		if err != nil || m == nil {
			return
		}
		again := Append(nil, m)
		if hello := kind == byte(TypeHello) || kind == byte(TypeWelcome); !hello && !bytes.Equal(again[5:], b) {
			t.Fatalf("%x is read as %+v, which is written %x", b, m, again[5:])
		}
		if err := Check(m); err != nil {
			t.Fatalf("%+v is read but not sent: %v", m, err)
		}
	})
}

func FuzzReader(f *testing.F) {
	var all []byte
	for _, m := range samples() {
		all = Append(all, m)
	}
	f.Add(all)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 2})
	f.Fuzz(func(t *testing.T, b []byte) {
		in := bytes.NewReader(b)
		r := NewReader(in, MaxServerFrame)
		for {
			before := in.Len()
			_, err := r.Next()
			if err != nil {
				break
			}
			if in.Len() >= before {
				t.Fatal("a message out of nothing")
			}
		}
		if cap(r.buf) > MaxServerFrame {
			t.Fatalf("%d bytes were taken", cap(r.buf))
		}
	})
}
