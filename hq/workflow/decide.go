package workflow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/flow"
)

// Command is a request for one event. Kind is a tool or the name of an
// event: set, enter, approve, revise, unblock, replan, select_track, plan_tasks,
// record_review, request_synthesize, finalize_oneshot, escalate, cancel, cleanup;
// and ferrus's own: assigned, settled, disbanded, validated, published,
// publish_failed, cancelling, compensated. It has more than 12 fields because each kind
// takes other arguments, which its caller writes in one literal.
type Command struct {
	Kind   machine.Kind
	By     core.Actor
	Text   string // notes, reason, findings
	Ticket uint64 // of what the human is asked; 0: whatever is open

	To        machine.State // enter
	Updates   *Updates      // set
	Track     flow.Track
	Tasks     []Task
	Dimension string
	Verdict   string
	Task      *Task       // assigned, settled
	Gate      *Validation // validated
	Synthesis *Synthesis  // published, publish_failed
	Steps     []Step      // cancelling: the plan; compensated: the one that was taken

	Seen Observed
	Now  time.Time
	Seq  uint64 // that the event would get
}

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
		return Decision{}, fmt.Errorf("decide: there is no command %q", c.Kind)
	}
	if err := carry(s); err != nil {
		return Decision{}, err
	}
	return Decision{Document: s.Document, Event: s.event, Why: s.why}, nil
}

// step is a decision in the making.
type step struct {
	Document
	c          Command
	event, why string
}

var carriers = map[machine.Kind]func(*step) error{
	KindSet: (*step).set, KindEnter: (*step).enter, KindApprove: (*step).approve, KindRevise: (*step).revise,
	KindUnblock: (*step).unblock, KindReplan: (*step).replan, KindSelectTrack: (*step).selectTrack,
	KindPlanTasks:    (*step).planTasks,
	KindRecordReview: (*step).recordReview, KindRequestSynthesis: (*step).request, KindFinalize: (*step).finalize,
	KindEscalate: (*step).escalate, KindCancel: (*step).cancel, KindCleanup: (*step).cleanup,
	KindAssigned: (*step).assigned, KindTaskEnded: (*step).taskEnded, KindDisbanded: (*step).disbanded,
	KindValidated: (*step).validated,
	KindPublished: (*step).published, KindPublishFailed: (*step).published, KindCancelling: (*step).cancelling,
	KindCompensated: (*step).compensated,
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

// notesAfter returns what the next phase has to know of the one that is left.
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

// reworks reports that tasks that are entered from a phase are to be done again.
func reworks(f *flow.Flow, from machine.State, kind machine.Kind) bool {
	switch f.Phase(from).Run {
	case flow.RunReview, flow.RunGate, flow.RunPublish:
		return true
	}
	return kind == KindUnblock || kind == KindReplan
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
		return "the gate stays red"
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
	if err := s.step(flow.Enter{Facts: s.Facts(s.c.Seen), To: s.c.To, Ticket: s.c.Seq}); err != nil {
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

// findings are those of the reviews that did not pass.
func (s *step) findings() string {
	var b strings.Builder
	for _, name := range s.Required {
		if r := s.Reviews[name]; r.Status != ReviewPass {
			fmt.Fprintf(&b, "%s (%s): %s\n", name, r.Status, r.Findings)
		}
	}
	return b.String()
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
// at the boundary.
func (s *step) finalize() error {
	s.c.To = flow.Completed
	if f := s.Facts(s.c.Seen); f.Policy == flow.Always || f.Policy != flow.Never && f.Requested {
		s.c.To = flow.Synthesize
	}
	if s.Type != flow.Oneshot {
		return s.step(flow.Enter{Facts: s.Facts(s.c.Seen), To: "finalize_oneshot"})
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
		return fmt.Sprintf("there is no dimension %q; the required ones are %s", s.c.Dimension,
			strings.Join(s.Required, ", "))
	case !slices.Contains([]string{ReviewPass, ReviewFail, ReviewBlocked}, s.c.Verdict):
		return fmt.Sprintf("%q is no verdict", s.c.Verdict)
	case s.c.Verdict != ReviewPass && strings.TrimSpace(s.c.Text) == "":
		return "a verdict that is not pass needs findings"
	}
	return ""
}

func (s *step) cancel() error {
	s.event, s.why = "workflow.cancel", s.c.Text
	return s.step(flow.Cancel{Facts: s.Facts(s.c.Seen)})
}

func (s *step) cleanup() error {
	s.event, s.why = "workflow.cleanup", s.c.Seen.Why
	s.Cleanup = &Cleanup{MergeVerified: s.c.Seen.Merged, Why: s.c.Seen.Why}
	return s.step(flow.Cleanup{Facts: s.Facts(s.c.Seen)})
}
