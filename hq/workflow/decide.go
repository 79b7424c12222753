package workflow

import (
	"fmt"
	"slices"
	"strings"

	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/ui/text"
)

// Decision is what a command comes to.
type Decision struct {
	Document Document
	Event    string // its name in the journal; empty: nothing happens
	Why      string
}

// Decide answers a command: the next document, or a *machine.Refusal.
func Decide(d Document, c Command) (Decision, error) {
	s := &step{Document: d.clone(), c: c}
	carry := carriers[c.Kind]
	if carry == nil {
		return Decision{}, fmt.Errorf("decide: unknown command %q", c.Kind)
	}
	if err := text.CheckEncoding(c.Text); err != nil && c.By.Role == machine.Human {
		return Decision{}, fmt.Errorf("%s: %w", c.Kind, err)
	}
	if err := carry(s); err != nil {
		return Decision{}, err
	}
	return Decision{Document: s.Document, Event: s.event, Why: s.why}, nil
}

var carriers = map[machine.Kind]func(*step) error{
	KindSet: (*step).set, KindEnter: (*step).enter, flow.KindApprove: (*step).approve,
	flow.KindRevise: (*step).revise, flow.KindUnblock: (*step).unblock, flow.KindReplan: (*step).replan,
	flow.KindSelectTrack: (*step).selectTrack, flow.KindPlanTasks: (*step).planTasks,
	flow.KindRecordReview: (*step).recordReview, flow.KindRequestSynthesis: (*step).request,
	KindFinalize: (*step).finalize, flow.KindEscalate: (*step).escalate, flow.KindCancel: (*step).cancel,
	flow.KindCleanup: (*step).cleanup, KindAssigned: (*step).assigned, KindTaskEnded: (*step).taskEnded,
	KindDisbanded: (*step).disbanded, flow.KindValidated: (*step).validated, flow.KindPublished: (*step).published,
	flow.KindPublishFailed: (*step).published, KindCancelling: (*step).cancelling,
	flow.KindCompensated: (*step).compensated,
}

func (s *step) approve() error {
	s.event, s.why = "plan.approved", s.c.Text
	s.PlanReview = &PlanReview{Approved: true, By: s.c.By.ID, Notes: s.c.Text}
	return s.step(flow.Approve{Ticket: s.c.Ticket})
}

func (s *step) revise() error {
	s.event, s.why = "plan.revised", s.c.Text
	if s.Flow().Phase(s.Phase).Run == flow.RunEdit {
		s.event, s.Notes = "work.revised", s.c.Text
	} else {
		s.PlanReview = &PlanReview{GapsFound: true, By: s.c.By.ID, Notes: s.c.Text}
	}
	return s.step(flow.Revise{Ticket: s.c.Ticket, Text: strings.TrimSpace(s.c.Text) != ""})
}

// unblock lets the work continue: what failed is tried again, and where nothing
// failed the notes are what a new round is for.
func (s *step) unblock() error {
	s.event, s.why = "human.unblocked", s.c.Text
	s.again()
	return s.step(flow.Unblock{Ticket: s.c.Ticket})
}

func (s *step) again() {
	for i := range s.Tasks {
		if s.Tasks[i].Status == Failed {
			s.Tasks[i].Status, s.Tasks[i].Loop, s.Tasks[i].Why = Pending, "", ""
		}
	}
}

// replan leaves what is done and takes what is not from the plan.
func (s *step) replan() error {
	s.event, s.why = "human.replanned", s.c.Text
	s.Tasks = slices.DeleteFunc(s.Tasks, func(t Task) bool { return t.Status != Done })
	if s.openTasks() == "" && len(s.Tasks) > 0 {
		s.Round++
	}
	return s.step(flow.Replan{Ticket: s.c.Ticket})
}

func (s *step) selectTrack() error {
	s.event, s.why = "track.selected", string(s.c.Track)
	if err := s.step(flow.SelectTrack{Track: s.c.Track}); err != nil {
		return err
	}
	s.Track = s.c.Track
	return nil
}

func (s *step) request() error {
	s.event, s.why = "synthesize.requested", s.c.Text
	if err := s.step(flow.RequestSynthesis{}); err != nil {
		return err
	}
	if s.Oneshot == nil {
		s.Oneshot = &Oneshot{SynthesisPolicy: flow.OnRequest}
	}
	s.Oneshot.Requests++
	return nil
}

// finalize asks where a oneshot ends, and goes there; the guards are asked again
// at the boundary. Where no gate has judged the work yet it says that the work is done, as a
// submission does: ferrus runs the gate and then ends it.
func (s *step) finalize() error {
	if s.Type == flow.Oneshot && s.CanEdit() && s.tests() != flow.Green {
		return s.record(&Updates{Implementation: &ImplementedSet{Complete: true}})
	}
	s.c.To = flow.Completed
	if f := s.Facts(s.c.Observed); f.Policy == flow.Always || f.Policy != flow.Never && f.Requested {
		s.c.To = flow.Synthesize
	}
	if s.Type != flow.Oneshot {
		return s.step(flow.Enter{Facts: s.Facts(s.c.Observed), To: "finalize_oneshot"})
	}
	return s.enter()
}

func (s *step) escalate() error {
	s.event, s.why = "workflow.escalated", s.c.Text
	return s.step(flow.Escalate{Text: strings.TrimSpace(s.c.Text) != "", Ticket: s.c.Seq})
}

func (s *step) recordReview() error {
	s.event, s.why = "review.completed", s.c.Dimension+": "+s.c.Verdict
	if err := s.step(flow.RecordReview{Fault: s.reviewFault()}); err != nil {
		return err
	}
	s.Reviews[s.c.Dimension] = Review{Status: s.c.Verdict, Findings: s.c.Text, By: s.c.By.ID, Round: s.Round}
	return nil
}

func (s *step) reviewFault() string {
	switch {
	case !slices.Contains(s.Required, s.c.Dimension):
		return fmt.Sprintf("unknown dimension %q; the required ones are %s", s.c.Dimension,
			strings.Join(s.Required, ", "))
	case !slices.Contains([]string{ReviewPass, ReviewFail, ReviewBlocked}, s.c.Verdict):
		return fmt.Sprintf("unknown verdict %q; use pass, fail or blocked", s.c.Verdict)
	case s.c.Verdict != ReviewPass && strings.TrimSpace(s.c.Text) == "":
		return "a verdict that is not pass needs findings"
	}
	return ""
}

func (s *step) cancel() error {
	s.event, s.why = "workflow.cancel", s.c.Text
	return s.step(flow.Cancel{Facts: s.Facts(s.c.Observed)})
}

func (s *step) cleanup() error {
	s.event, s.why = "workflow.cleanup", s.c.Observed.Why
	s.Cleanup = &Cleanup{MergeVerified: s.c.Observed.Merged, Why: s.c.Observed.Why}
	return s.step(flow.Cleanup{Facts: s.Facts(s.c.Observed)})
}
