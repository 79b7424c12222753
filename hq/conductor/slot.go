package conductor

import (
	"fmt"
	"syscall"
	"time"

	"ferrus/agent"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/session"
	"ferrus/ui/vt"
)

// slot is the place of one agent: its session machine, its process while there
// is one, and its pane. The loop owns it.
type slot struct {
	c        *Conductor
	name     core.Slot
	snap     session.Snap
	since    time.Time    // of snap.State
	rule     machine.Kind // the event that led to it; empty: it was taken over as it is
	wait     *wait        // nil: for nothing
	terminal *vt.Locked
	size     [2]int // columns, rows
	last     string // how the last session ended, in words
	current
}

// current is the session that lives, or lived last.
type current struct {
	process  agent.Session
	job      core.Job
	entry    project.Entry
	prompt   string
	nonce    string
	accepted bool // a call of it changed something
	bypass   bool
	model    string
	typed    bool // may be typed into
	output   *activity
	leave    *time.Timer // of a dismissal
}

func (c *Conductor) slot(name core.Slot) *slot {
	s := c.slots[name]
	if s == nil {
		s = &slot{c: c, name: name, size: [2]int{c.options.Columns, c.options.Rows}}
		s.begin(1, 0)
		c.slots[name] = s
	}
	return s
}

// begin gives the slot a new machine. Number and total errors are carried on.
func (s *slot) begin(number, total uint32) {
	s.endWait()
	s.snap, s.since = session.New(number, total), time.Now()
}

// lives reports whether the slot has a process that is not reaped.
func (s *slot) lives() bool { return s.process != nil }

// step puts an event to the session machine and carries out its effects. Events
// that come late are refused by the table and change nothing.
func (s *slot) step(event machine.Event) {
	before := s.snap
	policy := session.Policy{MaxConsecutive: s.c.config.Session.MaxConsecutiveErrors, MaxTotal: s.c.config.Session.MaxTotalErrors}
	after, effects, err := session.Step(policy, before, event)
	if err != nil {
		return
	}
	s.snap = after
	if after.At != before.At {
		s.since, s.rule = time.Now(), event.Kind()
	}
	if !session.Waiting(after) {
		s.endWait()
	}
	for _, effect := range effects {
		s.carryOut(effect)
	}
}

func (s *slot) carryOut(effect machine.Effect) {
	switch e := effect.(type) {
	case session.StorePrompt:
		s.prompt = e.Prompt
	case session.Spawn:
		s.spawn(e.Session)
		s.heed(e.Session, false)
	case session.CancelSession:
		s.end(s.c.config.Session.Grace())
		s.c.after(s.c.config.Session.Grace(), func() { s.step(session.GraceExceeded(e)) })
	case session.ForceStopSession:
		s.end(0)
	case session.Backoff:
		length := time.Duration(e.Millis) * time.Millisecond
		s.await(e.Session, project.ReadClock().Wait(length))
	case session.LogFatal:
		s.fatal(e.Message)
	case session.NoProgress:
		s.stuck(int(e.Times))
	case session.ReportTrouble:
		s.c.once(e.Message)
	}
}

// fatal is the end of a machine: the task is held, because nothing would go on.
func (s *slot) fatal(message string) {
	because := fmt.Sprintf("the %s gave up: %s", s.name, message)
	s.c.notice(true, "%s", because)
	s.c.hold("session-limit", because)
}

// want brings the slot one step nearer to a session for job. WorktreeReady is
// refused by the table while a wait is on, and comes again with the next turn.
func (s *slot) want(job core.Job) {
	if s.process != nil {
		switch {
		case s.superseded(job):
			s.step(session.Superseded{Session: s.snap.Data.Session})
		case s.spent():
			s.step(session.Dismissed{Session: s.snap.Data.Session})
		default:
			s.stay()
		}
		return
	}
	s.unpark()
	if task := s.c.origin(job); task != s.entry.Task && s.entry.Task != "" {
		s.step(session.TaskChanged{})
		s.entry.Task = task
	}
	switch {
	case !s.c.prepared(job):
	case s.snap.At == session.Initializing, s.snap.At == session.SessionComplete:
		s.step(session.WorktreeReady{})
	}
	if s.snap.At != session.BuildingPrompt {
		return
	}
	s.job = job
	messages := s.c.untold()[s.name]
	prompt, err := s.c.prompt(job, joined(messages))
	if err != nil {
		s.step(session.FatalError{Message: err.Error()})
		return
	}
	before := s.entry.Session
	s.step(session.PromptReady{Prompt: prompt})
	if s.entry.Session != before {
		s.give(messages)
	}
}

// exited takes the end of the process. Wanted tells that the plan still wants a
// session here.
func (s *slot) exited(number uint32, exit agent.Exit, wanted bool) {
	cause := s.snap.Data.Cause
	s.stopTimers()
	s.c.live.Delete(s.name)
	s.process = nil
	s.last = words(exit, cause)
	if limit := s.limited(exit); wanted && limit.Reached() {
		s.park(limit)
	}
	if s.parked() {
		s.last = "met a limit of its vendor"
	}
	s.entry.Status, s.entry.PID, s.entry.Exit, s.entry.Accepted = project.Suspended, 0, s.last, s.accepted
	s.c.note(s.entry, exit)
	s.c.release(s.entry)
	end := session.SessionExited{Session: number, Outcome: outcome(exit), Progress: s.accepted, Unwanted: !wanted}
	if wanted && session.Undone(s.snap) {
		end.Trouble = s.complain(end)
	}
	s.step(end)
	if s.snap.At == session.SessionComplete {
		s.acknowledge()
	}
	if cause != (session.UrgentMessage{}).Kind() && !s.parked() && !s.felled(exit, cause) {
		s.c.meet(s.job)
	}
	s.c.save()
	s.c.forgetHost(s.name)
}

// felled reports an end that nobody wanted: what the session was for is still to be
// done, and the waits after errors come before the next. Who sits before a program
// ends it there, with whatever exit that has.
func (s *slot) felled(exit agent.Exit, cause machine.Kind) bool {
	atHand := s.typed && byHand(s.job.Mode)
	failed := s.snap.At == session.CoolingDown || s.snap.At == session.Stopped
	return failed && cause != (session.TimedOut{}).Kind() && (!atHand || exit.Signal == syscall.SIGKILL)
}

// stuck holds the task for the person: another session would do no better.
func (s *slot) stuck(times int) {
	because := fmt.Sprintf("the %s ended %d times without finishing", s.name, times)
	if said := s.said(); said != "" {
		because += "; it said last: " + said
	}
	s.c.notice(true, "%s; look at its pane, then /resume", because)
	s.c.hold("no-progress", because)
}

// outcome judges an end by the exit alone.
func outcome(exit agent.Exit) session.Outcome {
	if exit.Code == 0 && exit.Signal == 0 {
		return session.Success
	}
	return session.Error
}

// words say how a session ended that was told to end because of cause, if it was.
func words(exit agent.Exit, cause machine.Kind) string {
	switch {
	case cause == session.TimedOut{}.Kind():
		return "ended: over its time"
	case exit.Signal != 0:
		return fmt.Sprintf("ended by %s", exit.Signal)
	case exit.Code != 0:
		return fmt.Sprintf("exit %d", exit.Code)
	}
	return "done"
}

// stay takes back a dismissal: the plan wants the session again.
func (s *slot) stay() {
	if s.leave != nil && s.leave.Stop() {
		s.leave = nil
	}
}

// spent reports a session that is wanted again after its work was done, but sits at
// its program's prompt, where nobody tells it so: another one takes its place.
func (s *slot) spent() bool {
	return s.leave != nil && s.typed && !byHand(s.job.Mode) && s.presence().Tool == ""
}

// superseded reports that the slot is wanted for something else than the session
// that lives, which is done with what it was for.
func (s *slot) superseded(job core.Job) bool {
	return job.Want != nil && (s.job.Want == nil || *s.job.Want != *job.Want)
}

// dismiss lets a session go that nothing is left for. It has the grace time to
// end by itself; at once means that its task is gone.
func (s *slot) dismiss(atOnce bool) {
	if s.process == nil || s.leave != nil && !atOnce {
		return
	}
	if atOnce {
		s.step(session.Dismissed{Session: s.snap.Data.Session})
		return
	}
	process := s.process
	s.leave = s.c.after(s.c.config.Session.Grace(), func() {
		if s.process == process && s.leave != nil {
			s.leave = nil
			s.step(session.Dismissed{Session: s.snap.Data.Session})
		}
	})
}

// end has the process ended and reaped, off the loop.
func (s *slot) end(grace time.Duration) {
	process := s.process
	if process == nil {
		return
	}
	s.c.ended.Go(func() { agent.End(s.c.ctx, process, grace) })
}

func (s *slot) stopTimers() {
	if s.leave != nil {
		s.leave.Stop()
		s.leave = nil
	}
}

func (s *slot) resize(size [2]int) {
	if s.size == size {
		return
	}
	s.size = size
	if s.process != nil {
		if err := s.process.Resize(size[0], size[1]); err != nil {
			s.c.once(err.Error())
		}
		return
	}
	if s.terminal != nil {
		s.terminal.Resize(size[0], size[1])
	}
}

func (s *slot) pane() PaneView {
	var waits project.Wait
	var until time.Time
	if s.wait != nil {
		waits = s.wait.kept
		until = waits.End(project.ReadClock())
	}
	return PaneView{
		Slot: s.name, Mode: s.job.Mode, Agent: s.entry.AgentType, Model: s.model, State: s.snap.At, LastEvent: s.rule,
		Session: int(s.snap.Data.Session), Since: s.since, Errors: int(s.snap.Data.Consecutive), TotalErrors: int(s.snap.Data.Total),
		Until: until, Limit: waits.Why, Estimated: waits.Guessed, Stopping: session.Stopping(s.snap),
		Interactive: s.typed && s.process != nil, Bypass: s.bypass, Exit: s.last, PID: s.entry.PID, Log: s.entry.Log, Terminal: s.terminal,
	}
}
