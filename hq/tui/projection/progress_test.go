package projection

import (
	"testing"
	"time"

	"ferrus/hq/conductor/gateview"
	"ferrus/ui/view"
)

func TestProgressOfTheGate(t *testing.T) {
	now := time.Now()
	ended := func(took, last time.Duration) gateview.Row {
		return gateview.Row{Status: gateview.OK, Took: took, Last: last}
	}
	runs := func(since, last time.Duration) gateview.Row {
		return gateview.Row{Status: gateview.Running, Started: now.Add(-since), Last: last}
	}
	waits := func(last time.Duration) gateview.Row { return gateview.Row{Last: last} }
	const second = time.Second
	for name, c := range map[string]struct {
		rows []gateview.Row
		want view.Progress
	}{
		"first time":      {[]gateview.Row{runs(time.Second, 0), waits(0)}, view.Progress{Runs: true}},
		"one is new":      {[]gateview.Row{runs(second, 2*second), waits(0)}, view.Progress{Runs: true}},
		"half":            {[]gateview.Row{runs(2*second, 4*second)}, view.Progress{Runs: true, Percent: 50}},
		"slower than ago": {[]gateview.Row{runs(time.Minute, second)}, view.Progress{Runs: true, Percent: 99}},
		"first time, half ended": {
			[]gateview.Row{ended(second, 0), runs(second, 0)}, view.Progress{Runs: true, Percent: 50}},
		"no row yet": {nil, view.Progress{Runs: true}},
		"second of two": {
			[]gateview.Row{ended(3*time.Second, time.Second), runs(0, time.Second)},
			view.Progress{Runs: true, Percent: 75},
		},
		"one failed": {
			[]gateview.Row{{Status: gateview.Fail, Took: time.Second}, waits(time.Second)},
			view.Progress{Runs: true, Failed: true, Percent: 50},
		},
	} {
		if got := gateProgress(gateview.View{Running: true, Rows: c.rows}, now); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	ran := gateview.View{Rows: []gateview.Row{runs(0, second)}}
	if got := gateProgress(ran, now); got != (view.Progress{}) {
		t.Errorf("a gate that ended: %+v", got)
	}
}
