package conductor

import (
	"testing"
	"time"

	"ferrus/hq/project"
	"ferrus/machine"
)

// What a session tells again and again is heard once, and only the newest stay.
func TestRefusalsAreHeardOnce(t *testing.T) {
	var r refusals
	began := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
	refuse := func(n int) project.RefusedCall {
		return project.NewRefused(
			began.Add(time.Duration(n)*time.Second), "executor:codex:1", "submit",
			machine.Refusal{Code: machine.GuardFailed},
		)
	}
	r.addNew("a", []project.RefusedCall{refuse(1), refuse(2)})
	r.addNew("a", []project.RefusedCall{refuse(1), refuse(2), refuse(3)})
	r.addNew("b", []project.RefusedCall{refuse(1)})
	if len(r.all) != 4 || r.all[3].Number != 4 {
		t.Fatalf("%d are kept: %+v", len(r.all), r.all)
	}
	shown := r.all[:len(r.all):len(r.all)]
	for n := range 2 * refusedKept {
		r.addNew("c", []project.RefusedCall{refuse(n)})
	}
	if len(r.all) != refusedKept || r.all[refusedKept-1].Number != uint64(4+2*refusedKept) {
		t.Errorf("%d are kept, the last with number %d", len(r.all), r.all[len(r.all)-1].Number)
	}
	if shown[0].Number != 1 {
		t.Error("what was shown has changed")
	}
}
