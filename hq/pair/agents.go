package pair

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ferrus/checks"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/machine"
	"ferrus/machine/pair"
	"ferrus/ui/text"
)

// agents are the slots of a run's agents, on a loop of their own. A turn is handed to
// the loop and comes back; in between, the loop alone touches the run.
type agents struct {
	run     *Run
	loop    *session.Loop
	runners map[core.Slot]*session.Runner
	turn    *turn         // in flight; nil: none was yet
	idle    chan struct{} // to be closed when nothing lives; nil: nothing waits for that
}

// startAgents makes the slots of a run, with the numbers and errors of its earlier
// sessions, and begins their loop.
func (r *Run) startAgents(ctx context.Context) *agents {
	a := &agents{run: r, loop: session.NewLoop(ctx), runners: map[core.Slot]*session.Runner{}}
	for _, slot := range core.PairSlots {
		if r.Manifest.Agent(string(slot)) != "" {
			a.runners[slot] = a.newRunner(slot)
		}
	}
	a.loop.Start(a.reconcile)
	r.agents.Store(a)
	return a
}

func (a *agents) newRunner(slot core.Slot) *session.Runner {
	r, who := a.run, string(slot)
	o := session.Options{
		Slot: slot, Loop: a.loop, Launcher: r.launcher(),
		Policy: func() config.Session { return r.Manifest.Setup.Session },
		Callbacks: session.Callbacks{
			Save:    func() error { return a.turn.saveProcess() },
			Exited:  func(e session.End) { a.turn.exited(e) },
			Stuck:   func(_, _ string) { a.turn.markGaveUp() },
			Notice:  func(text string) { r.watch(Event{Agent: who, Notice: text}) },
			Problem: func(text string) { r.watch(Event{Agent: who, Notice: text}) },
			Changed: r.changed,
		},
	}
	if r.Size != nil {
		o.Columns, o.Rows = r.Size(slot)
	}
	runner := session.New(o)
	before := r.Manifest.Sessions[who].Data
	role := r.Manifest.Setup.roleConfig(who, r.Manifest.Agent(who))
	runner.Restore(project.SessionRecord{
		Slot: slot, Task: r.Manifest.ID, AgentType: role.Agent, Model: role.Model, Bypass: role.Bypass(),
		SessionSeq: int(before.Session), Counters: &project.Counters{Total: int(before.Total)},
	}, session.Job{})
	return runner
}

// reconcile has the agent work whose turn it is.
func (a *agents) reconcile() {
	lives := false
	for slot, runner := range a.runners {
		if t := a.turn; t != nil && t.slot == slot && t.wanted {
			runner.Want(t.job)
		} else {
			runner.Retain()
		}
		lives = lives || runner.Lives()
	}
	if a.idle != nil && !lives {
		close(a.idle)
		a.idle = nil
	}
}

// runTurn has the loop carry a turn out, and returns when it is over or ctx is done. No
// process of it lives then.
func (a *agents) runTurn(ctx context.Context, t *turn) error {
	a.loop.Ask(func() { a.turn, t.wanted = t, true })
	select {
	case <-t.done:
	case <-ctx.Done():
	}
	gone := make(chan struct{})
	a.loop.Ask(func() {
		if t.wanted || t.runner.Lives() {
			t.runner.Stop()
		}
		t.wanted, a.idle = false, gone
	})
	<-gone
	a.loop.Ask(func() { a.run.Manifest.keepSession(string(t.slot), t.runner.Snap()) })
	if t.err == nil {
		return ctx.Err()
	}
	return t.err
}

// turn is one turn of one agent, through all the sessions that it takes.
type turn struct {
	*Run
	slot   core.Slot
	runner *session.Runner
	before checks.Tree // that it began with
	diff   string      // since the run began; of a reviewer's turn
	alarms string      // likewise
	page   page        // what the newest session printed
	job    session.Job

	// Of the loop until over is closed.
	wanted  bool
	gaveUp  bool // its slot gave up
	err     error
	done    chan struct{}
	grammar pair.Grammar
	read    int64 // how far messages.jsonl was told
	started time.Time
	text    string // what the newest session said
	ending  string // how it ended, in words
}

// takeTurn is one turn of the agent whose turn it is: started, ended, and started again
// while the errors are within limits.
func (r *Run) takeTurn(ctx context.Context) error {
	t, err := r.newTurn(ctx)
	if err != nil {
		return err
	}
	if err := r.agents.Load().runTurn(ctx, t); err != nil {
		return err
	}
	if t.gaveUp {
		return t.giveUp()
	}
	return t.commitOutcome(ctx)
}

func (r *Run) newTurn(ctx context.Context) (*turn, error) {
	t := &turn{Run: r, slot: core.SlotPrimary, done: make(chan struct{})}
	mode := core.ModeWork
	if r.machine.Current() == pair.StateReviewing {
		t.slot, mode = core.SlotSecondary, core.ModeReview
	}
	var err error
	if t.before, err = r.project.Repo().Tree(ctx); err != nil {
		return nil, err
	}
	if mode == core.ModeReview {
		if t.diff, err = t.readDiff(ctx); err != nil {
			return nil, err
		}
		t.alarms = describeAlarms(r.alarms(ctx, t.before.Hash))
	}
	who := string(t.slot)
	t.runner = r.agents.Load().runners[t.slot]
	t.page.lines = func(line string) { r.watch(Event{Agent: who, Line: line}) }
	t.job = session.Job{
		Job: core.Job{Slot: t.slot, Mode: mode}, Origin: r.Manifest.ID,
		Workspace: r.project.Dir, Prepared: true, Once: true,
		Agent:  r.Manifest.Setup.roleConfig(who, r.Manifest.Agent(who)),
		Prompt: t.buildPrompt, Output: &t.page,
		Log: func(number uint32) string { return r.Manifest.file(fmt.Sprintf("%s-%d.log", who, number)) },
	}
	return t, nil
}

// buildPrompt words the prompt of a session, with a nonce that no other has. The session is
// in the manifest before its process exists.
func (t *turn) buildPrompt(id string) (string, error) {
	who, m := string(t.slot), &t.Manifest
	t.page.reset()
	t.started = time.Now()
	prompt, err := t.prompt()
	if err != nil {
		return "", t.fail(err)
	}
	m.Turn = &Turn{Agent: who, Session: id}
	m.keepSession(who, t.runner.Snap())
	if err := t.save(); err != nil {
		return "", t.fail(err)
	}
	line := Entry{Type: "prompt", Tree: t.before.Hash, Text: prompt}
	line.Author = t.author()
	line.Session = id
	return prompt, t.fail(t.note(line))
}

// author is the agent, as the transcript names it.
func (t *turn) author() Author {
	who := string(t.slot)
	return Author{Turn: t.Manifest.Turns + 1, Agent: who, Name: t.Manifest.Agent(who)}
}

// saveProcess keeps the process of the session, to be found after a crash.
func (t *turn) saveProcess() error {
	pid := t.runner.Record().PID
	if t.Manifest.Turn == nil || pid == 0 {
		return nil
	}
	t.Manifest.Turn.PID = pid
	return t.fail(t.save())
}

// exited takes the end of a session. The turn is over when it ended well, gave up or
// was cancelled; else another session follows.
func (t *turn) exited(e session.End) {
	t.page.finish()
	t.text, t.ending = t.page.String(), e.Summary
	if e.Exit.Final != nil {
		t.text = text.Plain(*e.Exit.Final)
	}
	if e.Limit != "" {
		t.ending = e.Limit
	}
	if t.wanted && !e.Succeeded {
		t.noteFailure(e.Limit != "")
	}
	if e.Succeeded || !t.wanted || t.gaveUp || t.err != nil {
		t.finish()
	}
}

// noteFailure writes down a session that another follows, unless the slot gave up.
func (t *turn) noteFailure(parked bool) {
	m := &t.Manifest
	m.Turn = nil
	m.keepSession(string(t.slot), t.runner.Snap())
	line := Entry{
		Type: "session", Author: t.author(), Text: t.describeEnd(), Parked: parked,
		DurationMS: time.Since(t.started).Milliseconds(),
	}
	if t.fail(t.save()) == nil {
		_ = t.fail(t.note(line))
	}
}

// markGaveUp notes that the slot gave up. The end of its last session follows, if there was
// one.
func (t *turn) markGaveUp() {
	t.gaveUp = true
	if t.err != nil {
		t.finish()
	}
}

// fail keeps an error of the disk, which ends the turn and the run, and returns it.
func (t *turn) fail(err error) error {
	if err != nil && t.err == nil {
		t.err = err
		t.finish()
	}
	return err
}

func (t *turn) finish() {
	if t.wanted {
		t.wanted = false
		close(t.done)
	}
}

// describeEnd say how a session ended, with the last line that it printed.
func (t *turn) describeEnd() string {
	line := strings.TrimSpace(t.text)
	line = line[strings.LastIndexByte(line, '\n')+1:]
	if line == "" {
		return t.ending
	}
	return t.ending + ": " + line
}

// giveUp fails the run because its agent failed too often.
func (t *turn) giveUp() error {
	who := string(t.slot)
	why := fmt.Sprintf("%s (%s): %s", who, t.Manifest.Agent(who), t.describeEnd())
	return t.step(machine.Ferrus, pair.Broken{}, why, func(m *Manifest) {
		m.Turn = nil
		delete(m.Sessions, who) // a resumed run starts with fresh counters
	})
}
