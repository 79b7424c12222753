package workflow

import (
	"fmt"
	"slices"

	"ferrus/machine/flow"
)

// What ferrus itself records.

// assigned says that a task of the plan goes into the task loop, and then under
// which id it is there.
func (s *step) assigned() error {
	s.event, s.why = "task.assigned", s.c.Task.ID
	if err := s.step(flow.TaskMoved{}); err != nil {
		return err
	}
	t := s.task(s.c.Task.ID)
	if t == nil {
		return fmt.Errorf("assign task %s: the plan has no such task", s.c.Task.ID)
	}
	if s.c.Task.Loop != "" {
		s.event, s.why = "task.claimed", s.c.Task.ID+" is "+s.c.Task.Loop
	}
	if t.Status, t.Loop = InProgress, s.c.Task.Loop; !s.Apart() {
		s.Current = t.ID
	}
	s.Team = &Team{Spawned: true}
	return nil
}

// taskEnded says how it ended.
func (s *step) taskEnded() error {
	s.event, s.why = "task.completed", s.c.Task.ID
	if s.c.Task.Status == Failed {
		s.event, s.why = "task.failed", s.c.Task.ID+": "+s.c.Task.Why
	}
	if err := s.step(flow.TaskMoved{}); err != nil {
		return err
	}
	t := s.task(s.c.Task.ID)
	if t == nil {
		return fmt.Errorf("update task %s: the plan has no such task", s.c.Task.ID)
	}
	t.Status, t.Why, s.Current = s.c.Task.Status, s.c.Task.Why, ""
	return nil
}

// disbanded reports whether no executor of the phase is running.
func (s *step) disbanded() error {
	s.event = "team.disbanded"
	if err := s.step(flow.TaskMoved{}); err != nil {
		return err
	}
	s.Team = &Team{Spawned: true, Disbanded: true}
	return nil
}

// validated records the verdict of the gate. A failure withdraws the session's
// claim that it was done.
func (s *step) validated() error {
	verdict := flow.Red
	if *s.c.Gate.TestsPass {
		verdict = flow.Green
	}
	s.event, s.why = "gate.executed", string(verdict)
	if err := s.step(flow.Validated{Tests: verdict}); err != nil {
		return err
	}
	docs := s.Validation != nil && s.Validation.DocsUpdated
	s.Validation = shallow(s.c.Gate)
	s.Validation.DocsUpdated = docs
	if verdict == flow.Red && s.Flow().Phase(s.Phase).Run == flow.RunEdit {
		s.Implementation, s.Notes = nil, s.c.Gate.Report
	}
	return nil
}

func (s *step) published() error {
	e := flow.Publish{OK: s.c.Kind == flow.KindPublished, Ticket: s.c.Seq}
	s.event, s.why = "pr.created", s.c.Synthesis.PRURL
	s.Synthesis = shallow(s.c.Synthesis)
	if e.OK {
		s.Artifacts["pr"] = s.c.Synthesis.PRURL
	} else {
		s.event, s.why = "synthesis.failed", s.c.Synthesis.LastError
	}
	return s.step(e)
}

// cancelling writes the plan of a compensation down, once.
func (s *step) cancelling() error {
	s.event, s.why = "workflow.cancelling", s.c.Text
	if err := s.step(flow.Compensated{}); err != nil {
		return err
	}
	s.Cancelling = &Reason{Text: s.c.Text, By: "person"}
	s.Compensation = slices.Clone(s.c.Steps)
	return nil
}

// compensated is a step that was taken.
func (s *step) compensated() error {
	done := s.c.Steps[0]
	s.event, s.why = "workflow.compensation", done.ID+": "+done.Status
	if err := s.step(flow.Compensated{}); err != nil {
		return err
	}
	i := slices.IndexFunc(s.Compensation, func(one Step) bool { return one.ID == done.ID })
	if i < 0 {
		return fmt.Errorf("compensate %s: it is not planned", done.ID)
	}
	s.Compensation[i] = done
	return nil
}
