package serve

import (
	"fmt"
	"time"

	"ferrus/hq"
	"ferrus/machine"
	"ferrus/store"
)

// text is one of the task's texts as it is now.
func (s *server) text(name string) (string, error) {
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
	state  store.State[hq.World]
	err    error
}

func (s *server) texts(state store.State[hq.World]) *texts { return &texts{server: s, state: state} }

func (t *texts) get(name string) string {
	if t.err != nil {
		return ""
	}
	var text string
	text, t.err = t.server.project.Store.Text(t.state, name)
	return text
}

// fresh reads the state and its texts together: f is called again with a newer
// state when texts went away underneath it.
func (s *server) fresh(f func(store.State[hq.World], *texts)) error {
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
func (s *server) claimed(r hq.Result) (*outcome, error) {
	if r.Claimed == nil {
		r.Claimed = &hq.Claimed{}
	}
	err := s.fresh(func(state store.State[hq.World], t *texts) {
		r.Task, r.Review, r.Submission = t.get(hq.TaskText), t.get(hq.ReviewText), t.get(hq.SubmissionText)
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
	*hq.Result
	Task          string           `json:"task,omitempty"`
	TaskTitle     string           `json:"title,omitempty"`
	CheckRetries  hq.Count         `json:"check_retries"`
	ReviewCycles  hq.Count         `json:"review_cycles"`
	FailureReason string           `json:"failure_reason,omitempty"`
	ClaimedBy     string           `json:"claimed_by,omitempty"`
	LeaseUntil    *time.Time       `json:"lease_until,omitempty"`
	Verdict       hq.Verdict       `json:"verdict,omitempty"`
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
	base := &hq.Result{Status: "ok", State: w.State, Seq: state.Seq, Next: hq.Next(w, s.who.role)}
	full := standings{
		Result: base, FailureReason: w.FailureReason, ClaimedBy: w.ClaimedBy, LeaseUntil: w.LeaseUntil,
		CheckRetries: hq.Count{Used: w.CheckRetries, Limit: limits.CheckRetries},
		ReviewCycles: hq.Count{Used: w.ReviewCycles, Limit: limits.ReviewCycles},
		Options:      hq.OpenTransitions(w), AgentID: s.who.id,
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
func (s *server) now() (store.State[hq.World], hq.Limits, error) {
	limits, err := s.limits()
	if err != nil {
		return store.State[hq.World]{}, limits, err
	}
	state, err := s.project.World()
	return state, limits, err
}

func (s *server) limits() (hq.Limits, error) {
	config, err := s.project.Config()
	if err != nil {
		return hq.Limits{}, err
	}
	return hq.Limits{CheckRetries: config.Limits.MaxCheckRetries, ReviewCycles: config.Limits.MaxReviewCycles}, nil
}

func (s *server) heartbeat(c *call) (*outcome, error) {
	if id := c.arguments["agent_id"]; id != "" && id != s.who.id {
		return nil, c.tool.misuse(fmt.Sprintf("agent_id is %s, but this session is %s", id, s.who.id), "agent_id "+s.who.id+", or none")
	}
	r, err := s.do(c, hq.Command{Kind: "heartbeat"})
	if err != nil {
		return nil, err
	}
	if r.Claimed == nil {
		r.Claimed = &hq.Claimed{}
	}
	if state, err := s.project.World(); err == nil {
		r.Claimed.ClaimedBy, r.Claimed.LeaseUntil = state.World.ClaimedBy, state.World.LeaseUntil
	}
	r.Status = "renewed"
	return result(r), nil
}
