package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"ferrus/checks"
	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/machine"
)

// check runs the gate on the work as it is, or tells the verdict of the gate that
// the cursor names.
func (s *server) check(c *call) (*outcome, error) {
	if ticket := named(c); ticket != 0 {
		return s.follow(c, ticket)
	}
	r, err := s.do(c, core.Command{Kind: core.KindCheck})
	if err != nil {
		return nil, err
	}
	return s.await(c, r.Ticket)
}

// submit hands the work in. The table starts the gate by itself when the tree is
// not proven; then the submission is asked for once more when the gate has passed.
func (s *server) submit(c *call) (*outcome, error) {
	if ticket := named(c); ticket != 0 {
		return s.submitAfter(c, ticket)
	}
	r, err := s.handIn(c)
	if err != nil || r.Status != core.StatusRunning {
		return result(r), err
	}
	return s.submitAfter(c, r.Ticket)
}

func (s *server) submitAfter(c *call, ticket uint64) (*outcome, error) {
	out, err := s.follow(c, ticket)
	if err != nil || out.base.Status != core.StatusPassed {
		return out, err
	}
	r, err := s.handIn(c)
	if err != nil || r.Status != core.StatusRunning {
		return result(r), err
	}
	// The tree moved since: another gate runs now, and the next call waits for it.
	if err := gate.Ensure(s.project); err != nil {
		return nil, err
	}
	return s.running(c, r.Ticket)
}

func (s *server) handIn(c *call) (core.Result, error) {
	return s.do(c, core.Command{Kind: core.KindSubmit, Text: c.arguments["content"]})
}

// named is the ticket in a cursor; 0 when there is none. Only a result that says
// running names its ticket: a caller that has read a verdict and calls again wants
// another gate.
func named(c *call) uint64 {
	head, _, _ := strings.Cut(c.arguments["cursor"], ".")
	ticket, err := strconv.ParseUint(head, 10, 64)
	if err != nil {
		return 0
	}
	return ticket
}

// cursor begins with what it names, and no two are alike.
func (s *server) cursor(names string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits++
	return fmt.Sprintf("%s.%d", names, s.waits)
}

// follow tells what became of a ticket, waiting for it while it runs. It starts
// no gate but the ticket's own.
func (s *server) follow(c *call, ticket uint64) (*outcome, error) {
	state, err := s.project.World()
	if err != nil {
		return nil, err
	}
	if g := state.World.Gate; g != nil && g.Ticket == ticket && state.World.GateRunning() {
		s.renew(c)
		return s.await(c, ticket)
	}
	return s.ended(c, ticket)
}

// await waits for the verdict of a ticket as long as a call may take, and keeps the
// caller's lease meanwhile.
func (s *server) await(c *call, ticket uint64) (*outcome, error) {
	config, err := s.project.Config()
	if err != nil {
		s.log.Warn("configuration", "error", err)
	}
	waiting, stop := s.untilOver(c)
	defer stop()
	renew := func() { s.renew(c) }
	_, done, err := gate.Wait(waiting, s.project, ticket, gate.Waiting{
		Until: time.Now().Add(s.patience(config)), Every: config.Lease.TTL() / 3, Beat: renew, Progress: c.tell,
	})
	if err != nil && (c.Err() != nil || waiting.Err() == nil) {
		return nil, err
	}
	if !done {
		return s.running(c, ticket)
	}
	renew()
	return s.ended(c, ticket)
}

// untilOver is a call's context that ends with the client's input too.
func (s *server) untilOver(c *call) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(c)
	go func() {
		defer cancel()
		select {
		case <-s.over:
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// lastLines is how much of a running gate's output a caller gets.
const lastLines = 10

func (s *server) running(c *call, ticket uint64) (*outcome, error) {
	state, limits, err := s.now()
	if err != nil {
		return nil, err
	}
	r := core.GateOutcome(state.World, ticket, limits)
	r.Status, r.Seq, r.Cursor = core.StatusRunning, state.Seq, s.cursor(strconv.FormatUint(ticket, 10))
	r.Next = fmt.Sprintf("call %s again with cursor %q", c.tool.name, r.Cursor)
	r.LastLines = gate.LastLines(s.project, lastLines)
	return result(r), nil
}

// ended is the result of a ticket with a verdict.
func (s *server) ended(c *call, ticket uint64) (*outcome, error) {
	record, err := gate.Read(s.project, ticket)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	state, limits, err := s.now()
	if err != nil {
		return nil, err
	}
	r := core.GateOutcome(state.World, ticket, limits)
	newest := state.World.Gate != nil && state.World.Gate.Ticket == ticket
	if !newest && record.Ticket != ticket {
		return nil, s.unknown(c, ticket, state.World)
	}
	if record.Ticket == ticket {
		r.Report, r.Log, r.Attempt = record.Report, record.Log, record.Attempt
		if tests := record.Tests(); tests != nil {
			r.Tests = tests.String()
		}
	}
	if !newest {
		r.Verdict = record.Verdict
		r.Status, r.Next = word(r.Verdict), advice.Next(state.World, s.who.role)
	}
	r.Seq, r.Cursor = state.Seq, s.cursor("0")
	return result(r), nil
}

// word is the verdict of an old gate as the status of a result.
func word(v checks.Verdict) core.Status {
	switch v {
	case checks.Pass:
		return core.StatusPassed
	case checks.Unproven:
		return core.StatusUnproven
	case checks.Cancelled:
		return core.StatusCancelled
	}
	return core.StatusFailed
}

// unknown refuses a cursor whose ticket came to nothing.
func (s *server) unknown(c *call, ticket uint64, w core.World) error {
	return &machine.Refusal{
		Code: machine.Stale, Machine: "task", State: w.State, Event: machine.Kind(c.tool.name), By: s.who.role,
		Options: core.OpenTransitions(w),
		Failed: []machine.Failed{{
			Guard:    "ticket-current",
			Reason:   fmt.Sprintf("the cursor names gate %d, which has no verdict and does not run", ticket),
			Expected: "the cursor of the last result, or none", Fix: "call " + c.tool.name + " again without a cursor",
		}},
	}
}
