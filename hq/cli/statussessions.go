package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"ferrus/agent"
	"ferrus/agent/process"
	"ferrus/agent/sandbox"
	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/session"
	"ferrus/machine/task"
	"ferrus/ui/text"
)

func (s statusReport) sessions(line func(string, string, ...any)) {
	if s.conductor > 0 {
		line("hq", "running, process %d", s.conductor)
	} else {
		line("hq", "not running")
	}
	if s.pair > 0 {
		line("pair", "running, process %d", s.pair)
	}
	if s.stopped != nil {
		line("pair", "%s; ferrus %s resumes it", text.Sanitize(s.stopped.Why), s.stopped.Resume[1:])
	}
	if s.cut != "" {
		line("pair", "%s was interrupted, and continues when HQ opens", s.cut)
	}
	for _, e := range s.registry.Agents {
		words := fmt.Sprintf("%s  %s  %s", e.Name, e.Mode, s.sessionState(e))
		if e.Exit != "" {
			words += "  " + e.Exit
		}
		if e.Sandbox != "" && e.PID > 0 {
			words += "  sandbox: " + text.Sanitize(e.Sandbox)
			if !session.IsInside(e.Sandbox) {
				words += " (" + sandbox.Exposed + ")"
			}
		}
		if session.Troubled(e) {
			words += "  " + text.Sanitize(e.Trouble)
		}
		words += s.waits(e.Wait)
		line(string(e.Slot), "%s", words)
	}
	for _, l := range s.leftovers {
		line("leftover", "%s; ferrus pair --resume %s ends it and continues the run", l, l.Run)
	}
	if t := s.state.World.Task; t != nil {
		if size := session.TaskSize(context.Background(), s.project, t.ID); size > 0 {
			line("disk", "%d MB in private homes and caches of the task's sessions", size>>20)
		}
	}
	for _, d := range agent.Daemons() {
		line("daemon", "%s", d)
	}
	for _, want := range s.registry.Wants {
		line("wanted", "%s %s", want.Kind, want.Text)
	}
}

// isGone reports that nothing is left of a session but its log: its task is no longer open, and it does not run.
func (s statusReport) isGone(e project.SessionRecord) bool {
	switch t := s.state.World.Task; {
	case t != nil && (t.ID == e.Task || e.Task == ""):
		return false
	case e.Task == "" && (e.PID > 0 || e.State == session.Stopped || e.Wait != nil): // it was to start one
		return false
	}
	alive, known := process.Alive(e.Process)
	return e.PID == 0 || known && !alive
}

// troubled returns the sessions whose programs cannot work.
func (s statusReport) troubled() (all []advice.TroubledSession) {
	for _, e := range s.registry.Agents {
		if session.Troubled(e) {
			all = append(all, advice.TroubledSession{Slot: e.Slot, Number: e.SessionSeq, Agent: e.AgentType,
				Words: text.Sanitize(e.Trouble), Since: e.StartedAt})
		}
	}
	return all
}

// waits returns how long a slot waits, and why.
func (s statusReport) waits(w *project.Wait) string {
	clock := project.ReadClock()
	if w == nil || w.Left(clock) <= 0 {
		return ""
	}
	words := fmt.Sprintf("  retries in %s", w.Left(clock).Round(time.Second))
	if w.Why != "" {
		words += fmt.Sprintf(", at %s: %s", w.End(clock).Local().Format("Mon 15:04"), w.Why)
	}
	return words
}

// startedByHand is what is said of a session that no conductor started.
const startedByHand = "started by hand, outside any sandbox"

// outside says of a session that you started by hand that nothing holds it.
func outside(c *core.Claim) string {
	if c == nil || c.Managed {
		return ""
	}
	return "  " + startedByHand
}

// sessionState returns the state of a session, with its process, if it has one.
func (s statusReport) sessionState(e project.SessionRecord) string {
	if e.PID == 0 {
		if e.State == session.Initializing && e.Status == project.Suspended {
			return "not running"
		}
		return string(e.State)
	}
	if alive, known := process.Alive(e.Process); known && !alive {
		return fmt.Sprintf("%s, but process %d has ended", e.State, e.PID)
	}
	return fmt.Sprintf("%s  process %d%s", e.State, e.PID, s.since(e.StartedAt))
}

// next returns what you should do now; empty: nothing.
func (s statusReport) next() string {
	w := s.state.World
	free := w.State == task.Idle || w.State == task.Complete && w.Task != nil && w.Task.Origin != nil
	switch {
	case s.pair > 0 && w.State == task.Idle:
		return "wait until the pair ends; ferrus pair --list lists runs"
	case s.stopped != nil && w.State == task.Idle:
		return "resume the pair, or create a task"
	case s.cut != "" && w.State == task.Idle:
		return "continue the pair with: ferrus pair --resume " + s.cut
	case s.workflow != nil && free && s.workflow.Asks() == "" && w.Hold != nil:
		return "resume"
	case s.workflow != nil && free && s.conductor > 0:
		if asks := s.workflow.Asks(); asks != "" || !slices.ContainsFunc(s.queued, queue.Row.NeedsYou) {
			return asks
		}
		return s.inboxOfTask()
	case s.workflow != nil && free:
		return cmp.Or(s.workflow.Asks(), "continue the workflow with: ferrus run")
	case s.result != "" && free:
		return "land the result of the workflow with: ferrus land"
	case s.conductor == 0 && slices.ContainsFunc(s.queued, func(r queue.Row) bool { return !r.Needs }) && w.Task == nil:
		return notRunning
	case len(s.queued) > 0 && w.Task == nil:
		return s.inboxOfTask()
	}
	return cmp.Or(advice.Next(w, project.HumanActor()), s.continueWith())
}

// inboxOfTask says where what a task of the queue needs can be seen.
func (s statusReport) inboxOfTask() string {
	of := max(slices.IndexFunc(s.queued, queue.Row.NeedsYou), 0)
	return fmt.Sprintf("ferrus inbox says what needs you; ferrus status --task %d shows a task", s.queued[of].N)
}

// continueWith returns how to continue if agents should work and nothing starts them.
func (s statusReport) continueWith() string {
	w := s.state.World
	if s.conductor > 0 || w.Task == nil || w.Claim != nil && !w.Claim.Managed {
		return ""
	}
	return notRunning
}

const notRunning = "HQ is not running; continue with: ferrus, or ferrus run"
