package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"

	"ferrus/checks"
	"ferrus/hq/gate"
	"ferrus/hq/wire"
	"ferrus/ui/text/lazyregexp"
)

// maxGates bounds the gates of a home that run, or that it has not got the result of.
const maxGates = 16

// maxGateLine bounds a line of output that is sent while a gate runs, in bytes.
const maxGateLine = 4 << 10

// gateNames matches the permitted names of gates, which become parts of paths.
var gateNames = lazyregexp.New(`^[a-z0-9_]{1,64}$`)

// gateRun is a gate that runs, or has ended and whose result home does not have yet. It continues
// without a link.
type gateRun struct {
	commit    string
	base      string
	cancel    context.CancelFunc
	followers int           // guarded by the mu of its home: streams that wait for its result
	done      chan struct{} // closed when record and err are set
	record    gate.Record
	err       error

	mu      sync.Mutex
	steps   [][]byte      // guarded by mu: messages on the start and the end of each command, and on hosts
	hosts   []string      // guarded by mu: that were asked for
	line    []byte        // guarded by mu: the message on the newest line of output
	changed chan struct{} // size 1: there is more to send
}

func (g *gateRun) isOver() bool {
	select {
	case <-g.done:
		return true
	default:
		return false
	}
}

// report records the gate's progress, for its followers.
func (g *gateRun) report(kind byte, p checks.Progress) {
	at := wire.GateProgress{Index: p.Index, Command: p.Command, Line: p.Line[:min(len(p.Line), maxGateLine)]}
	var err error
	if p.Done != nil {
		end := *p.Done
		end.Tail, end.Names = nil, nil // the record has them
		at.Done, err = json.Marshal(end)
	}
	body, bad := json.Marshal(at)
	if err != nil || bad != nil || len(body) >= wire.MaxMessage {
		return // the record says how it ended
	}
	message := append([]byte{kind}, body...)
	g.mu.Lock()
	if at.Line != "" {
		g.line = message
	} else {
		g.steps = append(g.steps, message)
	}
	g.mu.Unlock()
	g.signal()
}

func (g *gateRun) signal() {
	select {
	case g.changed <- struct{}{}:
	default: // it is known already
	}
}

// refuse refuses a host that no rule names, and reports it: home asks you.
func (g *gateRun) refuse(host string) bool {
	g.mu.Lock()
	if !slices.Contains(g.hosts, host) && len(g.hosts) < wire.MaxGateHosts {
		g.hosts = append(g.hosts, host)
		g.steps = append(g.steps, append([]byte{wire.GateHost}, host...))
	}
	g.mu.Unlock()
	g.signal()
	return false
}

// next returns the messages on the steps after the first sent ones, and on the newest line, if it was not sent.
func (g *gateRun) next(sent int) (messages [][]byte, steps int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	messages = append(messages, g.steps[sent:]...)
	if g.line != nil {
		messages, g.line = append(messages, g.line), nil
	}
	return messages, len(g.steps)
}

// runGate runs the checks on a commit, and sends what they found. If the link is lost meanwhile, the gate continues,
// and the same request gets its result.
func (h *home) runGate(ctx context.Context, q wire.Gate, s wire.Stream) error {
	if err := checkHashes(q.Commit, q.Base.Commit, q.Base.Tree); err != nil {
		return err
	}
	if !gateNames.MatchString(q.Name) {
		return fmt.Errorf("%q is not the name of a gate", wire.Words(q.Name, 80))
	}
	h.makeRoom(ctx)
	g, err := h.startGate(ctx, q)
	if err != nil {
		return err
	}
	defer h.unfollow(g)
	following, stop := context.WithCancel(ctx)
	defer stop()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		if _, err := s.Receive(following); errors.Is(err, io.EOF) { // home has the result, or does not want it
			g.cancel()
			h.forgetGate(ctx, q.Name, g)
		}
	}()
	if err := g.send(ctx, s, h.project.Store.Path(gate.ForcedLog(q.Name))); err != nil {
		if g.isOver() && g.err != nil {
			h.forgetGate(ctx, q.Name, g)
		}
		return err
	}
	s.Close(nil)
	<-closed
	return nil
}

func (h *home) unfollow(g *gateRun) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g.followers--
}

// startGate starts a gate, or returns the existing gate of that name. The caller
// follows it.
func (h *home) startGate(ctx context.Context, q wire.Gate) (*gateRun, error) {
	tree, err := h.git().TreeOf(ctx, q.Commit)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if g := h.gates[q.Name]; g != nil {
		if g.commit != q.Commit {
			return nil, fmt.Errorf("the gate %s is for another commit", q.Name)
		}
		g.followers++
		return g, nil
	}
	if len(h.gates) >= maxGates {
		return nil, fmt.Errorf("%d gates are running here, or have results that were not fetched", maxGates)
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	g := &gateRun{commit: q.Commit, base: q.Base.Commit, followers: 1, cancel: cancel,
		done: make(chan struct{}), changed: make(chan struct{}, 1)}
	h.gates[q.Name] = g
	o := gate.Options{Definition: &q.Definition, Name: q.Name, Base: q.Base, Tree: tree, Task: q.Task, Ask: g.refuse,
		Progress: func(p checks.Progress) { g.report(wire.GateStep, p) },
		Setup:    func(_ int, p checks.Progress) { g.report(wire.GateSetup, p) }}
	go func() {
		defer close(g.done)
		defer cancel()
		g.record, g.err = gate.ForceInTurn(running, h.project, o)
	}()
	return g, nil
}

// makeRoom forgets a gate that has ended and that nothing follows, if there is no room for another one: home got
// what it wanted from another worker.
func (h *home) makeRoom(ctx context.Context) {
	h.mu.Lock()
	name, old := "", (*gateRun)(nil)
	for one, g := range h.gates {
		if len(h.gates) >= maxGates && g.isOver() && g.followers == 0 {
			name, old = one, g
		}
	}
	h.mu.Unlock()
	if old != nil {
		h.forgetGate(ctx, name, old)
	}
}

// send sends the gate's progress until it has ended, and then what it found.
func (g *gateRun) send(ctx context.Context, s wire.Stream, log string) error {
	sent := 0
	for over := false; !over; {
		select {
		case <-g.changed:
		case <-g.done:
			over = true
		case <-ctx.Done():
			return ctx.Err()
		}
		var all [][]byte
		for all, sent = g.next(sent); len(all) > 0; all = all[1:] {
			if err := s.Send(ctx, all[0]); err != nil {
				return err
			}
		}
	}
	if g.err != nil {
		return g.err
	}
	record, err := json.Marshal(g.record)
	if err != nil {
		return err
	}
	if file, err := os.Open(log); err == nil { // without it, home has the record
		defer file.Close()
		if err := sendParts(ctx, s, wire.GateLog, io.LimitReader(file, wire.MaxGateLog)); err != nil {
			return err
		}
	}
	return sendParts(ctx, s, wire.GateRecord, bytes.NewReader(record))
}

// sendParts sends all of a reader as messages of a kind.
func sendParts(ctx context.Context, s wire.Stream, kind byte, from io.Reader) error {
	buf := make([]byte, wire.MaxMessage)
	buf[0] = kind
	for {
		n, err := io.ReadFull(from, buf[1:])
		if n > 0 {
			if err := s.Send(ctx, buf[:n+1]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// forgetGate removes a gate whose result home has, or does not want, and what was sent for it.
func (h *home) forgetGate(ctx context.Context, name string, g *gateRun) {
	<-g.done
	// What cannot be removed is only disk space.
	_ = h.git().Do(context.WithoutCancel(ctx), "update-ref", "-d", tipRef(g.commit))
	_ = gate.RemoveForced(h.project, name)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gates[name] == g {
		delete(h.gates, name)
	}
}

// gateNames returns the names of the gates that it keeps.
func (h *home) gateNames() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.gates))
}

// endGates ends the gates that run, and waits for their end.
func (h *home) endGates() {
	h.mu.Lock()
	all := slices.Collect(maps.Values(h.gates))
	h.mu.Unlock()
	for _, g := range all {
		g.cancel()
	}
	for _, g := range all {
		<-g.done
	}
}
