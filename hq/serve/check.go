package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/machine"
)

// runCheck runs the gate on the work as it is, or returns the verdict of the gate that
// the cursor names.
func runCheck(c *toolCall) (*outcome, error) {
	if ticket := namedTicket(c); ticket != 0 {
		return followGate(c, ticket)
	}
	standby := standbyFor(c)
	defer standby.Close()
	r, err := c.do(core.Command{Kind: core.KindCheck})
	if err != nil {
		return nil, err
	}
	standby.Run(r.Ticket)
	return awaitGate(c, r.Ticket)
}

// standbyFor starts a runner for the gate that a call asks for; nil where the state shows that the call is refused.
func standbyFor(c *toolCall) *gate.Standby {
	state, err := c.project.World()
	if err != nil || !c.holdsLease(state.World) {
		return nil
	}
	isCheck := func(o machine.Option) bool { return o.Event == core.KindCheck }
	if !slices.ContainsFunc(core.OpenTransitions(state.World), isCheck) {
		return nil
	}
	return gate.StartStandby(c.project)
}

// runSubmit submits the work. The table starts the gate by itself when the tree is not
// proven; then the submission is asked for once more when the gate has passed.
func runSubmit(c *toolCall) (*outcome, error) {
	ticket := namedTicket(c)
	if ticket == 0 {
		r, err := trySubmit(c)
		if err != nil || r.Status != core.StatusRunning {
			return result(r, err)
		}
		ticket = r.Ticket
	}
	out, err := followGate(c, ticket)
	if err != nil || out.base.Status != core.StatusPassed {
		return out, err
	}
	r, err := trySubmit(c)
	if err != nil || r.Status != core.StatusRunning {
		return result(r, err)
	}
	// The tree changed since: another gate runs now, and the next call waits for it.
	if err := gate.Ensure(c.project); err != nil {
		return nil, err
	}
	return stillRuns(c, r.Ticket, "")
}

func trySubmit(c *toolCall) (core.Result, error) {
	return c.do(core.Command{Kind: core.KindSubmit, Text: c.arguments["content"]})
}

// namedTicket returns the ticket in a cursor; 0 when there is none. Only a result that
// says running names its ticket: a caller that has read a verdict and calls again wants
// another gate.
func namedTicket(c *toolCall) uint64 {
	head, _, _ := strings.Cut(c.arguments["cursor"], ".")
	ticket, err := strconv.ParseUint(head, 10, 64)
	if err != nil {
		return 0
	}
	return ticket
}

// followGate returns what became of a ticket, waiting for it while it runs. It starts
// no gate but the ticket's own.
func followGate(c *toolCall, ticket uint64) (*outcome, error) {
	state, err := c.project.World()
	if err != nil {
		return nil, err
	}
	if g := state.World.Gate; g != nil && g.Ticket == ticket && state.World.GateRunning() {
		c.renew()
		return awaitGate(c, ticket)
	}
	return gateVerdict(c, ticket)
}

// awaitGate waits for the verdict of a ticket as long as a call may take, and keeps the
// caller's lease meanwhile.
func awaitGate(c *toolCall, ticket uint64) (*outcome, error) {
	config, err := c.project.Config()
	if err != nil {
		c.log.Warn("configuration", "error", err)
	}
	failed := ""
	waiting, stop := untilInputEnds(c)
	defer stop()
	_, done, err := gate.Wait(waiting, c.project, ticket, gate.Waiting{
		Until: time.Now().Add(c.patience(config)), Every: config.Lease.TTL() / 3, Beat: c.renew,
		Progress: c.progress.notify, Failed: func(sentence string) { failed = sentence },
	})
	if err != nil && (c.Err() != nil || waiting.Err() == nil) {
		return nil, err
	}
	if !done {
		return stillRuns(c, ticket, failed)
	}
	c.renew()
	return gateVerdict(c, ticket)
}

// untilInputEnds returns a call's context that ends with the client's input too.
func untilInputEnds(c *toolCall) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(c)
	go func() {
		defer cancel()
		select {
		case <-c.inputEnded:
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// lastLines is how much of a running gate's output a caller gets.
const lastLines = 10

// stillRuns answers a call whose gate has no verdict yet; failed says that it ended without one, empty: it did not.
func stillRuns(c *toolCall, ticket uint64, failed string) (*outcome, error) {
	state, limits, err := c.now()
	if err != nil {
		return nil, err
	}
	r := core.GateOutcome(state.World, ticket, limits)
	r.Status, r.Seq, r.Cursor = core.StatusRunning, state.Seq, c.cursor(strconv.FormatUint(ticket, 10))
	r.Next = fmt.Sprintf("call %s again with cursor %q", c.tool.name, r.Cursor)
	r.LastLines, r.Message = gate.LastLines(c.project, ticket, lastLines), failed
	if why := gate.WaitsFor(c.project, ticket); failed == "" && why != "" && why != gate.NoProcess {
		r.Message = "the gate " + why
	}
	return result(r, nil)
}

// gateVerdict returns the result of a ticket with a verdict.
func gateVerdict(c *toolCall, ticket uint64) (*outcome, error) {
	record, err := gate.Read(c.project, ticket)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	state, limits, err := c.now()
	if err != nil {
		return nil, err
	}
	r := core.GateOutcome(state.World, ticket, limits)
	newest := state.World.Gate != nil && state.World.Gate.Ticket == ticket
	if !newest && record.Ticket != ticket {
		return nil, unknownTicket(c, ticket, state.World)
	}
	if record.Ticket == ticket {
		r.Report, r.Log, r.Attempt = record.Report, record.Log, record.Attempt
		if tests := record.Tests(); tests != nil {
			r.Tests = tests.String()
		}
	}
	if !newest {
		r.Verdict = record.Verdict
		r.Status, r.Next = verdictStatus(r.Verdict), c.next(state.World)
	}
	r.Seq, r.Cursor = state.Seq, c.cursor("0")
	return result(r, nil)
}

// verdictStatus returns the verdict of an old gate as the status of a result.
func verdictStatus(v checks.Verdict) core.Status {
	switch v {
	case checks.Pass, checks.Flaky:
		return core.StatusPassed
	case checks.Unproven:
		return core.StatusUnproven
	case checks.Cancelled:
		return core.StatusCancelled
	}
	return core.StatusFailed
}

// unknownTicket refuses a cursor whose ticket came to nothing.
func unknownTicket(c *toolCall, ticket uint64, w core.World) error {
	return &machine.Refusal{
		Code: machine.Stale, Machine: "task", State: w.State, Event: machine.Kind(c.tool.name), By: c.who.role,
		Options: core.OpenTransitions(w),
		Failed: []machine.Failed{{
			Guard:    "ticket-current",
			Reason:   fmt.Sprintf("the cursor names gate %d, which is not running and has no verdict", ticket),
			Expected: "the cursor of the last result, or none", Fix: "call " + c.tool.name + " again without a cursor",
		}},
	}
}
