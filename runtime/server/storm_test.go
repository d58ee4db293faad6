package server

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"podlife/runtime/client"
	"podlife/runtime/terminal"
)

// Bug report B66 and its kin: keys, floods, resizes, acks, pings, cut connections, closed ones and the server's stop, all at once, on tabs that several share. Every socket ends, nothing is left running
// (TestMain looks for goroutines), and the race detector, under which this is meant to run, has nothing to say.
func TestStormOfEverythingAtOnceEndsWithNothingLeft(t *testing.T) {
	const viewers, rounds = 8, 6
	w := newWorld(t, func(o *Options) { o.Limits.Terminals, o.Limits.TerminalsPerUser = 4*viewers, 4*viewers })
	w.attached(w.open(client.Hello{Client: "first", Tab: "t0"})) // the pod is ready
	var attached atomic.Int64
	var running sync.WaitGroup
	half := make(chan struct{}) // closed when half of all rounds are over: then the server stops
	var over atomic.Int64
	for v := range viewers {
		running.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(v), 7))
			for range rounds {
				if !stormRound(t, w, rnd, v, &attached) {
					break
				}
				if over.Add(1) == viewers*rounds/2 {
					close(half)
				}
			}
		})
	}
	select {
	case <-half:
	case <-time.After(patience):
		t.Error("the storm does not get on")
	}
	stopped := make(chan struct{})
	go func() { defer close(stopped); w.stop() }()
	running.Wait()
	select {
	case <-stopped:
	case <-time.After(patience):
		t.Fatal("the server does not stop")
	}
	if attached.Load() < viewers {
		t.Errorf("only %d terminals were attached: there was no storm", attached.Load())
	}
}

// stormRound is one socket's life; false when the server takes no more.
func stormRound(t *testing.T, w *world, rnd *rand.Rand, v int, attached *atomic.Int64) bool {
	d := websocket.Dialer{Subprotocols: []string{terminal.Subprotocol}, HandshakeTimeout: patience}
	ws, resp, err := d.Dial(strings.Replace(w.base, "http", "ws", 1)+"/ws/terminal", http.Header{"Authorization": {"Bearer me"}})
	if resp != nil && err != nil {
		resp.Body.Close()
	}
	if err != nil {
		return false
	}
	defer ws.Close()
	var writing sync.Mutex
	text := func(s string) {
		writing.Lock()
		defer writing.Unlock()
		_ = ws.WriteMessage(websocket.TextMessage, []byte(s))
	}
	text(fmt.Sprintf(`{"type":"hello","client":"c%d","tab":"t%d","cols":80,"rows":24,"read_only":%v}`, v, v%3, v == 7))
	live := make(chan struct{})
	read := make(chan struct{})
	go func() {
		defer close(read)
		var once sync.Once
		ws.SetReadDeadline(time.Now().Add(patience))
		for {
			kind, b, err := ws.ReadMessage()
			if err != nil {
				var closed *websocket.CloseError
				if asClose(err, &closed) && closed.Code == client.CloseBadMessage {
					t.Errorf("viewer %d was told it breaks the protocol: %s", v, closed.Text)
				}
				return
			}
			if kind == websocket.TextMessage && strings.Contains(string(b), `"attached"`) {
				once.Do(func() { attached.Add(1); close(live) })
			}
		}
	}()
	select {
	case <-live:
	case <-read:
		return false
	}
	ctx, done := context.WithCancel(context.Background())
	var senders sync.WaitGroup
	for _, send := range []func(n int){
		func(int) {
			writing.Lock()
			defer writing.Unlock()
			_ = ws.WriteMessage(websocket.BinaryMessage, []byte("x\n"))
		},
		func(n int) { text(fmt.Sprintf(`{"type":"resize","cols":%d,"rows":%d}`, 10+n, 5+n)) },
		func(n int) { text(fmt.Sprintf(`{"type":"ack","have":%d}`, n*1000)) },
		func(int) { _ = ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second)) },
	} {
		senders.Go(func() {
			for n := 0; n < 25 && ctx.Err() == nil; n++ {
				send(n)
			}
		})
	}
	switch rnd.IntN(3) {
	case 0:
		ws.NetConn().Close() // in the middle of it
	case 1:
		writing.Lock()
		_ = ws.WriteMessage(websocket.BinaryMessage, []byte("flood 300000\n"))
		writing.Unlock()
	}
	senders.Wait()
	done()
	_ = ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(time.Second))
	ws.NetConn().Close()
	<-read
	return true
}

// A client that reads nothing keeps a server that stops for a second or two, and not for as long as a message may take.
func TestAClientThatReadsNothingDoesNotKeepTheServer(t *testing.T) {
	w := newWorld(t, nil)
	ws := w.raw()
	if err := ws.WriteJSON(map[string]any{"type": "hello", "client": "c1"}); err != nil {
		t.Fatal(err)
	}
	for { // until it is attached
		kind, data, err := ws.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		if kind == websocket.TextMessage && bytes.Contains(data, []byte(`"attached"`)) {
			break
		}
	}
	if err := ws.WriteMessage(websocket.BinaryMessage, []byte("flood 1000000\n")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond) // the buffers between fill: were they not full yet, it would stop even sooner
	begun := time.Now()
	w.stop()
	if took := time.Since(begun); took > terminal.DefaultTiming().Write/2 {
		t.Errorf("it took %v to stop", took)
	}
}
