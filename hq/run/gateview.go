package run

import (
	"sync"
	"time"

	"ferrus/checks"
	"ferrus/hq"
)

// gateLines is how many lines of a running gate's output are kept for the screen.
const gateLines = 200

// gateWatch collects what a gate's runner reports, for View. It is written by
// the runner and read by the loop.
type gateWatch struct {
	mu   sync.Mutex // guards view
	view GateView
}

// begin makes room for a new gate.
func (g *gateWatch) begin(ticket uint64, attempt int, commands []string, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.view = GateView{Ticket: ticket, Attempt: attempt, Running: true, Started: now}
	for _, command := range commands {
		g.view.Rows = append(g.view.Rows, GateRow{Command: command})
	}
}

// progress takes one report of the runner.
func (g *gateWatch) progress(p checks.Progress) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.view.Rows) <= p.Index {
		g.view.Rows = append(g.view.Rows, GateRow{Command: p.Command})
	}
	row := &g.view.Rows[p.Index]
	row.Command = p.Command
	if p.Done != nil {
		row.Status, row.Took = status(*p.Done), p.Done.Duration
		row.Detail = detail(*p.Done)
		return
	}
	row.Status = "running"
	if p.Line == "" {
		return
	}
	row.Detail = p.Line
	g.view.Lines = append(g.view.Lines, p.Line)
	if extra := len(g.view.Lines) - gateLines; extra > 0 {
		g.view.Lines = append([]string(nil), g.view.Lines[extra:]...)
	}
}

// end keeps the verdict.
func (g *gateWatch) end(gate hq.Gate, why string, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.view.Ticket != gate.Ticket {
		g.view = GateView{Ticket: gate.Ticket, Attempt: gate.Attempt}
	}
	if g.view.Running {
		g.view.Took = now.Sub(g.view.Started)
	}
	g.view.Running, g.view.Verdict, g.view.Why, g.view.Log = false, gate.Verdict, why, gate.Log
}

// look returns a copy that nobody writes to.
func (g *gateWatch) look() GateView {
	g.mu.Lock()
	defer g.mu.Unlock()
	v := g.view
	v.Rows = append([]GateRow(nil), v.Rows...)
	v.Lines = append([]string(nil), v.Lines...)
	return v
}

func status(r checks.Result) string {
	switch {
	case r.TimedOut:
		return "TIMEOUT"
	case r.Exit == 0 && r.Signal == "":
		return "ok"
	}
	return "FAIL"
}

// detail is the line that says most: the hint, else the last line.
func detail(r checks.Result) string {
	if status(r) == "ok" {
		return ""
	}
	if r.Hint != "" {
		return r.Hint
	}
	if n := len(r.Tail); n > 0 {
		return r.Tail[n-1]
	}
	return ""
}
