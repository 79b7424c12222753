package host

import (
	"testing"
	"time"
)

// Only who floods beside another flood waits, and only as long as both do.
func TestPace(t *testing.T) {
	one, two, three := &Client{}, &Client{}, &Client{}
	defer floods.leave(one)
	defer floods.leave(two)
	var first, second, third rateMeter
	now := time.Unix(1_800_000_000, 0)
	const much = 1 << 20
	if d := first.delay(much, one, now); d != 0 {
		t.Errorf("a flood alone waits %v", d)
	}
	if d := third.delay(80, three, now); d != 0 {
		t.Errorf("what is not worth speaking of waits %v", d)
	}
	if d := second.delay(much, two, now); d != much*time.Second/(floodTotal/2) {
		t.Errorf("the second of two floods waits %v", d)
	}
	now = now.Add(ratePeriod / 2)
	if d, want := first.delay(much, one, now), 2*much*time.Second/(floodTotal/2)-ratePeriod/2; d != want {
		t.Errorf("the first of two floods waits %v, want %v", d, want)
	}
	now = now.Add(10*ratePeriod + 1)
	if d := second.delay(much, two, now); d != 0 {
		t.Errorf("a flood waits %v for one that is over", d)
	}
}
