package pair

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"ferrus/agent"
	"ferrus/hq/core"
	"ferrus/machine/pair"
	"ferrus/ui/text"
)

// prompt returns the prompt of a session of the turn, with a nonce for the line that ends it.
func (t *turn) prompt() (string, error) {
	who, m, d := string(t.slot), &t.Manifest, t.machine.Snap().Data
	t.grammar = pair.Grammar{Words: m.Words, Nonce: random(3), Taught: pair.Taught(t.slot.Role(), m.Mode)}
	mail, read, err := t.mail(who)
	if err != nil {
		return "", err
	}
	t.read = read
	line := func(s pair.Signal) string {
		if !slices.Contains(t.grammar.Taught, s) {
			return ""
		}
		return t.grammar.FormatSignal(s)
	}
	old := oldSignal(m.Words) // only one line of a prompt has digits that count
	for i := range mail {
		mail[i].Text = old.ReplaceAllString(mail[i].Text, "$1")
	}
	data := agent.PairData{
		Project: t.project.Dir, Task: m.Task, Mode: string(m.Mode), Iteration: d.Iteration, Limit: m.MaxIterations,
		Messages: joinTexts(mail, kindMessage), Report: joinTexts(mail, kindReport),
		Notes: joinTexts(mail, kindReview), Summary: joinTexts(mail, kindResult),
		Done: line(pair.SignalDone), Pass: line(pair.SignalPass),
		Rework: line(pair.SignalRework), Fail: line(pair.SignalFail),
	}
	same := m.Tree == t.before.Hash
	if t.slot == core.SlotPrimary {
		data.Approved = d.Secondary && same
		return agent.PairPrompt(false, data)
	}
	data.Approved = d.Primary && same
	if m.Gate != nil && m.Gate.Tree == t.before.Hash {
		data.Verdict = m.Gate.Why
	}
	data.Diff, data.Alarms = t.diff, t.alarms
	return agent.PairPrompt(true, data)
}

// readDiff returns the change since the run was created.
func (t *turn) readDiff(ctx context.Context) (string, error) {
	files, err := t.project.Repo().Patch(ctx, t.Manifest.Base.Tree, t.before.Hash)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s  +%d -%d\n", f.Title(text.Name), f.Added, f.Removed)
		if f.Patch != "" {
			b.WriteString(strings.TrimRight(f.Patch, "\n") + "\n\n")
		}
	}
	return b.String(), nil
}

// random returns n random bytes as hex digits.
func random(n int) string {
	bytes := make([]byte, n)
	rand.Read(bytes) //nolint:errcheck // it never fails
	return hex.EncodeToString(bytes)
}
