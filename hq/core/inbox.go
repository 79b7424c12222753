package core

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"ferrus/machine/task"
)

// InboxKind is what sort of thing waits for the person.
type InboxKind string

// The kinds, most urgent first.
const (
	ItemProblem      InboxKind = "problem"      // the state cannot be read
	ItemQuestion     InboxKind = "question"     // an agent asks the person
	ItemApproval     InboxKind = "approval"     // only the person may approve
	ItemWorkflow     InboxKind = "workflow"     // a workflow waits for the person's decision
	ItemTrust        InboxKind = "trust"        // check commands that nobody let run
	ItemHold         InboxKind = "hold"         // nothing is started
	ItemLimit        InboxKind = "limit"        // a bound was reached, and nothing is started
	ItemFailure      InboxKind = "failure"      // the task failed
	ItemPair         InboxKind = "pair"         // a pair of agents ended without an agreement
	ItemSession      InboxKind = "session"      // a slot gave up
	ItemConfig       InboxKind = "config"       // ferrus.toml is broken
	ItemConsultation InboxKind = "consultation" // an agent asks the consultant
)

// InboxItem is one thing that waits for a person.
type InboxItem struct {
	ID     string    `json:"id"` // the same for as long as it is the same thing
	Kind   InboxKind `json:"kind"`
	Text   string    `json:"text"` // may have several lines, and words of an agent
	Slot   Slot      `json:"slot,omitempty"`
	Ticket uint64    `json:"ticket,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	Do     string    `json:"do"`               // what to do in HQ
	Run    string    `json:"run,omitempty"`    // what to do in a shell
	Others bool      `json:"others,omitempty"` // somebody else does it, if the person does not
}

// InboxFacts are what the World does not know. The zero value has nothing that
// waits.
type InboxFacts struct {
	Problem   string   // why the state cannot be read; the World is an old one then
	Config    string   // what is wrong with ferrus.toml
	Question  string   // its text
	Consult   string   // its text
	Untrusted []string // check commands that nobody let run here
	Stopped   []StoppedSession
	Workflow  *WorkflowDecision // nil: the workflow asks nothing, or there is none
}

// WorkflowDecision is what a workflow asks the person.
type WorkflowDecision struct {
	ID      string // of the workflow
	Visit   uint64 // of the phase that asks
	Ticket  uint64
	Text    string
	Since   time.Time
	Do, Run string // how it is answered, in HQ and in a shell
}

// StoppedSession is a slot that gave up after errors.
type StoppedSession struct {
	Slot   Slot
	Number int // of its last session
	Errors int
	Exit   string
	Since  time.Time
}

// Inbox is everything that waits for the person, most urgent first.
func Inbox(w World, f InboxFacts) []InboxItem {
	var all []InboxItem
	if f.Problem != "" {
		all = append(all, InboxItem{Kind: ItemProblem, ID: "problem", Text: f.Problem, Run: "ferrus doctor"})
		return append(all, f.config()...)
	}
	all = append(all, w.question(f.Question)...)
	all = append(all, w.approval()...)
	if a := f.Workflow; a != nil {
		all = append(all, InboxItem{Kind: ItemWorkflow, ID: fmt.Sprintf("workflow:%s:%d", a.ID, a.Visit), Ticket: a.Ticket, Text: a.Text, Since: a.Since, Do: a.Do, Run: a.Run})
	}
	if len(f.Untrusted) > 0 {
		list := strings.Join(f.Untrusted, "; ")
		all = append(all, InboxItem{Kind: ItemTrust, ID: "trust:" + list, Text: "check commands that nobody let run here: " + list, Do: "/status shows them, /trust lets them run", Run: "ferrus trust"})
	}
	all = append(all, w.onHold()...)
	if w.State == task.Failed {
		all = append(all, InboxItem{Kind: ItemFailure, ID: "failure:" + stampID(w.Since), Text: "failed: " + w.FailureReason, Since: w.Since, Do: "/retry or /reset", Run: "ferrus retry"})
	}
	for _, s := range f.Stopped {
		all = append(all, InboxItem{
			Kind: ItemSession, ID: fmt.Sprintf("session:%s:%d", s.Slot, s.Number), Slot: s.Slot, Since: s.Since,
			Text: fmt.Sprintf("the %s stopped after %d errors: %s", s.Slot, s.Errors, s.Exit), Do: "/resume " + string(s.Slot), Run: "ferrus resume",
		})
	}
	all = append(all, f.config()...)
	return append(all, w.consultation(f.Consult)...)
}

func stampID(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func (f InboxFacts) config() []InboxItem {
	if f.Config == "" {
		return nil
	}
	return []InboxItem{{Kind: ItemConfig, ID: "config:" + f.Config, Text: f.Config, Do: "mend ferrus.toml; the last good one counts until then", Run: "ferrus doctor"}}
}

func (w World) question(text string) []InboxItem {
	q := w.Question
	if w.State != task.AwaitingHuman || q == nil || q.Answered {
		return nil
	}
	return []InboxItem{{
		Kind: ItemQuestion, ID: fmt.Sprintf("question:%d", q.Ticket), Ticket: q.Ticket, Slot: q.asker(), Since: w.Since,
		Text: q.Asker() + " asks: " + strings.TrimSpace(text), Do: "type the answer, Enter sends", Run: `ferrus answer "..."`,
	}}
}

// Asker is who asks, in the words of the screen.
func (q Question) Asker() string {
	switch q.Mode {
	case ModeReview:
		return "reviewer"
	case ModeConsult:
		return "consultant"
	}
	return string(q.Role)
}

func (q Question) asker() Slot {
	return cmp.Or(map[Mode]Slot{ModeReview: SlotReviewer, ModeConsult: SlotConsultant, ModeWork: SlotExecutor, ModeResume: SlotExecutor}[q.Mode], SlotPlanner)
}

func (w World) consultation(text string) []InboxItem {
	c := w.Consult
	if w.State != task.Consultation || c == nil || c.Answered {
		return nil
	}
	return []InboxItem{{
		Kind: ItemConsultation, ID: fmt.Sprintf("consultation:%d", c.Ticket), Ticket: c.Ticket, Slot: SlotExecutor, Since: w.Since, Others: true,
		Text: "executor consults: " + strings.TrimSpace(text), Do: "the consultant answers, or you", Run: `ferrus answer "..."`,
	}}
}

func (w World) approval() []InboxItem {
	if !w.AwaitsApproval() {
		return nil
	}
	words := "the reviewer accepts, and only you may approve"
	if all := w.HumanAlarms(); len(all) > 0 {
		words += ": " + all[0].String()
	}
	return []InboxItem{{
		Kind: ItemApproval, ID: "approval:" + w.Submission.Tree, Since: w.Submission.Review.At,
		Text: words, Do: "/status, then /approve or /reject", Run: "ferrus status, then ferrus approve or ferrus reject",
	}}
}

// holds are the reasons of a hold in words, and what to do.
var holds = map[string]struct {
	kind      InboxKind
	words, do string
}{
	HoldStop:         {ItemHold, "held by /stop", "/resume goes on"},
	HoldQuit:         {ItemHold, "held since HQ was left", "/resume goes on"},
	HoldNoProgress:   {ItemLimit, "held: sessions end without doing anything", "look at the pane, then /resume"},
	HoldTokens:       {ItemLimit, "held: the task used more tokens than ferrus.toml allows", "/status shows what used them, then /resume"},
	HoldCost:         {ItemLimit, "held: the task cost more than ferrus.toml allows", "/status shows what did, then /resume"},
	HoldSessionLimit: {ItemLimit, "held: a session failed too often", "look at the pane, then /resume"},
	HoldSetup:        {ItemHold, "held: the work tree of the task could not be made ready", "look at .ferrus/logs/setup_*.txt, then /resume"},
	HoldUnproven:     {ItemHold, "held: the gate could prove nothing", "look at the check, then /resume"},
	HoldVoided:       {ItemLimit, "held: the tree moved under the review three times", "see who changes it, then /resume"},
}

func (w World) onHold() []InboxItem {
	h := w.Hold
	if h == nil {
		return nil
	}
	words, known := holds[h.Reason]
	if !known {
		words.kind, words.words, words.do = ItemHold, "held: "+h.Reason, "/resume goes on"
	}
	if h.Cause != "" {
		words.words += ": " + h.Cause
	}
	return []InboxItem{{Kind: words.kind, ID: "hold:" + h.Reason + ":" + stampID(h.Since), Text: words.words, Since: h.Since, Do: words.do, Run: "ferrus resume"}}
}
