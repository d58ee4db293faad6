package client

import "testing"

func TestAPlaceKnowsNothingOfASessionBeforeItIsToldWhereItBegins(t *testing.T) {
	var p Place
	resume := func(epoch string, have uint64) {
		t.Helper()
		if e, h := p.Resume(); e != epoch || h != have {
			t.Errorf("%q %d, want %q %d", e, h, epoch, have)
		}
	}
	resume("", 0)
	p.Follow(Attached{Epoch: "one"})
	resume("", 0)
	p.Follow(Resumed{From: 0})
	p.Follow(Output("abc"))
	resume("one", 3)
	p.Follow(Attached{Epoch: "one"}) // the same again: what was shown is still shown
	resume("one", 3)
	p.Follow(Attached{Epoch: "two"}) // and here the connection breaks
	resume("", 0)
	p.Follow(Reset{})
	p.Follow(Output("a picture"))
	resume("", 0)
	p.Follow(Live{From: 7})
	resume("two", 7)
}
