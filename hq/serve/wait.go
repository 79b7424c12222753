package serve

import (
	"fmt"
	"time"

	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

// lookAgain is how often a wait looks without having been told to: what a clock decides,
// such as the end of a lease, sends no notice.
const lookAgain = 2 * time.Second

// timeGuards are the guards that time alone may satisfy.
var timeGuards = map[string]bool{"nothing-to-claim": true, "consult-answered": true, "question-answered": true}

func waitForWork(c *toolCall) (*outcome, error) {
	return awaitOutcome(c, func() (*outcome, error) {
		r, err := c.do(core.Command{Kind: core.KindClaim})
		if err != nil || r.Status != core.StatusClaimed {
			return nil, unlessEarly(err)
		}
		return claimedWork(c, r)
	})
}

// mostAlarms bounds the alarms in the answer to a claim, which some clients cut; review_pending lists all.
const mostAlarms = 10

// claimedWork adds the texts of the work that was claimed.
func claimedWork(c *toolCall, r core.Result) (*outcome, error) {
	if r.Claimed == nil {
		r.Claimed = &core.Claimed{}
	}
	config, err := c.project.Config()
	if err != nil {
		return nil, err
	}
	r.Claimed.Heartbeat = config.Lease.HeartbeatIntervalSecs
	err = c.fresh(func(state store.State[core.World], t *texts) {
		r.Task, r.Review, r.Submission = t.get(core.TaskText), t.get(core.ReviewText), t.get(core.SubmissionText)
		r.Comments = openComments(t, c.who.role)
		r.Consults, r.Answers = state.World.Exchanges(c.who.role, t.get)
		if sub := state.World.Submission; sub != nil && c.who.role == machine.Supervisor {
			r.Alarms = sub.Alarms[:min(len(sub.Alarms), mostAlarms)]
		}
		if dir := c.project.Workspace(state.World); dir != c.project.Dir {
			r.Claimed.Workspace = dir
		}
		r.Claimed.Cycles, r.Claimed.Retries = state.World.ReviewCycles, state.World.CheckRetries
	})
	return result(r, err)
}

func waitForConsult(c *toolCall) (*outcome, error) {
	return awaitOutcome(c, func() (*outcome, error) {
		r, err := c.do(core.Command{Kind: core.KindWaitForConsult})
		if err != nil {
			return nil, unlessEarly(err)
		}
		if r.Response == "" {
			r.Response, err = c.readText(core.ConsultResponseText)
		}
		return result(r, err)
	})
}

func waitForAnswer(c *toolCall) (*outcome, error) {
	return awaitOutcome(c, func() (*outcome, error) {
		r, err := c.do(core.Command{Kind: core.KindDeliver})
		if err != nil {
			return nil, unlessEarly(err)
		}
		if r.Answer == "" {
			r.Answer, err = c.readText(core.AnswerText)
		}
		return result(r, err)
	})
}

// unlessEarly returns the error, or nil when it is a refusal that only says that it is
// too early.
func unlessEarly(err error) error {
	refused := machine.AsRefusal(err)
	if refused == nil || len(refused.Failed) == 0 {
		return err
	}
	for _, f := range refused.Failed {
		if !timeGuards[f.Guard] {
			return err
		}
	}
	return nil
}

// openWait is one wait in progress.
type openWait struct {
	*toolCall
	look                func() (*outcome, error) // an outcome ends the wait, and so does an error
	config              config.Config
	lastSeq             uint64 // at the last look; 0: look whatever it is
	renewed, reportedAt time.Time
}

// awaitOutcome checks, again after every change, until there is an outcome or
// its time is up.
func awaitOutcome(c *toolCall, look func() (*outcome, error)) (*outcome, error) {
	config, err := c.project.Config()
	if err != nil {
		c.log.Warn("configuration", "error", err)
	}
	changed, err := c.project.Store.Watch(c, "run")
	if err != nil {
		return nil, fmt.Errorf("watch the project: %w", err)
	}
	over := time.NewTimer(c.patience(config))
	defer over.Stop()
	ticks := time.NewTicker(lookAgain)
	defer ticks.Stop()
	w := &openWait{toolCall: c, look: look, config: config, reportedAt: time.Now()}
	for {
		if out, err := w.turn(); out != nil || err != nil {
			return out, err
		}
		select {
		case <-c.Done():
			return nil, c.Err()
		case <-over.C:
			return w.timeout()
		case <-c.inputEnded:
			return w.timeout()
		case <-changed:
		case <-ticks.C:
			w.lastSeq = 0
		}
	}
}

// turn runs each time a wait wakes up.
func (w *openWait) turn() (*outcome, error) {
	state, err := w.project.World()
	if err != nil {
		return nil, err
	}
	if state.Seq != w.lastSeq || state.Seq == 0 {
		w.lastSeq = state.Seq
		if out, err := w.look(); out != nil || err != nil {
			return w.end(out, 0), err
		}
	}
	if d, ok := w.directive(); ok {
		return w.end(w.directed(d), 0), nil
	}
	w.keepAlive(state.World)
	return nil, nil
}

// keepAlive renews a holder's lease, and tells the client that its call is still
// running.
func (w *openWait) keepAlive(world core.World) {
	if time.Since(w.renewed) > w.config.Lease.TTL()/3 {
		w.renewed = time.Now()
		w.renew()
	}
	if time.Since(w.reportedAt) > sayAgain {
		w.reportedAt = time.Now()
		w.progress.notify("still waiting: the task is " + string(world.State))
	}
}

// end ends a wait: its cursor has moved, and so many waits in a row found nothing.
func (w *openWait) end(out *outcome, fruitless int) *outcome {
	if out == nil {
		return nil
	}
	out.base.Cursor = w.cursor(fmt.Sprintf("w%d", out.base.Seq))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle[w.tool.name] = fruitless
	return out
}

// directed returns the result of a wait that HQ cut short.
func (w *openWait) directed(d project.Directive) *outcome {
	out := w.standing(core.StatusMessage)
	if next := nextAfter[d.Kind]; next != "" {
		out.base.Status, out.base.Next = core.StatusParked, next
	}
	out.base.Message = d.Text
	return out
}

// timeout says that nothing came. A session that waits in vain for an answer is
// parked, if there is a conductor that starts it again.
func (w *openWait) timeout() (*outcome, error) {
	w.mu.Lock()
	fruitless := w.idle[w.tool.name] + 1
	w.mu.Unlock()
	out := w.standing(core.StatusTimeout)
	limit := w.config.Limits.ParkAfter
	if limit > 0 && fruitless >= limit && w.tool.parks && w.conducted() {
		out.base.Status, out.base.Next = core.StatusParked, nextAfter[project.DirectivePark]
	}
	out = w.end(out, fruitless)
	if out.base.Next == w.tool.name {
		out.base.Next = fmt.Sprintf("call %s again with cursor %q", w.tool.name, out.base.Cursor)
	}
	return out, nil
}

// conducted reports whether a living conductor registered this session.
func (w *openWait) conducted() bool {
	_, held, err := w.project.Store.Holder(project.ConductorLock)
	return err == nil && held && w.by.Managed
}

// standing returns an outcome that only says where the task stands. State that cannot be
// read is left out.
func (w *openWait) standing(status core.Status) *outcome {
	state, err := w.project.World()
	if err != nil {
		w.log.Warn("state", "error", err)
	}
	r := w.conn.standing(status, state)
	return &outcome{base: &r, full: &r}
}
