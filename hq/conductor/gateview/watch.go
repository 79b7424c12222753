package gateview

import (
	"cmp"
	"maps"
	"strings"
	"sync"
	"time"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/gate"
)

// gateLines is how many lines of a running gate's output are kept for the screen.
const gateLines = 200

// Watch collects what the runner of a gate reports. The zero value is ready to use. Its methods may be called from
// any goroutine: runners write it, [Watch.View] reads it.
type Watch struct {
	mu        sync.Mutex // guards what follows
	view      View
	took      map[string]time.Duration // by command, in gates before this conductor
	untrusted []string
}

// SetUntrusted replaces the commands that are not trusted on this machine.
func (g *Watch) SetUntrusted(untrusted []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.untrusted = untrusted
}

// Start replaces the view by one of a gate that starts.
func (g *Watch) Start(ticket uint64, attempt int, commands []string, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	before := g.view.Rows
	g.view = View{Ticket: ticket, Attempt: attempt, Running: true, Started: now}
	for _, command := range commands {
		last := cmp.Or(lastTook(before, command), g.took[command])
		g.view.Rows = append(g.view.Rows, Row{Command: command, Last: last})
	}
}

// Wait shows how many gates of other tasks are ahead of a waiting one. Its time starts with its turn.
func (g *Watch) Wait(ticket uint64, ahead int, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.view.Ticket != ticket {
		return
	}
	if g.view.Ahead > 0 && ahead == 0 {
		g.view.Started = now
	}
	g.view.Ahead = ahead
}

// Forget clears the view for a new task, which no gate has judged. How long each command took
// stays known.
func (g *Watch) Forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.view.Running {
		return // it is the human's, beside the task
	}
	took := map[string]time.Duration{}
	maps.Copy(took, g.took)
	for _, r := range g.view.Rows {
		took[r.Command] = cmp.Or(r.Took, r.Last, took[r.Command])
	}
	g.view, g.took = View{}, took
}

// lastTook returns how long a command took in the previous gate or, if it did not end there,
// in an earlier one.
func lastTook(before []Row, command string) time.Duration {
	for _, r := range before {
		if r.Command == command {
			return cmp.Or(r.Took, r.Last)
		}
	}
	return 0
}

// Progress applies one report of the runner.
func (g *Watch) Progress(p checks.Progress) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.view.Setup = nil // it has passed
	for len(g.view.Rows) <= p.Index {
		g.view.Rows = append(g.view.Rows, Row{Command: p.Command})
	}
	g.apply(&g.view.Rows[p.Index], p)
}

// Setup applies a report of one of so many setup commands.
func (g *Watch) Setup(of int, p checks.Progress) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.view.Setup) != of || p.Index >= of {
		g.view.Setup = make([]Row, max(of, p.Index+1))
	}
	g.apply(&g.view.Setup[p.Index], p)
}

// apply changes the row of a command, and keeps what the command prints. The caller holds mu.
func (g *Watch) apply(row *Row, p checks.Progress) {
	row.Command = p.Command
	if p.Done != nil {
		row.Status, row.Took = status(*p.Done), p.Done.Duration
		row.Detail, row.Tail = detail(*p.Done), p.Done.Tail
		return
	}
	if row.Status != Running {
		row.Status, row.Started = Running, time.Now()
	}
	if p.Line == "" {
		return
	}
	row.Detail = p.Line
	g.view.Lines = append(g.view.Lines, p.Line)
	if extra := len(g.view.Lines) - gateLines; extra > 0 {
		g.view.Lines = append([]string(nil), g.view.Lines[extra:]...)
	}
}

// End records the verdict of a gate that the journal has.
func (g *Watch) End(last core.Gate, why string, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.view.Ticket != last.Ticket {
		g.view = View{Ticket: last.Ticket, Attempt: last.Attempt}
	}
	g.finish(last.Verdict, why, last.Log, now)
}

// finish ends the view of a running gate. The caller holds mu.
func (g *Watch) finish(verdict checks.Verdict, why, log string, now time.Time) {
	if g.view.Running {
		g.view.Took = now.Sub(g.view.Started)
	}
	g.view.Setup = nil
	g.view.Running, g.view.Verdict, g.view.Why, g.view.Log = false, verdict, why, log
}

// forced records the result of a check that changes no state.
func (g *Watch) forced(r gate.Record, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil {
		r.Verdict, r.Why = checks.Cancelled, err.Error()
	}
	g.finish(r.Verdict, r.Why, r.Log, time.Now())
}

// Track shows a gate that changes no state, or the commands of something else. It returns
// what to call with the progress of its commands, and with the result.
func (g *Watch) Track(
	of string, commands []string, changed func(),
) (progress func(checks.Progress), over func(gate.Record, error)) {
	g.Start(0, 0, commands, time.Now())
	g.name(of)
	changed()
	progress = func(p checks.Progress) { g.Progress(p); changed() }
	return progress, func(r gate.Record, err error) { g.forced(r, err); changed() }
}

// name says what the commands that run are of.
func (g *Watch) name(of string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.view.Of = of
}

// Recall shows a gate that ended before this conductor started.
func (g *Watch) Recall(r gate.Record) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.view = Recalled(r)
	for i := range g.view.Rows {
		g.view.Rows[i].Last = g.took[g.view.Rows[i].Command]
	}
}

// Remember sets how long commands took in earlier gates.
func (g *Watch) Remember(took map[string]time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.took = took
}

// Recalled returns the view of a recorded gate.
func Recalled(r gate.Record) View {
	v := View{
		Ticket: r.Ticket, Attempt: r.Attempt, Verdict: r.Verdict, Why: r.Why,
		Started: r.Started, Took: r.Ended.Sub(r.Started), Log: r.Log,
	}
	for _, result := range r.Commands {
		v.Rows = append(v.Rows, Row{
			Command: result.Title(), Status: status(result), Detail: detail(result),
			Took: result.Duration, Tail: result.Tail,
		})
		v.Lines = append(v.Lines, result.Tail...)
	}
	return v
}

// View returns a copy of the view.
func (g *Watch) View() View {
	g.mu.Lock()
	defer g.mu.Unlock()
	v := g.view
	v.Setup, v.Rows = append([]Row(nil), v.Setup...), append([]Row(nil), v.Rows...)
	v.Lines = append([]string(nil), v.Lines...)
	v.Untrusted = g.untrusted
	return v
}

func status(r checks.Result) Status {
	switch {
	case r.TimedOut:
		return Timeout
	case r.OK():
		return OK
	}
	return Fail
}

// detail returns the most informative part of a result: the test counts of a success;
// otherwise the hint, else the most telling line of the output.
func detail(r checks.Result) string {
	if status(r) == OK {
		if r.Tests != nil {
			return r.Tests.String()
		}
		return ""
	}
	if r.Hint != "" {
		return r.Hint
	}
	return tellingLine(r.Tail)
}

// tellingLine returns the most telling line of a failed command: the first that names a
// failure, else the last one.
func tellingLine(lines []string) string {
	for _, line := range lines {
		lower := strings.ToLower(line)
		for _, word := range []string{"--- fail", "panic:", "error:", "error[", "failed", "assert"} {
			if strings.Contains(lower, word) {
				return strings.TrimSpace(line)
			}
		}
	}
	if n := len(lines); n > 0 {
		return strings.TrimSpace(lines[n-1])
	}
	return ""
}
