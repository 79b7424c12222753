package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"ferrus/checks"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/hq/wire"
)

// maxGateRecord bounds the record of a gate, in bytes.
const maxGateRecord = 32 << 20

// RunGate runs the checks of a project on a tree on a worker, and records what they found as
// [gate.Force] does. The error is one of [IsLost] while the worker cannot be reached: then the gate
// continues there, and the same call gets what it found. A record that contradicts itself is a
// [*wire.Violation]. When ctx ends, so does the gate.
func RunGate(ctx context.Context, p *project.Task, t Target, ferrus string, o gate.Options) (r gate.Record, err error) {
	l, err := Connect(ctx, t, ferrus)
	if err != nil {
		return r, err
	}
	defer l.Close()
	if o.Ask == nil {
		o.Ask = func(host string) bool { return p.Reaches("the gate on the worker "+t.Name, host) }
	}
	started := time.Now()
	q, err := sendGate(ctx, p, l, o)
	if err != nil {
		return r, err
	}
	s, err := wire.Open(ctx, l, wire.MethodGate, q)
	if err != nil {
		return r, err
	}
	defer s.Close(nil)
	var log, record bytes.Buffer
	if err := followGate(ctx, s, o, &log, &record); err != nil {
		return r, err
	}
	if err := json.Unmarshal(record.Bytes(), &r); err != nil {
		return r, &wire.Violation{What: "sent the record of a gate that cannot be read"}
	}
	r.Started, r.Ended, r.Worker = started, time.Now(), t.Name // its clock may be another
	if err := examine(&r, q, o.Tree); err != nil {
		return r, err
	}
	return gate.SaveForced(p, o.Name, r, &log)
}

// sendGate sends the tree of a gate, and returns what is asked then.
func sendGate(ctx context.Context, p *project.Task, l wire.Link, o gate.Options) (q wire.Gate, err error) {
	source, err := p.Repo().Source(ctx)
	if err != nil {
		return q, err
	}
	g := source.Objects.With(author...)
	if o.Base.Commit == "" {
		return q, errors.New("the work has no commit that it started from")
	}
	tip, err := g.Output(ctx, "commit-tree", "--no-gpg-sign", o.Tree, "-p", o.Base.Commit, "-m", "for a gate")
	if err == nil {
		err = push(ctx, g, l, o.Base.Commit, tip)
	}
	q = wire.Gate{Name: o.Name, Commit: tip, Base: o.Base, Definition: *o.Definition, Task: o.Task}
	q.Definition.Path, q.Definition.Tools, q.Definition.Unasked = "", nil, nil // they are of this machine
	q.Definition.Included = ""
	if err != nil {
		return q, err
	}
	allowed, err := p.AllowedHosts()
	q.Definition.Sandbox.Hosts = slices.Concat(q.Definition.Sandbox.Hosts, allowed)
	return q, err
}

// followGate reads what a worker sends of a gate.
func followGate(ctx context.Context, s wire.Stream, o gate.Options, log, record *bytes.Buffer) error {
	for hosts := 0; ; {
		m, err := s.Receive(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if len(m) == 0 {
			continue
		}
		body := m[1:]
		switch m[0] {
		case wire.GateSetup, wire.GateStep:
			var at wire.GateProgress
			if json.Unmarshal(body, &at) != nil {
				return &wire.Violation{What: "sent the progress of a gate that cannot be read"}
			}
			report(o, m[0], at)
		case wire.GateHost:
			if hosts++; hosts > wire.MaxGateHosts || !project.IsHost(string(body)) {
				return &wire.Violation{What: "asked for hosts that a gate cannot ask for"}
			}
			if o.Ask != nil {
				o.Ask(string(body))
			}
		case wire.GateLog:
			if log.Len() < wire.MaxGateLog {
				log.Write(body)
			}
		case wire.GateRecord:
			if record.Len()+len(body) > maxGateRecord {
				return &wire.Violation{What: "sent a record of a gate that is too long"}
			}
			record.Write(body)
		}
	}
}

// maxLine bounds what is shown of a line of output, and of why a gate failed, in bytes.
const maxLine = 4 << 10

// report reports a gate's progress. What names no command of the gate is left out.
func report(o gate.Options, kind byte, at wire.GateProgress) {
	commands := o.Definition.Commands
	if kind == wire.GateSetup {
		commands = o.Definition.Setup
	}
	if at.Index < 0 || at.Index >= len(commands) {
		return
	}
	p := checks.Progress{Index: at.Index, Command: commands[at.Index].Run, Line: wire.Words(at.Line, maxLine)}
	if len(at.Done) > 0 && json.Unmarshal(at.Done, &p.Done) != nil {
		return
	}
	switch {
	case kind == wire.GateSetup && o.Setup != nil:
		o.Setup(len(commands), p)
	case kind == wire.GateStep && o.Progress != nil:
		o.Progress(p)
	}
}

// examine refuses a record that is not of what was asked, or whose verdict does not follow from its commands.
func examine(r *gate.Record, q wire.Gate, tree string) error {
	if r.Tree.Hash != tree {
		return &wire.Violation{What: fmt.Sprintf("checked the tree %.12s instead of %.12s", r.Tree.Hash, tree)}
	}
	r.Why = wire.Words(r.Why, maxLine)
	r.Allowed = r.Allowed && q.Definition.AllowNone && len(q.Definition.Commands) == 0
	switch r.Verdict {
	case checks.Fail, checks.Timeout, checks.Unproven, checks.Flaky:
		return nil
	case checks.Pass:
	default:
		return &wire.Violation{What: fmt.Sprintf("called a gate %q", wire.Words(string(r.Verdict), 40))}
	}
	ran := slices.EqualFunc(r.Commands, q.Definition.Commands, func(did checks.Result, asked checks.Command) bool {
		return did.Command == asked.Run && did.OK()
	})
	if !ran || len(r.Commands) == 0 {
		return &wire.Violation{What: "called a gate passed whose commands did not all run and succeed"}
	}
	return nil
}
