package projection

import (
	"testing"
	"time"

	"ferrus/hq/conductor"
	"ferrus/ui/view"
)

func TestProgressOfTheGate(t *testing.T) {
	now := time.Now()
	ended := func(took, last time.Duration) conductor.GateRow {
		return conductor.GateRow{Status: conductor.RowOK, Took: took, Last: last}
	}
	runs := func(since, last time.Duration) conductor.GateRow {
		return conductor.GateRow{Status: conductor.RowRunning, Started: now.Add(-since), Last: last}
	}
	waits := func(last time.Duration) conductor.GateRow { return conductor.GateRow{Last: last} }
	const second = time.Second
	for name, c := range map[string]struct {
		rows []conductor.GateRow
		want view.Progress
	}{
		"first time":      {[]conductor.GateRow{runs(time.Second, 0), waits(0)}, view.Progress{Runs: true}},
		"one is new":      {[]conductor.GateRow{runs(second, 2*second), waits(0)}, view.Progress{Runs: true}},
		"half":            {[]conductor.GateRow{runs(2*second, 4*second)}, view.Progress{Runs: true, Percent: 50}},
		"slower than ago": {[]conductor.GateRow{runs(time.Minute, second)}, view.Progress{Runs: true, Percent: 99}},
		"first time, half ended": {
			[]conductor.GateRow{ended(second, 0), runs(second, 0)}, view.Progress{Runs: true, Percent: 50}},
		"no row yet": {nil, view.Progress{Runs: true}},
		"second of two": {
			[]conductor.GateRow{ended(3*time.Second, time.Second), runs(0, time.Second)},
			view.Progress{Runs: true, Percent: 75},
		},
		"one failed": {
			[]conductor.GateRow{{Status: conductor.RowFail, Took: time.Second}, waits(time.Second)},
			view.Progress{Runs: true, Failed: true, Percent: 50},
		},
	} {
		if got := gateProgress(conductor.GateView{Running: true, Rows: c.rows}, now); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	ran := conductor.GateView{Rows: []conductor.GateRow{runs(0, second)}}
	if got := gateProgress(ran, now); got != (view.Progress{}) {
		t.Errorf("a gate that ended: %+v", got)
	}
}
