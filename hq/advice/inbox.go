package advice

import (
	"fmt"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/task"
)

// InboxKind is the kind of an inbox item.
type InboxKind string

// The kinds, most urgent first.
const (
	ItemProblem      InboxKind = "problem"      // the state cannot be read
	ItemCommand      InboxKind = "command"      // a command in another terminal waits for you
	ItemQuestion     InboxKind = "question"     // an agent asks you
	ItemPermission   InboxKind = "permission"   // an agent asks for your permission
	ItemApproval     InboxKind = "approval"     // only you may approve
	ItemPlan         InboxKind = "plan"         // a supervisor proposed tasks for the queue
	ItemWorkflow     InboxKind = "workflow"     // a workflow waits for your decision
	ItemRecord       InboxKind = "record"       // a damaged record was repaired, and continues
	ItemTrust        InboxKind = "trust"        // check commands that are not trusted
	ItemHost         InboxKind = "host"         // a program in the sandbox was refused a host
	ItemHold         InboxKind = "hold"         // nothing is started
	ItemLimit        InboxKind = "limit"        // a limit was reached, and nothing is started
	ItemFailure      InboxKind = "failure"      // the task failed
	ItemMerge        InboxKind = "merge"        // a merge waits for your decision
	ItemLanding      InboxKind = "landing"      // approved work lands when you say so
	ItemPair         InboxKind = "pair"         // a pair of agents ended without an agreement
	ItemSession      InboxKind = "session"      // a slot gave up
	ItemTrouble      InboxKind = "trouble"      // a program cannot work, and still tries
	ItemSilent       InboxKind = "silent"       // the holder of the lease does nothing
	ItemConfig       InboxKind = "config"       // ferrus.toml is broken
	ItemConsultation InboxKind = "consultation" // an agent asks the consultant
)

// InboxItem is one thing that needs you. It has more than 12 fields because HQ, shells and on_need each use some of
// their own.
type InboxItem struct {
	ID     string    `json:"id"` // stays the same as long as it is the same thing
	Kind   InboxKind `json:"kind"`
	Text   string    `json:"text"` // may have several lines, and words of an agent
	Slot   core.Slot `json:"slot,omitempty"`
	Ticket uint64    `json:"ticket,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	Do     string    `json:"do"`            // what to do in HQ
	Run    string    `json:"run,omitempty"` // what to do in a shell
	// Options are shell commands; each answers the item.
	Options []string `json:"options,omitempty"`
	// Delegated reports that an agent does it if you do not.
	Delegated bool `json:"others,omitempty"`
	// Yours reports that you did it yourself: you need not be told of it elsewhere.
	Yours bool `json:"-"`
	// Type is the beginning of the command that HQ puts at the prompt; empty: none.
	Type string `json:"-"`
	// About is the task that the item is about; nil: the one whose inbox it is in.
	About *About `json:"-"`
}

// About is the task that an item is about. The zero value is none: the item is about the project.
type About struct{ Task, Title string }

// InboxFacts are facts that the World does not have. The zero value adds nothing.
type InboxFacts struct {
	Problem   string          // why the state cannot be read; the World is an old one then
	Config    string          // what is wrong with ferrus.toml
	Commands  []AskingCommand // the oldest first
	Question  string          // its text
	Consult   string          // its text
	Untrusted []string        // commands and settings of ferrus.toml that are not trusted here
	Continued []string        // how a damaged record of the task was repaired
	Hosts     []AskedHost     // answered ones are left out
	SessionFacts
	Workflow *WorkflowDecision // nil: the workflow asks nothing, or there is none
	QueueFacts
}

// SessionFacts are the sessions that do not work as they should.
type SessionFacts struct {
	Stopped  []StoppedSession
	Troubled []TroubledSession
	Silent   *SilentHolder // nil: the holder of the lease works, or there is none
}

// WorkflowDecision is a decision that a workflow needs from you.
type WorkflowDecision struct {
	ID      string // of the workflow
	Visit   uint64 // of the phase that asks
	Ticket  uint64
	Text    string
	Since   time.Time
	Answers []machine.Kind // the events that answer it
}

// AskingCommand is a command that waits for you, because there is no evidence that it is yours.
type AskingCommand struct {
	Number int
	Line   string // approve "looks good"
	From   string // no terminal, process 4711 (ferrus, sh)
	Why    string // what is missing
	Since  time.Time
}

// commandItem returns the request of a process to act as you.
func commandItem(c AskingCommand) InboxItem {
	return InboxItem{
		Kind: ItemCommand, ID: fmt.Sprintf("command:%d", c.Number), Since: c.Since,
		Text: fmt.Sprintf("act as you? ferrus %s (%s; %s)", c.Line, c.From, c.Why),
		Do:   "if you gave this command, /allow; otherwise /deny", Type: "/allow",
	}
}

// StoppedSession is a slot that gave up after errors.
type StoppedSession struct {
	Slot   core.Slot
	Number int // of its last session
	Errors int
	Exit   string
	Since  time.Time
}

// TroubledSession is a running session whose program says what keeps it from working.
type TroubledSession struct {
	Slot   core.Slot
	Number int
	Agent  string // claude-code
	Words  string // what it is, and the cure
	Since  time.Time
}

// SilentHolder is a session that holds the lease and runs, but does nothing.
type SilentHolder struct {
	Slot  core.Slot // whose work it holds
	Name  string    // executor:codex:1
	Since time.Time // of its last sign of life
}

// Inbox returns everything that needs you, most urgent first.
func Inbox(w core.World, f InboxFacts) []InboxItem {
	if f.Problem != "" {
		problem := InboxItem{Kind: ItemProblem, ID: "problem", Text: f.Problem, Run: "ferrus doctor"}
		return append([]InboxItem{problem}, configItem(f.Config)...)
	}
	var all []InboxItem
	for _, c := range f.Commands {
		all = append(all, commandItem(c))
	}
	all = append(all, questionItem(w, f.Question)...)
	for _, r := range w.OpenPermissions() {
		all = append(all, permissionItem(r))
	}
	all = append(all, approvalItem(w)...)
	all = append(all, workflowItem(f.Workflow)...)
	all = append(all, recordItems(f.Continued)...)
	all = append(all, trustItem(f.Untrusted)...)
	for _, a := range f.Hosts {
		all = append(all, hostItem(a)...)
	}
	all = append(all, holdItem(w.Hold)...)
	all = append(all, queueItems(f)...)
	all = append(all, failureItem(w)...)
	if w.Hold == nil || w.Hold.Reason != core.HoldStop { // after /stop they did not give up: you stopped them
		for _, s := range f.Stopped {
			all = append(all, sessionItem(s))
		}
	}
	for _, s := range f.Troubled {
		all = append(all, troubleItem(s))
	}
	all = append(all, silentItem(f.Silent)...)
	all = append(all, configItem(f.Config)...)
	return append(all, consultationItem(w, f.Consult)...)
}

func stampID(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func configItem(problem string) []InboxItem {
	if problem == "" {
		return nil
	}
	return []InboxItem{{
		Kind: ItemConfig, ID: "config:" + problem, Text: problem,
		Do: "fix ferrus.toml; the last valid version stays in effect until you do", Run: "ferrus doctor",
	}}
}

func questionItem(w core.World, text string) []InboxItem {
	q := w.Question
	if w.State != task.AwaitingHuman || q == nil || q.Answered {
		return nil
	}
	return []InboxItem{{
		Kind: ItemQuestion, ID: fmt.Sprintf("question:%d", q.Ticket), Ticket: q.Ticket, Slot: q.Mode.Slot(),
		Since: w.Since, Text: Asker(*q) + " asks: " + strings.TrimSpace(text),
		Do: "type the answer, Enter sends", Run: shell(core.KindAnswer),
		Options: shells(taskActions, core.KindAnswer),
	}}
}

// Asker returns who asks a question, as the screen shows it.
func Asker(q core.Question) string {
	switch q.Mode {
	case core.ModeReview, core.ModeConsult:
		return string(q.Mode.Slot())
	}
	return string(q.Role)
}

func consultationItem(w core.World, text string) []InboxItem {
	c := w.Consult
	if w.State != task.Consultation || c == nil || c.Answered {
		return nil
	}
	return []InboxItem{{
		Kind: ItemConsultation, ID: fmt.Sprintf("consultation:%d", c.Ticket), Ticket: c.Ticket,
		Slot: core.SlotExecutor, Since: w.Since, Delegated: true,
		Text: "executor consults: " + strings.TrimSpace(text),
		Do:   "the consultant answers, or you can", Run: shell(core.KindRespondConsult),

		Options: shells(taskActions, core.KindRespondConsult),
	}}
}

func approvalItem(w core.World) []InboxItem {
	if !w.AwaitsApproval() {
		return nil
	}
	words := "the reviewer accepts it, but only you can approve it"
	if w.IsFlaky() {
		words = "FLAKY: " + words
	}
	if all := w.HumanAlarms(); len(all) > 0 {
		words += ": " + all[0].String()
	}
	return []InboxItem{{
		Kind: ItemApproval, ID: "approval:" + w.Submission.Tree, Since: w.Submission.Review.At, Text: words,
		Do:   "/diff, then " + anySlash(taskActions, core.KindApprove, core.KindReject),
		Run:  "ferrus status, then " + anyShell(taskActions, core.KindApprove, core.KindReject),
		Type: slash(core.KindApprove) + " ",

		Options: shells(taskActions, core.KindApprove, core.KindReject),
	}}
}

func workflowItem(d *WorkflowDecision) []InboxItem {
	if d == nil {
		return nil
	}
	return []InboxItem{{
		Kind: ItemWorkflow, ID: fmt.Sprintf("workflow:%s:%d", d.ID, d.Visit), Ticket: d.Ticket,
		Text: d.Text, Since: d.Since, Type: "/workflow ",
		Do: "/workflow shows it; then " + anySlash(workflowActions, d.Answers...), Run: d.Run(),
		Options: shells(workflowActions, d.Answers...),
	}}
}

// Run returns the commands that show it and answer it in a shell, in one line.
func (d *WorkflowDecision) Run() string {
	return "ferrus workflow show, then " + anyShell(workflowActions, d.Answers...)
}

// WorkflowUsage returns the commands that cause events of a workflow in HQ, with all
// that they take.
func WorkflowUsage(events []machine.Kind) []string {
	var all []string
	for _, e := range events {
		all = append(all, workflowActions[e].Slash+" "+workflowActions[e].Args)
	}
	return all
}

// recordItems stay until the next task is created.
func recordItems(continued []string) (all []InboxItem) {
	for _, why := range continued {
		all = append(all, InboxItem{
			Kind: ItemRecord, ID: "record:" + why, Text: why,
			Do:  "check what the task says against what you know; shown until the next task",
			Run: "ferrus log",
		})
	}
	return all
}

func trustItem(untrusted []string) []InboxItem {
	if len(untrusted) == 0 {
		return nil
	}
	list := strings.Join(untrusted, "; ")
	return []InboxItem{{
		Kind: ItemTrust, ID: "trust:" + list, Text: "ferrus.toml runs untrusted commands: " + list,
		Do: "/status shows them, /trust trusts them", Run: "ferrus trust", Type: "/trust",
		Options: []string{"ferrus trust"},
	}}
}

func failureItem(w core.World) []InboxItem {
	if w.State != task.Failed {
		return nil
	}
	return []InboxItem{{
		Kind: ItemFailure, ID: "failure:" + stampID(w.Since), Text: "failed: " + w.FailureReason, Since: w.Since,
		Do:  anySlash(taskActions, core.KindRetry, core.KindReset),
		Run: shell(core.KindRetry), Type: slash(core.KindRetry),

		Options: shells(taskActions, core.KindRetry, core.KindReset),
	}}
}

func sessionItem(s StoppedSession) InboxItem {
	resume := slash(core.KindResume) + " " + string(s.Slot)
	return InboxItem{
		Kind: ItemSession, ID: fmt.Sprintf("session:%s:%d", s.Slot, s.Number), Slot: s.Slot, Since: s.Since,
		Text: fmt.Sprintf("the %s stopped after %d errors: %s", s.Slot.Pane(), s.Errors, s.Exit),
		Do:   resume, Run: shell(core.KindResume), Type: resume,

		Options: shells(taskActions, core.KindResume),
	}
}

func troubleItem(s TroubledSession) InboxItem {
	return InboxItem{
		Kind: ItemTrouble, ID: fmt.Sprintf("trouble:%s:%d", s.Slot, s.Number), Slot: s.Slot, Since: s.Since,
		Text: fmt.Sprintf("the %s (%s) %s", s.Slot.Pane(), s.Agent, s.Words), Do: "see its pane",
	}
}

func silentItem(s *SilentHolder) []InboxItem {
	if s == nil {
		return nil
	}
	take := slash(core.KindResume) + " " + string(s.Slot) + " --take"
	return []InboxItem{{
		Kind: ItemSilent, ID: "silent:" + s.Name + ":" + stampID(s.Since), Slot: s.Slot, Since: s.Since,
		Text: s.Name + " holds the lease but is silent, so no other " + string(s.Slot) + " can start",
		Do:   take + " starts another", Run: shell(core.KindResume) + " --take", Type: take,

		Options: []string{shell(core.KindResume) + " --take"},
	}}
}
