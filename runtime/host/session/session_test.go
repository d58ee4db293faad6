package session

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"podlife/runtime/host/frame"
)

// bubble runs f in a bubble of its own, in which time is fake and every goroutine has to end.
func bubble(t *testing.T, f func(t *testing.T)) { t.Helper(); synctest.Test(t, f) }

func open(c Config) (*Session, *fakePTY) {
	p := newFake()
	return New(Spec{Tab: "main", Cols: 80, Rows: 24}, 7, p, c), p
}

// finish ends the process and waits for the session.
func finish(s *Session, p *fakePTY) {
	p.end(Exit{})
	<-s.Done()
}

// The oracle is the output itself. Whoever looks gets, since its last reset, exactly a contiguous piece of it; what is missing at the end is only what flow control holds back.
func TestEveryViewerGetsExactlyTheOutput(t *testing.T) {
	resumes, resets, exact := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		ringSize := rapid.IntRange(8, 4000).Draw(rt, "ring")
		c := Config{Ring: ringSize, Window: rapid.IntRange(1, 2000).Draw(rt, "window"), GoOn: rapid.IntRange(1, 500).Draw(rt, "goOn"), Replay: rapid.IntRange(1, 4000).Draw(rt, "replay")}
		kinds := []string{"write", "write", "write", "look", "come back", "come back", "pull", "pull", "ack", "ack", "leave"}
		actions := rapid.SliceOfN(rapid.SampledFrom(kinds), 20, 100).Draw(rt, "actions")
		numbers := rapid.SliceOfN(rapid.IntRange(0, 5000), len(actions), len(actions)).Draw(rt, "numbers")
		fail := func(format string, args ...any) { rt.Fatalf(format, args...) }
		synctest.Test(t, func(*testing.T) {
			s, p := open(c)
			var all []byte
			var lookers, left []*watcher
			check := func(w *watcher, err error) {
				switch {
				case err != nil:
					fail("%v", err)
				case w.open != nil && w.have() > uint64(len(all)):
					fail("output that never was, up to %d of %d", w.have(), len(all))
				case w.open != nil && !bytes.Equal(w.got, all[w.from:w.have()]):
					fail("the bytes from %d on differ", w.from)
				}
			}
			for i, a := range actions {
				n := numbers[i]
				switch {
				case a == "write":
					b := make([]byte, n%700)
					for k := range b {
						b[k] = byte('a' + (len(all)+k)*7%26)
					}
					all = append(all, b...)
					p.write(b)
				case a == "look":
					lookers = append(lookers, look(s, Opening{Viewer: uint32(i), Cols: uint16(n % 90), Rows: 24}))
				case a == "come back" && len(left) > 0: // one that left comes back, with what it has
					w := left[n%len(left)]
					epoch := s.Epoch
					if n%10 == 0 {
						epoch++
					}
					back := look(s, Opening{Viewer: uint32(i), Epoch: epoch, Have: w.have()})
					check(back, back.pull(1))
					lo, hi := back.open.Lo, back.open.Hi
					if want := epoch != s.Epoch || w.have() < lo || w.have() > hi; back.open.Reset != want {
						fail("reset is %t for %d in [%d, %d] with epoch %d", back.open.Reset, w.have(), lo, hi, epoch)
					} else if !want {
						if resumes++; back.open.From != w.have() {
							fail("from is %d, not %d", back.open.From, w.have())
						}
					}
					lookers = append(lookers, back)
				case a == "pull" && len(lookers) > 0:
					w := lookers[n%len(lookers)]
					check(w, w.pull(1+n%3))
				case a == "ack" && len(lookers) > 0:
					w := lookers[n%len(lookers)]
					w.Ack(w.have() - uint64(n%50)*w.have()/100)
				case a == "leave" && len(lookers) > 0:
					k := n % len(lookers)
					w := lookers[k]
					w.Close()
					if err := w.pull(3); err != nil || w.Next(make([]byte, frame.MaxData)) != nil {
						fail("told something after it left: %v", err)
					}
					lookers = append(lookers[:k], lookers[k+1:]...)
					if w.open != nil && !w.inReset {
						left = append(left, w)
					}
				}
				synctest.Wait()
			}
			p.end(Exit{Code: 3})
			<-s.Done()
			for _, w := range lookers {
				for range 10_000 {
					check(w, w.pull(1))
					w.Ack(w.have())
					if w.exit != nil {
						break
					}
				}
				if w.exit == nil || w.exit.Code != 3 || w.exit.At != uint64(len(all)) {
					fail("exit %+v after %d bytes", w.exit, len(all))
				}
				resets += w.resets
				exact++
			}
		})
	})
	if resumes < 10 || resets < 10 || exact < 10 {
		t.Errorf("%d resumed, %d resets, %d saw the end: too little was tried", resumes, resets, exact)
	}
}

func TestAnOldEpochIsNeverAnsweredWithNewBytes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, p := open(Config{})
		p.write([]byte("new"))
		synctest.Wait()
		w := look(s, Opening{Epoch: 6, Have: 2})
		if err := w.pull(9); err != nil || !w.open.Reset || w.resets != 1 || len(w.got) != 0 || !bytes.HasSuffix(w.picture, []byte("new")) {
			t.Errorf("%v, %+v", err, w)
		}
		finish(s, p)
	})
}

func TestAViewerThatDoesNotAcknowledgeIsSentNoMoreThanTheWindow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, p := open(Config{})
		w := look(s, Opening{})
		p.write(make([]byte, 3<<20))
		synctest.Wait()
		_ = w.pull(1000)
		const window = 512 << 10
		if n := len(w.got); n != window {
			t.Errorf("%d bytes were sent", n)
		}
		if read := 3<<20 - p.left(); read >= window+2*readSize { // what is output reaches the window, and one read is in hand
			t.Errorf("%d bytes were read of a program that nobody keeps up with", read)
		}
		before, left := len(w.got), p.left()
		w.Ack(w.have() - 128<<10 - 1)
		synctest.Wait()
		_ = w.pull(1000)
		if len(w.got) != before || p.left() != left {
			t.Error("it goes on before it may")
		}
		w.Ack(w.have() - 128<<10)
		synctest.Wait()
		_ = w.pull(1000)
		if len(w.got) == before || p.left() == left {
			t.Error("it does not go on")
		}
		w.Close()
		finish(s, p)
	})
}

func TestTheWindowIsKeptToTheByte(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, p := open(Config{Ring: 1000, Window: 100})
		p.write(bytes.Repeat([]byte("0123456789"), 50))
		synctest.Wait()
		w := look(s, Opening{Epoch: 7})
		if err := w.pull(99); err != nil || len(w.got) != 100 || w.resets != 0 {
			t.Errorf("%v, %d bytes, %d resets", err, len(w.got), w.resets)
		}
		finish(s, p)
	})
}

// A read that had begun while nobody looked may end when somebody does: what it gives waits, as what is read later does.
func TestWhoComesBackWithTheOldestByteDoesNotLoseItToAReadThatHadBegun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, p := open(Config{Ring: 100, Window: 10})
		p.write(bytes.Repeat([]byte("0123456789"), 10))
		synctest.Wait() // the ring is full, and the next read has begun
		w := look(s, Opening{Epoch: 7})
		p.write([]byte("more"))
		for range 30 {
			synctest.Wait()
			if err := w.pull(99); err != nil || w.resets != 0 {
				t.Errorf("%v, %d resets after %d bytes", err, w.resets, len(w.got))
				break
			}
			w.Ack(w.have())
		}
		if len(w.got) != 104 || !bytes.HasSuffix(w.got, []byte("789more")) {
			t.Errorf("%d bytes: %q", len(w.got), w.got)
		}
		finish(s, p)
	})
}

func TestASlowViewerHoldsNobodyUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, p := open(Config{})
		slow, fast := look(s, Opening{Viewer: 1}), look(s, Opening{Viewer: 2})
		_, _ = slow.pull(2), fast.pull(2)
		line := bytes.Repeat([]byte("y\r\n"), 10_000)
		for range 150 { // 4.5 MB
			p.write(line)
			synctest.Wait()
			_, _ = fast.pull(10), slow.pull(10)
			fast.Ack(fast.have())
		}
		if n := len(slow.got); slow.resets != 1 || n < 512<<10 || n >= 512<<10+frame.MaxData {
			t.Errorf("the slow one was sent %d bytes and %d pictures though it acknowledges nothing", n, slow.resets)
		}
		if fast.have() != uint64(150*len(line)) || fast.resets != 1 {
			t.Errorf("the fast one has %d bytes and %d resets", fast.have(), fast.resets)
		}
		slow.Ack(slow.have())
		if err := slow.pull(1000); err != nil || slow.resets != 2 || slow.from != fast.have() {
			t.Errorf("%v; the slow one has %d resets, and goes on from %d", err, slow.resets, slow.from)
		}
		slow.Close()
		fast.Close()
		finish(s, p)
	})
}

func TestNobodyLooksAndTheProgramGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, p := open(Config{})
		w := look(s, Opening{})
		p.write(make([]byte, 4<<20))
		synctest.Wait()
		if p.left() == 0 {
			t.Error("it is read though the only viewer does not keep up")
		}
		w.Close()
		synctest.Wait()
		if p.left() != 0 {
			t.Errorf("%d bytes are left though nobody looks", p.left())
		}
		finish(s, p)
	})
}

// Bug report B59.
func TestATerminalThatTakesLittleAtOnceGetsAll(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, p := open(Config{})
		p.take = 64
		w := look(s, Opening{})
		var want []byte
		for i := range 300 {
			b := bytes.Repeat([]byte{byte(i)}, 1+i*3%200)
			want = append(want, b...)
			w.Input(b)
			synctest.Wait()
		}
		if got := p.all(); !bytes.Equal(got, want) {
			t.Errorf("%d bytes of %d arrived, or in another order", len(got), len(want))
		}
		finish(s, p)
	})
}

// Bug report B60: beyond the bound there is a clear refusal, and what was taken is whole and in order.
func TestAProgramThatTakesNothingIsToldOf(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, p := open(Config{Input: 100_000})
		p.take = -1
		w := look(s, Opening{})
		taken := 0
		for i := range 30 {
			w.Input(bytes.Repeat([]byte{byte('a' + i)}, 10_000))
			_ = w.pull(9)
			if len(w.refused) == 0 {
				taken++
			}
		}
		if taken < 9 || taken > 11 || len(w.refused) == 0 || w.refused[0] != frame.InputFull {
			t.Errorf("%d pieces were taken, refused: %v", taken, w.refused)
		}
		p.mu.Lock()
		p.take = 0
		p.cond.Broadcast()
		p.mu.Unlock()
		synctest.Wait()
		if got := p.all(); len(got) != taken*10_000 || got[len(got)-1] != byte('a'+taken-1) {
			t.Errorf("%d bytes arrived of %d", len(got), taken*10_000)
		}
		finish(s, p)
	})
}

func TestAReadOnlyViewerTypesNothingAndDecidesNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, p := open(Config{})
		w := look(s, Opening{ReadOnly: true, Cols: 10, Rows: 10})
		w.Input([]byte("rm -rf /\r"))
		w.Resize(20, 20)
		synctest.Wait()
		_ = w.pull(9)
		if len(p.all()) > 0 || len(p.sizes) > 0 || len(w.refused) != 1 || w.refused[0] != frame.ReadOnly {
			t.Errorf("typed %q, sizes %v, refused %v", p.all(), p.sizes, w.refused)
		}
		finish(s, p)
	})
}

func TestWhoTypedLastDecidesTheSize(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, p := open(Config{})
		a, b := look(s, Opening{Viewer: 1, Group: "x", Cols: 100, Rows: 30}), look(s, Opening{Viewer: 2, Group: "x", Cols: 50, Rows: 20})
		c := look(s, Opening{Viewer: 3, Group: "y"})
		step := func(what string, want size, by uint32) {
			t.Helper()
			synctest.Wait()
			for _, w := range []*watcher{a, b, c} {
				_ = w.pull(9)
			}
			if s.size != want || a.size != nil && (a.size.Cols != want.cols || a.size.By != by) {
				t.Errorf("%s: the size is %v, told %v", what, s.size, a.size)
			}
			if c.size != nil && c.size.By != 0 {
				t.Errorf("%s: another connection is told a number of ours", what)
			}
		}
		step("the first one", size{100, 30}, 1)
		b.Resize(60, 25)
		step("who has not typed", size{100, 30}, 1)
		b.Input([]byte("x"))
		step("who types", size{60, 25}, 2)
		a.Resize(110, 40)
		step("who typed before", size{60, 25}, 2)
		b.Resize(0, 0)
		b.Resize(2000, 5000)
		step("too large", size{1000, 1000}, 2)
		b.Close()
		step("it leaves", size{1000, 1000}, 2)
		a.Resize(111, 41)
		step("the next one", size{111, 41}, 1)
		finish(s, p)
		if len(p.sizes) != 4 {
			t.Errorf("the terminal was told %v", p.sizes)
		}
	})
}

func TestWhoWasAwayLearnsTheLastOutputAndTheExit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, p := open(Config{})
		w := look(s, Opening{})
		p.write([]byte("one "))
		synctest.Wait()
		_ = w.pull(9)
		w.Close()
		p.write([]byte("two"))
		p.end(Exit{Code: 143, Signal: "SIGTERM"})
		<-s.Done()
		back := look(s, Opening{Epoch: w.epoch, Have: w.have()})
		if err := back.pull(9); err != nil || string(back.got) != "two" || back.open.Running || back.exit == nil || back.exit.Code != 143 || back.exit.Signal != "SIGTERM" {
			t.Errorf("%v, %q, %+v, %+v", err, back.got, back.open, back.exit)
		}
	})
}

func TestAProcessThatDoesNotHeedTheHangupIsKilledAfterTheGrace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, p := open(Config{})
		begun := time.Now()
		if err := s.End(context.Background()); err != nil {
			t.Error(err)
		}
		<-p.hungup
		<-p.killed
		if d := time.Since(begun); d != 200*time.Millisecond {
			t.Errorf("killed after %s", d)
		}
		<-s.Done()
	})
}

func TestAProcessThatHeedsTheHangupIsNotKilled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, p := open(Config{})
		go func() { <-p.hungup; p.end(Exit{Code: 129, Signal: "SIGHUP"}) }()
		if err := s.End(context.Background()); err != nil {
			t.Error(err)
		}
		select {
		case <-p.killed:
			t.Error("it was killed")
		default:
		}
		<-s.Done()
	})
}

// A program in the background that keeps the terminal open does not keep the exit from being told.
func TestAnExitIsToldThoughSomebodyHasTheTerminalOpen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, p := open(Config{})
		w := look(s, Opening{})
		p.write([]byte("last"))
		begun := time.Now()
		p.exit <- Exit{Code: 1}
		<-s.Done()
		if err := w.pull(9); err != nil || string(w.got) != "last" && !bytes.Contains(w.picture, []byte("last")) || w.exit == nil || time.Since(begun) != 300*time.Millisecond {
			t.Errorf("%v, %q, %+v after %s", err, w.got, w.exit, time.Since(begun))
		}
	})
}

// A sequence that is longer than the ring leaves no place to cut; the picture still works, and live output goes on in the sequence.
func TestAPictureOfAnEndlessSequence(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, p := open(Config{Ring: 20_000})
		p.write([]byte("\x1b[?2004h\x1b]2;"))
		p.write(bytes.Repeat([]byte("x"), 50_000))
		synctest.Wait()
		w := look(s, Opening{})
		if err := w.pull(9); err != nil || !bytes.HasSuffix(w.picture, []byte("\x1b]9999;")) || !bytes.Contains(w.picture, []byte("\x1b[?2004h")) {
			t.Errorf("%v, %q", err, w.picture)
		}
		finish(s, p)
	})
}

func TestAPictureIsMadeOfAboutAsMuchAsAsked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, p := open(Config{})
		for i := range 60_000 {
			p.write(fmt.Appendf(nil, "\x1b[3%dmline %d\x1b[m\r\n", i%8, i))
		}
		synctest.Wait()
		w := look(s, Opening{})
		_ = w.pull(1000)
		if n := len(w.picture); n < 190<<10 || n > 280<<10 || !bytes.HasSuffix(w.picture, []byte("line 59999\x1b[m\r\n")) {
			t.Errorf("%d bytes, ending in %q", n, w.picture[max(0, len(w.picture)-30):])
		}
		finish(s, p)
	})
}

func TestWhoFollowsCountsForNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, p := open(Config{})
		recorder := look(s, Opening{Viewer: 1, Follows: true, Epoch: s.Epoch, Cols: 200, Rows: 60})
		if n := s.Info().Viewers; n != 0 || len(p.resized()) != 0 {
			t.Errorf("%d viewers, sizes %v", n, p.resized())
		}
		p.write(make([]byte, 4<<20)) // it acknowledges nothing
		synctest.Wait()
		if p.left() != 0 {
			t.Errorf("%d bytes wait for one who only follows", p.left())
		}
		slow := look(s, Opening{Viewer: 2})
		p.write(make([]byte, 4<<20))
		for range 100 {
			synctest.Wait()
			_ = recorder.pull(10)
			recorder.Ack(recorder.have())
		}
		if p.left() == 0 {
			t.Error("the only one who looks lost output to one who follows and keeps up")
		}
		recorder.Input([]byte("x"))
		_ = recorder.pull(10)
		if len(p.all()) != 0 || len(recorder.refused) != 1 {
			t.Errorf("typed %q, refused %v", p.all(), recorder.refused)
		}
		slow.Close()
		recorder.Close()
		finish(s, p)
	})
}
