package projection

import (
	"slices"
	"time"

	"ferrus/hq/conductor/gateview"
	"ferrus/ui/view"
)

// gateProgress returns the progress of a running gate: the share of the time that its commands
// took last time, if that is known for all, or how many of several have ended. It never
// reaches 100.
func gateProgress(g gateview.View, now time.Time) view.Progress {
	if !g.Running {
		return view.Progress{}
	}
	p := view.Progress{Runs: true, Failed: slices.ContainsFunc(g.Rows, failed)}
	if len(g.Setup) > 0 {
		p.Percent = shareEnded(g.Setup)
		return p
	}
	var done, total time.Duration
	for _, r := range g.Rows {
		last := r.Last
		switch {
		case r.Status == gateview.Running && !r.Started.IsZero():
			done += min(now.Sub(r.Started), last)
		case r.Status != "":
			last = max(last, r.Took, 1) // it has ended, and is known by what it took
			done += last
		}
		if last <= 0 {
			p.Percent = shareEnded(g.Rows)
			return p
		}
		total += last
	}
	if total > 0 {
		p.Percent = min(max(int(done*100/total), 1), 99)
	}
	return p
}

// shareEnded returns how many of the commands have ended, in percent.
func shareEnded(rows []gateview.Row) int {
	ended := 0
	for _, r := range rows {
		if r.Status != "" && r.Status != gateview.Running {
			ended++
		}
	}
	return min(100*ended/len(rows), 99)
}
