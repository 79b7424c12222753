package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/spec"
	"ferrus/machine"
	"ferrus/store"
)

// LastSpec is the file below .ferrus that names the newest spec.
const LastSpec = "LAST_SPEC_PATH"

// Specs returns the directory of the project's specs; the default one if ferrus.toml is
// invalid.
func (p *Project) Specs() spec.Dir {
	cfg, _ := p.Config()
	return spec.Dir{Project: p.Dir, Directory: cfg.Spec.Directory}
}

// WriteSpec writes a spec to a new file and returns it. The same text again gives the same
// file. A spec with invalid milestones is not written; the error names each line and is
// an ErrInvalidSpec.
func (p *Project) WriteSpec(text string) (spec.Spec, error) {
	if err := spec.CheckText(text); err != nil {
		return spec.Spec{}, fmt.Errorf("%w: %w", ErrInvalidSpec, err)
	}
	if err := validateNew(spec.Parse("the specification", text)); err != nil {
		return spec.Spec{}, err
	}
	last, err := p.Files.ReadFile(LastSpec)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return spec.Spec{}, err
	}
	name, err := p.Specs().Create(text, strings.TrimSpace(string(last)), time.Now())
	if err != nil {
		return spec.Spec{}, fmt.Errorf("write the specification: %w", err)
	}
	if err := p.Files.WriteFile(LastSpec, []byte(name)); err != nil {
		return spec.Spec{}, err
	}
	return spec.Parse(name, text), nil
}

// ErrInvalidSpec reports a spec that its writer has to fix.
var ErrInvalidSpec = errors.New("the specification cannot be used")

// validateNew requires more of a new spec than of an existing one: every milestone has an
// id, without which it could never be selected.
func validateNew(s spec.Spec) error {
	for _, m := range s.Milestones {
		if m.ID == "" {
			s.Problems = append(s.Problems, spec.Problem{Line: m.Line, Text: m.Marker +
				" has no line \"ID: m<stage>.<n>\""})
		}
	}
	if err := s.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalidSpec, err)
	}
	return nil
}

// TickMilestone ticks the milestone of the complete task in its spec, and selects the next
// milestone that is ready. If there is nothing to tick, it does nothing. If the spec or
// the milestone is gone, that counts as ticked, and the journal says so; any other error
// leaves it to the next call.
func (t *Task) TickMilestone(ctx context.Context) error {
	cfg, _ := t.Config()
	nothing := errors.New("there is nothing to tick")
	tick := func(_ context.Context, _ config.Config, s store.State[core.World],
		c *core.Command) (bound bool, err error) {
		if !s.World.NeedsTick() {
			return true, nothing
		}
		*c, err = t.tickSelected(s.World)
		c.Seq = s.Seq
		return true, err
	}
	_, _, err := t.transact(ctx, cfg, store.Call{}, core.Command{Kind: core.KindSelect, By: FerrusActor()}, tick)
	if errors.Is(err, nothing) || machine.AsRefusal(err).FailsOnly(core.GuardFactsMoved) {
		return nil // the state changes so often that another call follows
	}
	return err
}

// tickSelected ticks the milestone and returns the command that records it. A crash in
// between ticks it again, which changes nothing.
func (t *Task) tickSelected(w core.World) (core.Command, error) {
	s := w.Selection
	s.TaskTicked = true
	command := core.Command{Kind: core.KindSelect, By: FerrusActor(), Select: &s}
	dir := t.Specs()
	read, m, err := dir.Milestone(s.TaskSpec, s.TaskMilestone)
	if err != nil {
		command.Text = s.TaskMilestone + " is not ticked: its specification " + whyUnreadable(read, err)
		return command, nil
	}
	if _, err := dir.Tick(s.TaskSpec, m.ID); err != nil {
		return command, err
	}
	command.Text = fmt.Sprintf("%s %s is ticked", m.ID, m.Title)
	if s.SelectedSpec != s.TaskSpec || s.SelectedMilestone != s.TaskMilestone {
		return command, nil
	}
	if read, err = dir.Read(s.TaskSpec); err != nil {
		return command, err
	}
	next, ok := read.Next(m.ID)
	s.SelectedMilestone = next.ID
	switch done, all := read.Progress(); {
	case ok:
		command.Text += fmt.Sprintf("; next is %s %s", next.ID, next.Title)
	case done == all:
		command.Text += "; that was the last one"
	default:
		command.Text += "; none of the others is ready"
	}
	return command, nil
}

// whyUnreadable returns why a milestone could not be read, to follow "its specification".
func whyUnreadable(read spec.Spec, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is gone"
	case read.Path == "":
		return "cannot be read"
	case read.Err() != nil:
		return "has to be edited first"
	}
	return "no longer has it"
}

// SelectMilestone selects a milestone of a spec; with an empty id only the spec, and with
// both empty nothing.
func (t *Task) SelectMilestone(ctx context.Context, by core.Actor, name, id string) (core.Result, error) {
	if id != "" {
		if _, _, err := t.Specs().Milestone(name, id); err != nil {
			return core.Result{}, err
		}
	}
	cfg, _ := t.Config()
	choose := func(_ context.Context, _ config.Config, s store.State[core.World], c *core.Command) (bool, error) {
		selection := s.World.Selection
		selection.SelectedSpec, selection.SelectedMilestone = name, id
		c.Select, c.Seq = &selection, s.Seq
		return true, nil
	}
	result, _, err := t.transact(ctx, cfg, store.Call{}, core.Command{Kind: core.KindSelect, By: by}, choose)
	return result, err
}
