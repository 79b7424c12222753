package pair

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"ferrus/agent"
	loop "ferrus/machine/pair"
)

// over reads what the turn came to and commits it, with everything that it
// leaves for the next one.
func (t *turnRunner) over(ctx context.Context) error {
	after, err := t.project.Repo().Tree(ctx)
	if err != nil {
		return err
	}
	result, m := t.grammar.Parse(t.text), &t.Manifest
	signal, took := result.Signal(), time.Since(t.started)
	if err := t.note(Entry{Type: "output", Turn: m.Turns + 1, Agent: t.who, Name: m.Agent(t.who), Signal: signal, Tree: after.Hash, Text: t.text, DurationMS: took.Milliseconds()}); err != nil {
		return err
	}
	facts := loop.Turn{Edited: after.Hash != t.before.Hash, Moved: m.Tree != "" && m.Tree != after.Hash}
	entry := Entry{Turn: m.Turns + 1, Agent: t.who, Name: m.Agent(t.who), Signal: signal, Tree: after.Hash, Text: result.Text, DurationMS: took.Milliseconds()}
	return t.commit(t.role, loop.Ended(signal, facts), entry, func(m *Manifest) {
		m.Turns, m.Turn, m.Tree = m.Turns+1, nil, after.Hash
		m.drained(t.who, t.read)
		m.keepSession(t.who, t.snap)
		t.leave(m, signal, facts, result)
	})
}

// leave sends what the turn said to the other agent.
func (t *turnRunner) leave(m *Manifest, signal loop.Signal, facts loop.Turn, result loop.Result) {
	said := strings.TrimSpace(result.Output)
	switch {
	case t.who == Primary && m.Mode == loop.Single:
		if signal == loop.NoneYet {
			m.send(Primary, Message{From: "ferrus", Kind: kindReview, Text: "Your last turn ended without a line that ends it."})
		}
	case t.who == Primary:
		delete(m.Inbox, Secondary) // a review is of the newest turn
		m.send(Secondary, Message{From: Primary, Kind: kindResult, Text: said})
	case signal == loop.SignalPass && facts.Edited:
		m.send(Primary, Message{From: "ferrus", Kind: kindReview, Text: "The reviewer approved, but changed files in the same turn: the approval is void. Look at what it changed.\n\n" + said})
	case signal != loop.SignalPass:
		m.send(Primary, Message{From: Secondary, Kind: kindReview, Text: said})
	}
}

// prompt words the turn.
func (t *turnRunner) prompt(ctx context.Context) (string, error) {
	m, d := &t.Manifest, t.machine.Snap().Data
	t.grammar = loop.Grammar{Words: m.Words, Nonce: random(3), Taught: loop.Taught(t.role, m.Mode)}
	var err error
	if t.mail, t.read, err = t.Run.mail(t.who); err != nil {
		return "", err
	}
	data := agent.PairData{
		Project: t.project.Dir, Task: m.Task, Mode: string(m.Mode), Iteration: d.Iteration, Limit: m.MaxIterations,
		Messages: texts(t.mail, kindMessage), Report: texts(t.mail, kindReport), Notes: texts(t.mail, kindReview), Said: texts(t.mail, kindResult),
	}
	for _, s := range t.grammar.Taught {
		switch s {
		case loop.SignalDone:
			data.Done = t.grammar.Line(s)
		case loop.SignalPass:
			data.Pass = t.grammar.Line(s)
		case loop.SignalRework:
			data.Rework = t.grammar.Line(s)
		case loop.SignalFail:
			data.Fail = t.grammar.Line(s)
		}
	}
	same := m.Tree == t.before.Hash
	if t.who == Primary {
		data.Approved = d.Secondary && same
		return agent.PairPrompt(false, data)
	}
	data.Approved = d.Primary && same
	if m.Gate != nil && m.Gate.Tree == t.before.Hash {
		data.Verdict = m.Gate.Why
	}
	if data.Diff, err = t.diff(ctx); err != nil {
		return "", err
	}
	data.Alarms = spelled(t.alarms(ctx, t.before.Hash))
	return agent.PairPrompt(true, data)
}

// diff is what changed since the run began.
func (t *turnRunner) diff(ctx context.Context) (string, error) {
	files, err := t.project.Repo().Patch(ctx, t.Manifest.Base.Tree, t.before.Hash)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s  +%d -%d\n", f.Path, f.Added, f.Removed)
		if f.Patch != "" {
			io.WriteString(&b, strings.TrimRight(f.Patch, "\n")+"\n\n") //nolint:errcheck // it never fails
		}
	}
	return b.String(), nil
}
