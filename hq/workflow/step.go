package workflow

import (
	"cmp"
	"fmt"
	"strings"

	"ferrus/machine"
	"ferrus/machine/flow"
)

// step is a decision in the making.
type step struct {
	Document
	c          Command
	event, why string
}

// step puts an event to the machine and moves the document with it.
func (s *step) step(e machine.Event) error {
	next, _, err := s.Flow().Table.Step(s.Snap(), s.c.By.Role, e)
	if err != nil {
		return err
	}
	before := s.Phase
	s.Counters = next.Data
	if next.At != before {
		s.moved(before, next.At)
	}
	return nil
}

// moved enters a phase: what proves another visit is forgotten, and rework opens a
// round of its own.
func (s *step) moved(from, to machine.State) {
	f := s.Flow()
	s.Notes = s.notesAfter(f.Phase(from).Run)
	s.Phase, s.Since, s.Visit = to, s.c.Now.UTC(), s.c.Seq
	if f.Phase(to).Run == flow.RunTasks && reworks(f, from, s.c.Kind) && s.openTasks() == "" {
		s.Round++
	}
	for _, e := range f.Phase(to).Clears {
		s.forget(e)
	}
	if to == flow.Blocked {
		s.Blocked = &Reason{Text: cmp.Or(s.c.Text, s.blockedWhy(from)), By: s.c.By.ID, From: from}
	} else if from == flow.Blocked {
		s.Blocked = nil
	}
}

// notesAfter returns what the next phase has to know about the phase that ends.
func (s *step) notesAfter(from flow.Run) string {
	switch {
	case from == flow.RunHuman && s.PlanReview != nil && s.PlanReview.GapsFound:
		return s.PlanReview.Notes
	case from == flow.RunHuman:
		return s.c.Text
	case from == flow.RunReview:
		return s.findings()
	case s.tests() == flow.Red:
		return s.Validation.Report
	}
	return ""
}

// reworks reports whether tasks that are entered from a phase must be done again.
func reworks(f *flow.Flow, from machine.State, kind machine.Kind) bool {
	switch f.Phase(from).Run {
	case flow.RunReview, flow.RunGate, flow.RunPublish:
		return true
	}
	return kind == flow.KindUnblock || kind == flow.KindReplan
}

func (s *step) blockedWhy(from machine.State) string {
	missing, failing, stuck := s.reviews()
	switch {
	case s.failedTask() != "":
		t := s.task(s.failedTask())
		return fmt.Sprintf("task %s failed: %s", t.ID, t.Why)
	case stuck != "":
		return "the review is blocked: " + stuck
	case failing != "" || missing != "":
		return fmt.Sprintf("the fix cycles are used up, and the review failed: %s", failing)
	case s.tests() == flow.Red:
		return "the gate keeps failing"
	case s.Synthesis != nil && s.Synthesis.LastError != "":
		return "publishing failed: " + s.Synthesis.LastError
	}
	return fmt.Sprintf("the limits of %s are used up", from)
}

// enter is a move to the phase that is named.
func (s *step) enter() error {
	from, cycles := s.Phase, s.Counters.Cycles
	if s.c.To == from && !s.IsFinal() {
		return nil // It is there: the same as having been asked twice.
	}
	s.why = fmt.Sprintf("%s to %s", from, s.c.To)
	if err := s.step(flow.Enter{Facts: s.Facts(s.c.Observed), To: s.c.To, Ticket: s.c.Seq}); err != nil {
		return err
	}
	switch {
	case s.Phase == flow.Blocked && from != flow.Blocked && s.Counters.Cycles > 0:
		s.event = "workflow.circuit-open"
	case s.Counters.Cycles > cycles:
		s.event = "workflow.fix-cycle"
	default:
		s.event = "workflow.transition"
	}
	return nil
}

// findings returns the findings of the reviews that did not pass.
func (s *step) findings() string {
	var b strings.Builder
	for _, name := range s.Required {
		if r := s.Reviews[name]; r.Status != ReviewPass {
			fmt.Fprintf(&b, "%s (%s): %s\n", name, r.Status, r.Findings)
		}
	}
	return b.String()
}

// artifact returns the name of a document below artifacts.
func artifact(e flow.Evidence) string { return strings.TrimPrefix(string(e), "artifacts.") }

// forget clears evidence at the entry of the phase that gives it.
func (s *step) forget(e flow.Evidence) {
	if name := artifact(e); name != string(e) {
		if text := s.Artifacts[name]; text != "" {
			s.Previous[name] = text
		}
		delete(s.Artifacts, name)
		return
	}
	switch e {
	case flow.PlanReview:
		s.PlanReview = nil
	case flow.TrackSet:
		s.Track = ""
	case flow.Cause:
		s.Investigation = nil
	case flow.Finished:
		s.Implementation = nil
	case flow.Reviews:
		s.Reviews = map[string]Review{}
	case flow.Tests:
		s.Validation = nil
	case flow.Docs:
		if s.Validation != nil {
			s.Validation.DocsUpdated = false
		}
	case flow.Synthesis:
		s.Synthesis = nil
	}
}

// badArgs refuses what never came to the table.
func (s *step) badArgs(reason, expected string) error {
	return &machine.Refusal{
		Code: machine.GuardFailed, Machine: string(s.Type), State: s.Phase, Event: s.c.Kind, By: s.c.By.Role,
		Options: s.Flow().Table.Options(s.Snap()),
		Failed: []machine.Failed{{Guard: "arguments", Reason: reason, Expected: expected,
			Fix: "call it again with " + expected}},
	}
}
