package pair

import (
	"context"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/machine/pair"
)

// commitOutcome parses the output of the turn and commits the result, with the messages for
// the next turn.
func (t *turn) commitOutcome(ctx context.Context) error {
	after, err := t.project.Repo().Tree(ctx)
	if err != nil {
		return err
	}
	result, m := t.grammar.Parse(t.text), &t.Manifest
	line := Entry{
		Author: t.author(), Signal: result.Signal(), Tree: after.Hash,
		DurationMS: time.Since(t.started).Milliseconds(),
	}
	output, step := line, line
	output.Type, output.Text, step.Text = "output", t.text, result.Text
	if err := t.note(output); err != nil {
		return err
	}
	if t.slot == core.SlotSecondary && line.Signal == pair.SignalDone {
		line.Signal, step.Signal = pair.SignalPass, pair.SignalPass // a vote, by its other word
		result.Done, result.Pass = false, true
	}
	facts := pair.Turn{Edited: after.Hash != t.before.Hash, Moved: m.Tree != "" && m.Tree != after.Hash}
	return t.commit(t.slot.Role(), pair.Ended(line.Signal, facts), step, func(m *Manifest) {
		m.Turns, m.Turn, m.Tree = m.Turns+1, nil, after.Hash
		m.markRead(string(t.slot), t.read)
		t.forwardOutput(m, facts, result)
	})
}

// forwardOutput sends what the turn said to the other agent.
func (t *turn) forwardOutput(m *Manifest, facts pair.Turn, result pair.Result) {
	output, signal := strings.TrimSpace(result.Output), result.Signal()
	switch {
	case t.slot == core.SlotPrimary && m.Mode == pair.Single:
		if signal == pair.NoneYet {
			const silent = "Your last turn ended without a line that ends it."
			m.send(Primary, Message{From: "ferrus", Kind: kindReview, Text: silent})
		}
	case t.slot == core.SlotPrimary:
		m.dropResult() // a review is of the newest turn
		m.send(Secondary, Message{From: Primary, Kind: kindResult, Text: output})
	case signal == pair.SignalPass && facts.Edited:
		const void = "The reviewer approved, but changed files in the same turn: the approval is void. " +
			"Look at what it changed.\n\n"
		m.send(Primary, Message{From: "ferrus", Kind: kindReview, Text: void + output})
	case signal == pair.SignalRework && result.Text == "":
		const bare = "The reviewer asks for more work and did not name it on its last line. What it printed:\n\n"
		m.send(Primary, Message{From: "ferrus", Kind: kindReview, Text: bare + output})
		const ask = "Your last turn asked for more work without notes. Name the file, the problem and what you " +
			"would accept."
		m.send(Secondary, Message{From: "ferrus", Kind: kindMessage, Text: ask})
	case signal != pair.SignalPass:
		m.send(Primary, Message{From: Secondary, Kind: kindReview, Text: output})
	}
}
