package workflow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/machine/task"
)

// Action is what should be done now.
type Action string

// The actions.
const (
	DoNothing Action = ""        // over, or Next.Who acts
	DoSession Action = "session" // have a session of the supervisor for the phase
	DoEnter   Action = "enter"   // enter Next.Command.To
	DoRecord  Action = "record"  // give Next.Command
	DoCreate  Action = "create"  // put Next.Task into the task loop
	DoReset   Action = "reset"   // put the failed task of the loop away
	DoQueue   Action = "queue"   // put the tasks of the plan into the queue
	DoLand    Action = "land"    // land Next.Item on the workflow's branch
	DoLoop    Action = "loop"    // the task loop is at it
	DoGate    Action = "gate"    // run the check commands
	DoPublish Action = "publish" // publish the work
)

// Next is what should happen next in a workflow.
type Next struct {
	Do         Action
	Command    Command // enter and record
	Task       Task    // create
	Item       int     // land: the number of an item of the queue
	Role       machine.Role
	WaitingFor string // what is waited for, for display
}

// TaskLoop is the task loop, as far as it matters here.
type TaskLoop struct {
	World core.World
	Text  string      // of its task, where that keeps no origin
	Lives bool        // an executor is running
	Rows  []queue.Row // of the queue, which a workflow apart uses
}

// PlanNext returns what should happen next. It is computed from what is on the disk
// alone, so it says the same after a crash, and doing it twice is harmless.
func PlanNext(d *Document, l TaskLoop) Next {
	f := d.Flow()
	run := f.Phase(d.Phase).Run
	switch {
	case d.IsFinal():
		return Next{WaitingFor: "the workflow is " + string(d.Phase)}
	case d.Cancelling != nil:
		return Next{Role: machine.Human, WaitingFor: "the cancellation is not complete: ferrus workflow cancel"}
	case run == flow.RunTasks:
		if next, busy := d.tasks(l); busy {
			return next
		}
	case run == flow.RunReview && !d.judged():
		return Next{Do: DoSession, Role: machine.Supervisor, WaitingFor: "a verdict for each dimension"}
	}
	if to := f.Next(d.Snap(), d.Facts(Observed{Published: run == flow.RunPublish && d.Synthesis != nil &&
		d.Synthesis.PRURL != ""})); to != "" {
		return Next{Do: DoEnter, Command: Command{Kind: KindEnter, To: to}, Role: machine.Ferrus,
			WaitingFor: "enters " + string(to)}
	}
	return d.carried(run)
}

// carried says who works on the phase when no phase can be entered.
func (d *Document) carried(run flow.Run) Next {
	switch run {
	case flow.RunHuman:
		return Next{Role: machine.Human, WaitingFor: d.Asks()}
	case flow.RunGate:
		return Next{Do: DoGate, Role: machine.Ferrus, WaitingFor: "runs the gate"}
	case flow.RunPublish:
		if d.Counters.Publishes >= flow.PublishLimit {
			return Next{Role: machine.Human, WaitingFor: "publishing failed: " + d.Synthesis.LastError}
		}
		return Next{Do: DoPublish, Role: machine.Ferrus, WaitingFor: "publishes the work"}
	case flow.RunEdit:
		if d.Counters.Proofs >= flow.ProofLimit {
			return Next{Role: machine.Human, WaitingFor: d.Asks()}
		}
		if d.Implementation != nil && d.Implementation.Complete && d.tests() == "" &&
			slices.Contains(d.Flow().Phase(d.Phase).Takes, flow.Finished) {
			return Next{Do: DoGate, Role: machine.Ferrus, WaitingFor: "runs the gate"}
		}
	}
	return Next{Do: DoSession, Role: machine.Supervisor, WaitingFor: "what the phase needs"}
}

// Asks returns what the human is asked; empty when nothing is.
func (d *Document) Asks() string {
	switch {
	case d.IsFinal():
		return ""
	case d.Cancelling != nil:
		return "the cancellation is not complete"
	case d.Phase == flow.Blocked:
		return "blocked in " + string(d.Counters.From) + ": " + d.Blocked.Text
	case d.Flow().Phase(d.Phase).Run == flow.RunHuman && !d.answered():
		return "the plan waits for your approval"
	case d.CanEdit() && d.Counters.Proofs >= flow.ProofLimit:
		return fmt.Sprintf("the gate failed %d times in a row", d.Counters.Proofs)
	case d.Phase == flow.Synthesize && d.Counters.Publishes >= flow.PublishLimit:
		return "publishing failed: " + d.Synthesis.LastError
	}
	return ""
}

// Need returns what you are asked, as the inbox has it; nil when nothing is.
func (d *Document) Need() *advice.WorkflowDecision {
	text := d.Asks()
	if text == "" {
		return nil
	}
	return &advice.WorkflowDecision{
		ID: d.ID, Visit: d.Visit, Ticket: d.Counters.Ticket, Text: d.Title + ": " + text, Since: d.Since,
		Answers: d.answers(),
	}
}

// answers returns the events with which you can answer the workflow's question.
// Without a question it is only the cancellation, and after the workflow's end
// nothing.
func (d *Document) answers() []machine.Kind {
	var all []machine.Kind
	switch {
	case d.IsFinal():
		return nil
	case d.Cancelling != nil || d.Asks() == "":
	case d.Phase == flow.Blocked:
		all = []machine.Kind{flow.KindUnblock}
		if d.may(flow.KindReplan) {
			all = append(all, flow.KindReplan)
		}
	case d.Flow().Phase(d.Phase).Run == flow.RunHuman:
		all = []machine.Kind{flow.KindApprove, flow.KindRevise}
	case d.CanEdit():
		all = []machine.Kind{flow.KindRevise}
	}
	return append(all, flow.KindCancel)
}

// may reports whether you can cause an event now.
func (d *Document) may(event machine.Kind) bool {
	return slices.ContainsFunc(d.Flow().Table.Options(d.Snap()), func(o machine.Option) bool {
		return o.Event == event && slices.Contains(o.By, machine.Human)
	})
}

func (d *Document) answered() bool {
	return d.PlanReview != nil && (d.PlanReview.Approved || d.PlanReview.GapsFound)
}

// tasks returns the steps through the task loop; false when nothing of it is to be
// done.
func (d *Document) tasks(l TaskLoop) (Next, bool) {
	if d.Apart() {
		return d.parallel(l)
	}
	if t := d.task(d.Current); t != nil {
		return d.current(t, l), true
	}
	if d.failedTask() != "" {
		return Next{}, false
	}
	if t := d.ready(); t != nil {
		if l.World.State == task.Failed {
			return Next{Do: DoReset, Role: machine.Ferrus, WaitingFor: "the failed task is archived"}, true
		}
		if open := l.World.State; open != "" && open != task.Idle && open != task.Complete {
			return Next{Role: machine.Human, WaitingFor: "another task is " + string(open) +
				": finish or reset it"}, true
		}
		return Next{Do: DoRecord, Command: Command{Kind: KindAssigned, Task: &Task{ID: t.ID}}, Role: machine.Ferrus,
			WaitingFor: "starts task " + t.ID}, true
	}
	if strings.HasPrefix(d.openTasks(), flow.NoTasks) {
		return Next{Do: DoSession, Role: machine.Supervisor, WaitingFor: d.openTasks()}, true
	}
	if d.Team != nil && d.Team.Spawned && !d.Team.Disbanded {
		if l.Lives {
			return Next{Do: DoLoop, Role: machine.Ferrus, WaitingFor: "waits for the executor to end"}, true
		}
		return Next{Do: DoRecord, Command: Command{Kind: KindDisbanded}, Role: machine.Ferrus,
			WaitingFor: "no executor is running"}, true
	}
	return Next{}, false
}

// current returns the task in the loop: begun, known, and settled when the loop is done
// with it.
func (d *Document) current(t *Task, l TaskLoop) Next {
	in := l.World.Task
	switch {
	case t.Loop == "" && d.created(*t, l):
		return Next{Do: DoRecord, Command: Command{Kind: KindAssigned, Task: &Task{ID: t.ID, Loop: in.ID}},
			Role: machine.Ferrus, WaitingFor: "task " + t.ID + " is in the loop"}
	case t.Loop == "" && l.World.State == task.Failed:
		return Next{Do: DoReset, Role: machine.Ferrus, WaitingFor: "the failed task is archived"}
	case t.Loop == "" && in != nil && l.World.State != task.Idle && l.World.State != task.Complete:
		return Next{Role: machine.Human, WaitingFor: "another task is " + string(l.World.State) +
			": finish or reset it"}
	case t.Loop == "":
		return Next{Do: DoCreate, Task: *t, Role: machine.Ferrus, WaitingFor: "puts task " + t.ID + " into the loop"}
	case in == nil || in.ID != t.Loop:
		return endTask(t.ID, Failed, "it was archived before it was complete")
	case l.World.State == task.Complete:
		return endTask(t.ID, Done, "")
	case l.World.State == task.Failed:
		return endTask(t.ID, Failed, cmp.Or(l.World.FailureReason, "the loop failed it"))
	}
	words, _ := queue.Describe(l.World)
	if words, needs := strings.CutPrefix(words, "needs you: "); needs {
		return Next{Do: DoLoop, Role: machine.Human, WaitingFor: fmt.Sprintf("task %s: %s", t.ID, words)}
	}
	return Next{Do: DoLoop, Role: loopActor(l.World), WaitingFor: fmt.Sprintf("task %s is %s", t.ID, l.World.State)}
}

// loopActor returns who continues the open task, if you need not.
func loopActor(w core.World) machine.Role {
	switch {
	case w.GateRunning():
		return machine.Ferrus
	case w.State == task.Reviewing, w.State == task.Consultation && w.Consult != nil && !w.Consult.Answered:
		return machine.Supervisor
	}
	return machine.Executor
}

// Held returns the next step while a hold lets nothing start: you clear it.
func (n Next) Held(h *core.Hold) Next {
	if h != nil && n.Role != "" && n.Role != machine.Human {
		n.Role, n.WaitingFor = machine.Human, "on hold ("+h.Reason+"), resume it"
	}
	return n
}

func endTask(id, status, why string) Next {
	return Next{Do: DoRecord, Command: Command{Kind: KindTaskEnded, Task: &Task{ID: id, Status: status, Why: why}},
		Role: machine.Ferrus, WaitingFor: "task " + id + " is " + status}
}

// created reports whether the task in the loop was created for a task of the plan. One
// from before tasks kept their origin is recognized by its text's last line.
func (d *Document) created(t Task, l TaskLoop) bool {
	in := l.World.Task
	switch {
	case in == nil || l.World.State == task.Idle:
		return false
	case in.Origin != nil:
		return *in.Origin == *d.Origin(t)
	}
	return strings.HasSuffix("\n"+strings.TrimSpace(l.Text), "\n"+d.signature(t))
}

// Origin returns what a task of the plan is known by in the task loop.
func (d *Document) Origin(t Task) *core.Origin {
	return &core.Origin{Workflow: d.ID, Task: t.ID, Round: t.Round}
}

// TaskText returns the text that the task loop is given for a task of the plan.
func (d *Document) TaskText(t Task) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", t.Title, strings.TrimSpace(t.Text))
	if d.Notes != "" && t.Round > 0 {
		fmt.Fprintf(&b, "\n## Findings of the previous round\n\n%s\n", strings.TrimSpace(d.Notes))
	}
	return b.String() + "\n" + d.signature(t) + "\n"
}

// signature returns the last line of a task's text, which tells readers where the task
// comes from.
func (d *Document) signature(t Task) string {
	return fmt.Sprintf("Task %s, round %d, of workflow %s.", t.ID, t.Round, d.ID)
}
