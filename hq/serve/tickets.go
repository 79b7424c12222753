package serve

import (
	"sync"

	"ferrus/hq/core"
)

// tickets are the questions that this session has seen. Its answers belong to
// them, not to questions asked meanwhile; 0 means whatever is open.
type tickets struct {
	mu                sync.Mutex // guards both
	consult, question uint64
}

// see notes which questions are open.
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

// of returns the ticket that an answer by a tool belongs to.
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
