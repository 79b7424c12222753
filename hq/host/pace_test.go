package host

import (
	"testing"
	"time"
)

// An agent is slowed only while it floods together with another.
func TestPace(t *testing.T) {
	one, two, three := &Client{}, &Client{}, &Client{}
	defer floods.leave(one)
	defer floods.leave(two)
	var first, second, third rateMeter
	now := time.Unix(1_800_000_000, 0)
	const much = 1 << 20
	if d := first.delay(much, one, now); d != 0 {
		t.Errorf("a single flood waits %v, want 0", d)
	}
	if d := third.delay(80, three, now); d != 0 {
		t.Errorf("a trickle waits %v, want 0", d)
	}
	if d := second.delay(much, two, now); d != much*time.Second/(floodTotal/2) {
		t.Errorf("the second of two floods waits %v, want %v", d, much*time.Second/(floodTotal/2))
	}
	now = now.Add(ratePeriod / 2)
	if d, want := first.delay(much, one, now), 2*much*time.Second/(floodTotal/2)-ratePeriod/2; d != want {
		t.Errorf("the first of two floods waits %v, want %v", d, want)
	}
	now = now.Add(10*ratePeriod + 1)
	if d := second.delay(much, two, now); d != 0 {
		t.Errorf("a flood waits %v for one that has ended, want 0", d)
	}
}
