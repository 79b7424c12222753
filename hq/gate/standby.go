package gate

import (
	"fmt"
	"io"
	"os"

	"ferrus/hq/project"
)

// A Standby is a detached runner that waits for its ticket. It starts while the check is being committed, so the
// commands of the gate start sooner. A nil Standby does nothing.
type Standby struct {
	project *project.Task
	tickets *os.File   // the other end is the runner's input
	started chan error // has what became of the start
}

// StartStandby starts one for a gate that is about to run. It returns nil where a conductor or another
// runner runs the gate, or the runner cannot be started; [Ensure] takes care of the ticket then.
func StartStandby(p *project.Task) *Standby {
	if _, held, err := p.Store.Holder(project.ConductorLock); err != nil || held {
		return nil
	}
	if busy, err := busy(p); err != nil || busy {
		return nil
	}
	input, tickets, err := os.Pipe()
	if err != nil {
		return nil
	}
	s := &Standby{p, tickets, make(chan error, 1)}
	go func() {
		err := s.start(input)
		input.Close()
		s.started <- err
	}()
	return s
}

// start starts the runner. It writes nothing: the state may refuse the gate.
func (s *Standby) start(input *os.File) error {
	log, err := s.project.Store.OpenFile(wordsFile)
	if err != nil {
		return startDetached(s.project, input, nil, "--standby")
	}
	log.Close()
	words, err := s.project.Store.Append(wordsFile)
	if err != nil {
		return err
	}
	defer words.Close()
	return startDetached(s.project, input, words, "--standby")
}

// Run hands the ticket to the runner.
func (s *Standby) Run(ticket uint64) {
	if s == nil || <-s.started != nil {
		return
	}
	if _, err := fmt.Fprintln(s.tickets, ticket); err == nil { // It lives.
		recent.first(s.project.Store.Path(), ticket)
	}
}

// Close ends the runner if it has no ticket.
func (s *Standby) Close() {
	if s != nil {
		s.tickets.Close()
	}
}

// AwaitTicket returns the ticket for a runner that a [Standby] started, from its input; 0 if it gets none,
// because the state does not run a gate or the process that started it died.
func AwaitTicket(input io.Reader) (ticket uint64) {
	if _, err := fmt.Fscanln(input, &ticket); err != nil {
		return 0
	}
	return ticket
}
