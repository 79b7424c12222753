package projection

import (
	"testing"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
)

// TestTheNewestSessionIsTheOneThatStartedLast checks that this is not the session whose state
// changed last: when all are stopped, your pane stays.
func TestTheNewestSessionIsTheOneThatStartedLast(t *testing.T) {
	t.Parallel()
	at := func(minutes int) time.Time { return fixtureNow.Add(time.Duration(minutes) * time.Minute) }
	got := panes(conductor.View{Panes: []conductor.PaneView{
		{Slot: core.SlotExecutor, Session: 2, Started: at(-1), Since: at(-1)},
		{Slot: core.SlotReviewer, Session: 1, Started: at(-9), Since: at(0)},
	}}, fixtureNow)
	if got[0].Born <= got[1].Born {
		t.Errorf("the executor started last, and the panes are %+v", got)
	}
}

// TestWallsAreInTheLogOnly checks that the title of a pane names the walls of its session.
func TestWallsAreInTheLogOnly(t *testing.T) {
	t.Parallel()
	v := fixture(t, "executing")
	noted := v.Journal[len(v.Journal)-1]
	noted.Event, noted.Why, noted.From, noted.To = string(core.KindNoted), "", "", ""
	walls, other := noted, noted
	walls.Why = "executor:codex:1 runs in a sandbox (namespace, network open)"
	other.Why = "you answered for the host example.com: always"
	v.Journal = append(v.Journal, walls, other)
	shown := Project(v, fixtureNow)
	if got := shown.Activity[len(shown.Activity)-1]; got.Event != "note" || got.Why != other.Why {
		t.Errorf("the newest entry of the activity is %+v", got)
	}
	for _, e := range shown.Activity {
		if e.Why == walls.Why {
			t.Error("the activity has the walls")
		}
	}
	if got := shown.Journal(); len(got) != len(v.Journal) {
		t.Errorf("the log has %d entries of %d", len(got), len(v.Journal))
	}
}
