package queue

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ferrus/machine/merge"
	"ferrus/machine/queue"
)

// shownFor is how long an item that has landed stays in the strip.
const shownFor = 10 * time.Minute

// MergeRow is the merge queue of one branch as it is shown.
type MergeRow struct {
	Target string
	Cars   []MergeCar // in the order in which they land
	Needs  string     // what you have to decide; empty: nothing
	// The words of /merge and ferrus merge that decide it; none: /land does.
	Answers []string
}

// WaitsForLand reports whether what is proven lands when you say /land.
func (r MergeRow) WaitsForLand() bool {
	return r.Needs != "" && len(r.Answers) == 0 &&
		slices.ContainsFunc(r.Cars, func(c MergeCar) bool { return c.State == CarProven })
}

// MergeCar is one item of it.
type MergeCar struct {
	N     int
	State MergeState
	Why   string // of what was returned, or waits; empty: nothing is to be said
}

// MergeState says where an item is on its way to the branch.
type MergeState string

// The states, in the order in which they are shown.
const (
	CarLanded   MergeState = "landed"
	CarProven   MergeState = "proven"
	CarProving  MergeState = "proving"
	CarPull     MergeState = "pull request" // it lands when the forge merges it
	CarStaged   MergeState = "staged"
	CarReturned MergeState = "returned"
)

var carOrder = []MergeState{CarLanded, CarProven, CarProving, CarPull, CarStaged, CarReturned}

// MergeRows returns the merge queues that have something to show, by the names of their branches.
func (d *Document) MergeRows(now time.Time) (rows []MergeRow) {
	at := map[string]int{}
	row := func(target string) *MergeRow {
		if _, ok := at[target]; !ok {
			at[target] = len(rows)
			rows = append(rows, MergeRow{Target: target})
		}
		return &rows[at[target]]
	}
	for _, i := range d.Items {
		if i.Onto == "" && i.Staged == nil {
			continue
		}
		switch {
		case i.State == queue.StateStaged && i.Staged != nil:
			r := row(i.Staged.Target)
			r.Cars = append(r.Cars, d.carOf(i))
			if words, needs := i.describePull(); i.ByPull() && needs && r.Needs == "" {
				r.Needs = i.Name() + " " + strings.TrimPrefix(words, "needs you: ")
			}
		case i.State == queue.StateLanded && now.Sub(i.LandedAt) < shownFor:
			r := row(i.Onto)
			r.Cars = append(r.Cars, MergeCar{N: i.N, State: CarLanded})
		case i.Returned != "" && !i.Final():
			r := row(i.Onto)
			r.Cars = append(r.Cars, MergeCar{N: i.N, State: CarReturned, Why: i.Returned})
		}
	}
	for i := range rows {
		slices.SortStableFunc(rows[i].Cars, func(a, b MergeCar) int {
			return slices.Index(carOrder, a.State) - slices.Index(carOrder, b.State)
		})
		if m := d.MergeOf(rows[i].Target); m.NeedsHuman() {
			rows[i].Needs, rows[i].Answers = m.Why, m.Answers()
		}
	}
	slices.SortFunc(rows, func(a, b MergeRow) int { return cmp.Compare(a.Target, b.Target) })
	return rows
}

// NeedsHuman reports whether the merge continues only when you decide something.
func (m *Merge) NeedsHuman() bool {
	return m.Data.Flaky || m.Data.Held != merge.NotHeld || m.State == merge.StateProven && m.Why != ""
}

// Answers returns the words that decide what the merge waits for; none: /land does.
func (m *Merge) Answers() []string {
	switch {
	case m.Data.Flaky:
		return []string{"again", "accept"}
	case m.Data.Held != merge.NotHeld:
		return []string{"resume"}
	}
	return nil
}

// carOf returns where a staged item is.
func (d *Document) carOf(i Item) MergeCar {
	if i.ByPull() {
		return i.pullCar()
	}
	m := d.MergeOf(i.Staged.Target)
	car := MergeCar{N: i.N, State: CarStaged}
	if !m.has(i.N) {
		return car
	}
	place := slices.IndexFunc(m.Batch.Picks, func(p Pick) bool { return p.N == i.N }) + 1
	switch m.State {
	case merge.StateProving:
		if place <= m.Data.At {
			car.State = CarProving
		}
		if m.Data.Flaky {
			car.Why = "flaky"
		}
	case merge.StateProven, merge.StateMoving:
		if place <= m.Data.Green {
			car.State, car.Why = CarProven, m.Why
		}
	}
	return car
}
