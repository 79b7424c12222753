package tui

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/session"
	"ferrus/machine/task"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// Project is what the screen shows of v at now. It is a pure function.
func Project(v conductor.View, now time.Time) view.View {
	var p projector
	return p.project(v, now)
}

// projector keeps what changes with the journal only, because a frame is drawn
// far oftener than that. The zero value works.
type projector struct {
	from     [4]any // seq, time of the state, lines of the journal, the newest refusal
	activity []view.Entry
	explain  string
	sheets   []view.Document
	asked    [2]string // what is asked, and that as it is shown
}

func (p *projector) project(v conductor.View, now time.Time) view.View {
	if from := [4]any{v.State.Seq, v.State.UpdatedAt, len(v.Journal), lastRefused(v)}; from != p.from || v.State.Seq == 0 {
		p.from, p.activity, p.explain = from, timeline(v, now.Location()), advice.ExplainAt(v.State.World, clock(now))
		p.sheets = sheets(v)
	}
	out := view.View{Activity: p.activity, Panes: panes(v, now), Check: check(v.Gate, now), Ask: p.ask(v), StopOnExit: v.StopOnExit}
	out.Inbox = append(pairNeeds(v.Pair), needs(v)...)
	out.Hint = idleHint(v)
	w := v.State.World
	out.Spec = view.Spec{Last: text.Sanitize(v.Spec), Selected: text.Sanitize(w.SelectedSpec), Milestone: text.Sanitize(w.SelectedMilestone)}
	out.Documents = p.sheets
	out.Disabled = advice.Disabled(w, advice.Activity{Now: now, Gate: v.Gate.Running, Pair: v.Pair != nil && v.Pair.Running})
	out.Status = status(v, now)
	if v.Pair != nil {
		pairStatus(&out.Status, v.Pair, now)
	}
	out.Explanation = explainPair(v.Pair) + explain(v, p.explain, now)
	if n := len(v.Notices); n > 0 {
		last := v.Notices[n-1]
		out.Notice = &view.Notice{Number: last.At.UnixNano(), Text: text.Sanitize(last.Text), Error: last.Error}
	}
	return out
}

// tones say how each state of the task feels.
var tones = map[machine.State]style.Tone{
	task.Idle: style.Dim, task.Executing: style.Busy, task.Checking: style.Busy, task.Addressing: style.Busy, task.Reviewing: style.Busy,
	task.Consultation: style.Warn, task.AwaitingHuman: style.Warn, task.Complete: style.Good, task.Failed: style.Bad,
}

// open reports whether a task is being worked on in a state.
func open(s machine.State) bool {
	switch s {
	case "", task.Idle, task.Complete, task.Failed:
		return false
	}
	return true
}

func status(v conductor.View, now time.Time) view.Status {
	w := v.State.World
	s := view.Status{
		Project: text.Sanitize(filepath.Base(v.Project)), Branch: text.Sanitize(v.Branch),
		State: view.State{Text: string(w.State), Tone: tones[w.State]}, Lease: lease(w, now),
	}
	switch {
	case v.StateError != "" && w.State == "":
		s.State, s.Alert = view.State{Text: "unknown", Tone: style.Bad}, "PROBLEM"
	case v.StateError != "":
		s.Alert = "PROBLEM"
	case w.Hold != nil:
		s.Alert = "HOLD " + text.Sanitize(w.Hold.Reason)
	}
	if w.Task == nil || w.State == task.Idle {
		return s
	}
	s.Title = text.Sanitize(w.Task.Title)
	s.Checks = fmt.Sprintf("%d/%d", w.CheckRetries, v.Limits.CheckRetries)
	s.Reviews = fmt.Sprintf("%d/%d", w.ReviewCycles, v.Limits.ReviewCycles)
	s.Counter = "checks " + s.Checks
	if w.State == task.Reviewing {
		s.Counter = "reviews " + s.Reviews
	}
	s.Used = v.Used.Total.Short()
	if began, ok := began(v); ok {
		end := now
		if !open(w.State) {
			end = w.Since
		}
		s.Elapsed = hours(end.Sub(began))
	}
	return s
}

// began is when the task was created: as the journal says, else as its id does.
func began(v conductor.View) (time.Time, bool) {
	for i := len(v.Journal) - 1; i >= 0; i-- {
		if machine.Kind(v.Journal[i].Event) == core.KindCreateTask {
			return v.Journal[i].At, true
		}
	}
	const layout = "t-20060102-150405"
	id := v.State.World.Task.ID
	at, err := time.Parse(layout, id[:min(len(layout), len(id))])
	return at, err == nil
}

func lease(w core.World, now time.Time) string {
	if w.ClaimedBy == "" || w.LeaseUntil == nil {
		return ""
	}
	left := w.LeaseUntil.Sub(now)
	if left < 0 {
		return text.Sanitize(w.ClaimedBy) + " over"
	}
	return fmt.Sprintf("%s %ds", text.Sanitize(w.ClaimedBy), int(left.Seconds()))
}

// hours is a duration as 00:14:32.
func hours(d time.Duration) string {
	s := int(max(d, 0).Seconds())
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

// minutes is a duration as 03:12, or 1:02:33.
func minutes(d time.Duration) string {
	if s := int(max(d, 0).Seconds()); s < 3600 {
		return fmt.Sprintf("%02d:%02d", s/60, s%60)
	}
	return strings.TrimPrefix(hours(d), "0")
}

// took is a duration as 0.2s, 41s or 2m03s.
func took(d time.Duration) string {
	switch s := d.Seconds(); {
	case d <= 0:
		return ""
	case s < 10:
		return fmt.Sprintf("%.1fs", s)
	case s < 60:
		return fmt.Sprintf("%.0fs", s)
	default:
		return fmt.Sprintf("%dm%02ds", int(s)/60, int(s)%60)
	}
}

// ticks reports whether a clock on the screen moves.
func ticks(v conductor.View) bool {
	if v.StateError == "" && open(v.State.World.State) || v.Gate.Running {
		return true
	}
	for _, p := range v.Panes {
		if living(p) || p.State == session.CoolingDown {
			return true
		}
	}
	return false
}
