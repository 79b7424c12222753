package serve

import (
	"sync"

	"ferrus/hq/core"
	"ferrus/machine"
)

// tickets are the questions this session has seen. What it answers belongs to
// them and not to others that were asked meanwhile; 0 stands for whatever is open.
type tickets struct {
	mu                sync.Mutex // guards both
	consult, question uint64
}

// see takes note of what is open.
func (t *tickets) see(w core.World) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.consult, t.question = 0, 0
	if w.Consult != nil {
		t.consult = w.Consult.Ticket
	}
	if w.Question != nil {
		t.question = w.Question.Ticket
	}
}

func (t *tickets) of(tool string) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch tool {
	case "respond_consult":
		return t.consult
	case "answer":
		return t.question
	}
	return 0
}

// reply answers a question that was seen. A caller that was refused as too late has
// seen what is open now, and may answer that.
func reply(kind machine.Kind, text string) func(*server, *call) (*outcome, error) {
	return func(s *server, c *call) (*outcome, error) {
		r, err := s.do(c, core.Command{Kind: kind, Text: c.arguments[text], Ticket: s.seen.of(c.tool.name)})
		if refused := machine.AsRefusal(err); refused != nil && refused.Code == machine.Stale {
			s.refreshTicket()
		}
		if err != nil {
			return nil, err
		}
		return result(r), nil
	}
}

// refreshTicket takes note of what is open now.
func (s *server) refreshTicket() {
	if state, err := s.project.World(); err == nil {
		s.seen.see(state.World)
	}
}
