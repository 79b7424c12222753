package session

import (
	"testing"

	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/session"
)

// A trouble is reported until the slot's next session works, even if the failed session says that
// it succeeded.
func TestTroubled(t *testing.T) {
	t.Parallel()
	wait := &project.Wait{}
	for _, c := range []struct {
		status string
		state  machine.State
		wait   *project.Wait
		want   bool
	}{
		{project.Running, session.Running, nil, true},
		{project.Suspended, CoolingDown, wait, true},
		{project.Suspended, session.SessionComplete, wait, true},
		{project.Suspended, session.SessionComplete, nil, false},
		{project.Suspended, Stopped, nil, false},
	} {
		e := project.SessionRecord{Status: c.status, State: c.state, Wait: c.wait, Trouble: "it is not logged in"}
		if got := Troubled(e); got != c.want {
			t.Errorf("%s, %s, waits: %v: %v", c.status, c.state, c.wait != nil, got)
		}
		if e.Trouble = ""; Troubled(e) {
			t.Errorf("%s, %s: it is troubled by nothing", c.status, c.state)
		}
	}
}
