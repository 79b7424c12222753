package serve

import (
	"fmt"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
)

const (
	// lookAgain is how often a wait looks without having been told to: what a
	// clock decides, such as the end of a lease, sends no notice.
	lookAgain = 2 * time.Second
	// sayAgain is how often a client hears that its call is still in progress.
	sayAgain = 10 * time.Second

	parked = core.EndSession + "; ferrus starts you again with the answer"
	ended  = core.EndSession
)

// pending are the guards that time alone may satisfy.
var pending = map[string]bool{"nothing-to-claim": true, "consult-answered": true, "question-answered": true}

// probe looks once: an outcome ends the wait, and so does an error.
type probe func() (*outcome, error)

func (s *server) waitForWork(c *call) (*outcome, error) {
	return s.wait(c, func() (*outcome, error) {
		r, err := s.do(c, core.Command{Kind: core.KindClaim})
		if err != nil || r.Status != core.StatusClaimed {
			return nil, still(err)
		}
		return s.claimed(r)
	})
}

func (s *server) waitForConsult(c *call) (*outcome, error) {
	return s.wait(c, func() (*outcome, error) {
		r, err := s.do(c, core.Command{Kind: core.KindWaitForConsult})
		if err != nil {
			return nil, still(err)
		}
		if r.Response == "" {
			r.Response, err = s.readText(core.ConsultResponseText)
		}
		return result(r), err
	})
}

func (s *server) waitForAnswer(c *call) (*outcome, error) {
	return s.wait(c, func() (*outcome, error) {
		r, err := s.do(c, core.Command{Kind: core.KindDeliver})
		if err != nil {
			return nil, still(err)
		}
		if r.Answer == "" {
			r.Answer, err = s.readText(core.AnswerText)
		}
		return result(r), err
	})
}

// still is nil when a refusal only says that it is too early.
func still(err error) error {
	refused := machine.AsRefusal(err)
	if refused == nil || len(refused.Failed) == 0 {
		return err
	}
	for _, f := range refused.Failed {
		if !pending[f.Guard] {
			return err
		}
	}
	return nil
}

// waiting is one wait in progress.
type waiting struct {
	*server
	call                *call
	look                probe
	config              config.Config
	seen                uint64 // seq at the last look; 0: look whatever it is
	renewed, reportedAt time.Time
}

// wait looks, and looks again whenever something changed, until there is
// something to say or its time is over.
func (s *server) wait(c *call, look probe) (*outcome, error) {
	config, err := s.project.Config()
	if err != nil {
		s.log.Warn("configuration", "error", err)
	}
	changed, err := s.project.Store.Watch(c, "run")
	if err != nil {
		return nil, fmt.Errorf("watch the project: %w", err)
	}
	over := time.NewTimer(s.patience(config))
	defer over.Stop()
	ticks := time.NewTicker(lookAgain)
	defer ticks.Stop()
	w := &waiting{server: s, call: c, look: look, config: config, reportedAt: time.Now()}
	for {
		if out, err := w.turn(); out != nil || err != nil {
			return out, err
		}
		select {
		case <-c.Done():
			return nil, c.Err()
		case <-over.C:
			return w.timeout()
		case <-s.over:
			return w.timeout()
		case <-changed:
		case <-ticks.C:
			w.seen = 0
		}
	}
}

// patience is how long one call may take.
func (s *server) patience(config config.Config) time.Duration {
	patience := config.Limits.WaitTimeout()
	if limit := time.Duration(s.WaitSecs) * time.Second; limit > 0 {
		patience = min(patience, limit)
	}
	return patience
}

// turn is what a wait does whenever it wakes up.
func (w *waiting) turn() (*outcome, error) {
	state, err := w.project.World()
	if err != nil {
		return nil, err
	}
	if state.Seq != w.seen || state.Seq == 0 {
		w.seen = state.Seq
		if out, err := w.look(); out != nil || err != nil {
			return w.over(out, 0), err
		}
	}
	if h, ok, err := w.project.TakeDirective(w.who.session); err != nil {
		w.log.Warn("handover", "error", err)
	} else if ok {
		return w.over(w.handed(h)), nil
	}
	w.keepAlive(state.World)
	return nil, nil
}

// keepAlive renews the lease of a holder, and tells the client that its call lives.
func (w *waiting) keepAlive(world core.World) {
	if time.Since(w.renewed) > w.config.Lease.TTL()/3 {
		w.renewed = time.Now()
		w.renew(w.call)
	}
	if time.Since(w.reportedAt) > sayAgain {
		w.reportedAt = time.Now()
		w.call.tell("still waiting: the task is " + string(world.State))
	}
}

// renew keeps the caller's lease, if it has it.
func (s *server) renew(c *call) {
	state, err := s.project.World()
	if err != nil || state.World.Claim == nil || state.World.Claim.Session != s.who.session {
		return
	}
	if _, err := s.do(c, core.Command{Kind: core.KindHeartbeat}); err != nil && !machine.IsRefusal(err) &&
		c.Err() == nil {
		s.log.Warn("renew the lease", "error", err)
	}
}

// over ends a wait: its cursor has moved, and so many waits in a row found nothing.
func (w *waiting) over(out *outcome, fruitless int) *outcome {
	if out == nil {
		return nil
	}
	out.base.Cursor = w.cursor(fmt.Sprintf("w%d", out.base.Seq))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle[w.call.tool.name] = fruitless
	return out
}

// handed is the result of a wait that HQ cut short.
func (w *waiting) handed(h project.Directive) (*outcome, int) {
	out := w.standing(core.StatusMessage)
	out.base.Message = h.Text
	switch h.Kind {
	case project.DirectivePark:
		out.base.Status, out.base.Next = core.StatusParked, parked
	case project.DirectiveEnd:
		out.base.Status, out.base.Next = core.StatusParked, ended
	}
	return out, 0
}

// timeout says that nothing came. A session that waits in vain for an answer is
// parked, if there is a conductor that starts it again.
func (w *waiting) timeout() (*outcome, error) {
	w.mu.Lock()
	fruitless := w.idle[w.call.tool.name] + 1
	w.mu.Unlock()
	out := w.standing(core.StatusTimeout)
	limit := w.config.Limits.ParkAfter
	if limit > 0 && fruitless >= limit && parks[w.call.tool.name] && w.conducted() {
		out.base.Status, out.base.Next = core.StatusParked, parked
	}
	return w.over(out, fruitless), nil
}

// parks are the waits for an answer.
var parks = map[string]bool{"wait_for_consult": true, "wait_for_answer": true}

// conducted reports that a living conductor registered this session.
func (w *waiting) conducted() bool {
	_, held, err := w.project.Store.Holder(project.ConductorLock)
	return err == nil && held && w.call.by.Managed
}

// standing is a result that only says where the task stands.
func (s *server) standing(status core.Status) *outcome {
	state, err := s.project.World()
	if err != nil {
		s.log.Warn("state", "error", err)
	}
	return result(core.Result{Status: status, State: state.World.State, Seq: state.Seq,
		Next: advice.Next(state.World, s.who.role)})
}
