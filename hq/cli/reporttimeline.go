package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/task"
)

// span is a time in which a task was in one state.
type span struct {
	state    string
	from, to time.Time
}

// timelineKind is how states are coloured, and what the legend calls them.
type timelineKind struct{ class, words string }

// timelineKinds are the colours of the timeline, in the order of its legend.
var timelineKinds = []timelineKind{
	{"work", "agents working"}, {"check", "checks"}, {"review", "review"}, {"you", "waiting for you"},
	{"rest", "at rest"},
}

// kindOf returns the index of a state's colour in timelineKinds.
func kindOf(state string) int {
	switch machine.State(state) {
	case task.Executing, task.Addressing, task.Consultation:
		return 0
	case task.Checking:
		return 1
	case task.Reviewing:
		return 2
	case task.AwaitingHuman, task.Failed:
		return 3
	}
	return 4
}

// spans returns the states of the task, one after the other. A clock that went back makes
// a span without length, never a negative one.
func (e *evidence) spans() (all []span) {
	var at time.Time // the latest time so far
	for _, l := range e.Journal {
		if l.At.After(at) {
			at = l.At
		}
		if n := len(all); n > 0 {
			all[n-1].to = at
			if l.To == "" || l.To == all[n-1].state {
				continue
			}
		}
		if l.To != "" {
			all = append(all, span{state: l.To, from: at, to: at})
		}
	}
	return all
}

// period returns the first and the last time of the journal.
func (e *evidence) period() (began, ended time.Time) {
	if all := e.spans(); len(all) > 0 {
		return all[0].from, all[len(all)-1].to
	}
	return began, ended
}

// timelineHTML draws the states, the gates and the sessions of each slot over time.
func (e *evidence) timelineHTML(b *strings.Builder) {
	began, ended := e.period()
	if !ended.After(began) {
		return
	}
	t := timeline{b: b, began: began, whole: ended.Sub(began)}
	b.WriteString("<h2>Timeline</h2>\n")
	t.lane("state", func() {
		for _, s := range e.spans() {
			t.bar(timelineKinds[kindOf(s.state)].class, s.state, s.from, s.to)
		}
	})
	if len(e.Gates) > 0 {
		t.lane("checks", func() {
			for _, g := range e.Gates {
				t.bar(verdictClass(g.Verdict), g.Why, g.Started, g.Ended)
			}
		})
	}
	bySlot := map[core.Slot][]project.Ended{}
	for _, s := range e.Used.Sessions {
		bySlot[s.Slot] = append(bySlot[s.Slot], s)
	}
	for _, slot := range slices.Sorted(maps.Keys(bySlot)) {
		t.lane(string(slot), func() {
			for _, s := range bySlot[slot] {
				t.bar("work", fmt.Sprintf("%s %d", s.Slot, s.Number), s.Started, s.Ended)
			}
		})
	}
	fmt.Fprintf(b, `<p class="faint">%s to %s</p>`+"\n", timestamp(began), timestamp(ended))
	e.legendHTML(b)
}

// legendHTML names the colours, with the time spent in each.
func (e *evidence) legendHTML(b *strings.Builder) {
	took := make([]time.Duration, len(timelineKinds))
	for _, s := range e.spans() {
		took[kindOf(s.state)] += s.to.Sub(s.from)
	}
	b.WriteString(`<div class="legend">`)
	for i, k := range timelineKinds {
		if took[i] >= 100*time.Millisecond {
			fmt.Fprintf(b, `<span><i class=%q></i>%s %s</span>`, k.class, k.words, rounded(took[i]))
		}
	}
	b.WriteString("</div>\n")
}

// timeline draws bars in lanes of one width.
type timeline struct {
	b     *strings.Builder
	began time.Time
	whole time.Duration
}

func (t timeline) lane(name string, draw func()) {
	fmt.Fprintf(t.b, `<div class="lane"><span>%s</span><div class="track">`, escaped(name))
	draw()
	t.b.WriteString("</div></div>\n")
}

func (t timeline) bar(class, title string, from, to time.Time) {
	percent := func(d time.Duration) float64 { return 100 * min(1, max(0, d.Seconds()/t.whole.Seconds())) }
	left := percent(from.Sub(t.began))
	fmt.Fprintf(t.b, `<i class=%q style="left:%.2f%%;width:%.2f%%" title=%q></i>`, class, left,
		percent(to.Sub(t.began))-left, escaped(title+", "+rounded(to.Sub(from))))
}

// rounded returns a duration in tenths of a second below ten seconds, in minutes from an
// hour on, and else in seconds.
func rounded(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < time.Hour:
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
