package projection

import (
	"time"

	"ferrus/hq/conductor"
	"ferrus/ui/view"
)

// gateProgress returns how far a running gate is: the share of what its commands took the last
// time, if that is known of all of them. It never says that everything is done.
func gateProgress(g conductor.GateView, now time.Time) view.Progress {
	if !g.Running {
		return view.Progress{}
	}
	p := view.Progress{Runs: true}
	var done, total time.Duration
	for _, r := range g.Rows {
		if failed(r) {
			p.Failed = true
		}
		last := r.Last
		switch {
		case r.Status == conductor.RowRunning && !r.Started.IsZero():
			done += min(now.Sub(r.Started), last)
		case r.Status != "":
			last = max(last, r.Took, 1) // it has ended, and is known by what it took
			done += last
		}
		if last <= 0 {
			return p
		}
		total += last
	}
	if total > 0 {
		p.Percent = min(max(int(done*100/total), 1), 99)
	}
	return p
}
