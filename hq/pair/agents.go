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

// agents are the slots of a run's agents, on their own loop. While the loop has a turn, it
// alone touches the run.
type agents struct {
	run     *Run
	loop    *session.Loop
	runners map[core.Slot]*session.Runner
	turn    *turn         // the newest; nil: none yet
	idle    chan struct{} // closed once no process runs; nil: nothing waits for that
}

// startAgents makes the slots of a run, with the numbers and errors of its earlier sessions,
// and starts their loop.
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

// reconcile runs a session for the agent whose turn it is, and for no other.
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

// runTurn makes the loop take a turn, and returns when the turn has ended or ctx is done.
// None of its processes is running then.
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
	before checks.Tree // at the start of the turn
	diff   string      // since the run was created; only for a reviewer
	alarms string      // about that diff; only for a reviewer
	page   page        // the output of the newest session
	job    session.Job
	progress
}

// progress is how far a turn is. The loop owns it until done is closed.
type progress struct {
	wanted  bool          // a session should run
	gaveUp  bool          // the slot gave up
	err     error         // of the disk
	done    chan struct{} // closed when no further session is needed
	grammar pair.Grammar  // of the newest prompt
	read    int64         // offset in messages.jsonl up to which the messages are in the prompt
	started time.Time     // of the newest session
	text    string        // output of the newest session
	ending  string        // how that ended, in words
}

// takeTurn takes the turn of the agent whose turn it is: it starts a session, and another
// one after an error while errors are within limits, and commits the outcome.
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
	t := &turn{Run: r, slot: core.SlotPrimary, progress: progress{done: make(chan struct{})}}
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

// buildPrompt builds the prompt of a session, with a fresh nonce for the line that ends the
// turn. The session is in the manifest before its process exists.
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

// author returns the agent as the transcript names it.
func (t *turn) author() Author {
	who := string(t.slot)
	return Author{Turn: t.Manifest.Turns + 1, Agent: who, Name: t.Manifest.Agent(who)}
}

// saveProcess records the process of the session, so that a crash leaves it findable.
func (t *turn) saveProcess() error {
	pid := t.runner.Record().PID
	if t.Manifest.Turn == nil || pid == 0 {
		return nil
	}
	t.Manifest.Turn.PID = pid
	return t.fail(t.save())
}

// exited handles the end of a session. The turn ends if the session succeeded, the slot
// gave up or the turn was cancelled; otherwise another session follows.
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

// noteFailure records a session that did not finish its turn.
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

// markGaveUp records that the slot gave up. The end of its last session follows, if there was
// one.
func (t *turn) markGaveUp() {
	t.gaveUp = true
	if t.err != nil {
		t.finish()
	}
}

// fail records an error of the disk, which ends the turn and the run, and returns it.
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

// describeEnd returns how the session ended, with the last line of its output.
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
