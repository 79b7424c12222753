package serve

import (
	"fmt"
	"time"

	"ferrus/checks"
	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/store"
)

// readText is one of the task's texts as it is now.
func (s *server) readText(name string) (string, error) {
	state, err := s.project.World()
	if err != nil {
		return "", err
	}
	texts := s.texts(state)
	return texts.get(name), texts.err
}

// texts reads the texts of one state. The first failure is kept and ends the
// reading; a state that a newer one replaced may have lost its files.
type texts struct {
	server *server
	state  store.State[core.World]
	err    error
}

func (s *server) texts(state store.State[core.World]) *texts { return &texts{server: s, state: state} }

func (t *texts) get(name string) string {
	if t.err != nil {
		return ""
	}
	var text string
	text, t.err = t.server.project.Store.ReadText(t.state, name)
	return text
}

// fresh reads the state and its texts together: f is called again with a newer
// state when texts went away underneath it.
func (s *server) fresh(f func(store.State[core.World], *texts)) error {
	for try := 0; ; try++ {
		state, err := s.project.World()
		if err != nil {
			return err
		}
		t := s.texts(state)
		f(state, t)
		if t.err == nil || try == 2 {
			return t.err
		}
	}
}

// claimed fills in the texts of the work that was handed out.
func (s *server) claimed(r core.Result) (*outcome, error) {
	if r.Claimed == nil {
		r.Claimed = &core.Claimed{}
	}
	err := s.fresh(func(state store.State[core.World], t *texts) {
		r.Task, r.Review, r.Submission = t.get(core.TaskText), t.get(core.ReviewText), t.get(core.SubmissionText)
		r.Consults, r.Answers = state.World.Exchanges(s.who.role, t.get)
		if sub := state.World.Submission; sub != nil && s.who.role == machine.Supervisor {
			r.Alarms = sub.Alarms
		}
		if dir := s.project.Workspace(state.World); dir != s.project.Dir {
			r.Claimed.Workspace = dir
		}
		r.Claimed.Cycles, r.Claimed.Retries = state.World.ReviewCycles, state.World.CheckRetries
	})
	return result(r), err
}

// standings is what status tells beyond every result's own keys.
type standings struct {
	*core.Result
	Task          string           `json:"task,omitempty"`
	TaskTitle     string           `json:"title,omitempty"`
	CheckRetries  core.Count       `json:"check_retries"`
	ReviewCycles  core.Count       `json:"review_cycles"`
	FailureReason string           `json:"failure_reason,omitempty"`
	ClaimedBy     string           `json:"claimed_by,omitempty"`
	LeaseUntil    *time.Time       `json:"lease_until,omitempty"`
	Verdict       checks.Verdict   `json:"verdict,omitempty"`
	Hold          string           `json:"hold,omitempty"`
	Options       []machine.Option `json:"options"`
	AgentID       string           `json:"agent_id"`
}

func (s *server) status(c *call) (*outcome, error) {
	s.renew(c)
	state, limits, err := s.now()
	if err != nil {
		return nil, err
	}
	w := state.World
	s.seen.see(w)
	base := &core.Result{Status: core.StatusOK, State: w.State, Seq: state.Seq, Next: advice.Next(w, s.who.role)}
	full := standings{
		Result: base, FailureReason: w.FailureReason, ClaimedBy: w.ClaimedBy, LeaseUntil: w.LeaseUntil,
		CheckRetries: core.Count{Used: w.CheckRetries, Limit: limits.CheckRetries},
		ReviewCycles: core.Count{Used: w.ReviewCycles, Limit: limits.ReviewCycles},
		Options:      core.OpenTransitions(w), AgentID: s.who.id,
	}
	if w.Task != nil {
		full.Task, full.TaskTitle = w.Task.ID, w.Task.Title
	}
	if w.Gate != nil {
		full.Verdict = w.Gate.Verdict
	}
	if w.Hold != nil {
		full.Hold = w.Hold.Reason
	}
	return &outcome{base: base, full: full}, nil
}

// now is the state, and the limits that it is read with.
func (s *server) now() (store.State[core.World], core.Limits, error) {
	limits, err := s.limits()
	if err != nil {
		return store.State[core.World]{}, limits, err
	}
	state, err := s.project.World()
	return state, limits, err
}

func (s *server) limits() (core.Limits, error) {
	config, err := s.project.Config()
	if err != nil {
		return core.Limits{}, err
	}
	return core.Limits{CheckRetries: config.Limits.MaxCheckRetries, ReviewCycles: config.Limits.MaxReviewCycles}, nil
}

func (s *server) heartbeat(c *call) (*outcome, error) {
	if id := c.arguments["agent_id"]; id != "" && id != s.who.id {
		return nil, c.tool.misuse(fmt.Sprintf("agent_id is %s, but this session is %s", id, s.who.id), "agent_id "+
			s.who.id+", or none")
	}
	r, err := s.do(c, core.Command{Kind: core.KindHeartbeat})
	if err != nil {
		return nil, err
	}
	if r.Claimed == nil {
		r.Claimed = &core.Claimed{}
	}
	if state, err := s.project.World(); err == nil {
		r.Claimed.ClaimedBy, r.Claimed.LeaseUntil = state.World.ClaimedBy, state.World.LeaseUntil
	}
	r.Status = core.StatusRenewed
	return result(r), nil
}
