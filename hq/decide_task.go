package hq

import (
	"slices"

	"ferrus/machine"
	"ferrus/machine/task"
)

// allTexts are the texts of a task besides its own.
var allTexts = []string{ReviewText, SubmissionText, QuestionText, AnswerText, ConsultRequestText, ConsultResponseText}

func (t *turn) createTask() error {
	if err := t.step(task.CreateTask{Text: t.text(), Ending: t.c.Facts.StillEnding}); err != nil {
		return err
	}
	if t.was.Task != nil {
		t.out.Archive = t.was.Task.ID
	}
	f, title := t.c.Facts, TaskTitle(t.c.Text)
	t.w.nothingYet()
	t.w.Task = &Task{ID: f.TaskID, Title: title, Base: f.Base, Definition: f.Definition.copied(), Workspace: copied(f.Workspace)}
	if t.c.By.Role == machine.Supervisor { // A person's task is as written, from no milestone.
		t.w.TaskSpec, t.w.TaskMilestone = t.w.PendingTaskSpec, t.w.PendingTaskMilestone
	}
	t.w.PendingTaskSpec, t.w.PendingTaskMilestone = "", ""
	if !t.w.held("stop", "quit") {
		t.w.Hold = nil // it was about the task before
	}
	t.drop(allTexts...)
	t.put(TaskText, t.c.Text)
	t.out.Event, t.out.Why = "create_task", title
	t.out.Result = Result{Status: "created", TaskID: f.TaskID}
	return nil
}

// nothingYet forgets the task and closes its epoch. The counters are the machine's.
func (w *World) nothingYet() {
	w.fence()
	w.Epoch++
	w.FailureReason = ""
	w.Task, w.Gate, w.Submission, w.Asked = nil, nil, nil, Asked{}
	w.TaskSpec, w.TaskMilestone, w.TaskTicked = "", "", false
}

func (t *turn) retry() error {
	if err := t.step(task.Retry{}); err != nil {
		return err
	}
	t.out.Event, t.out.Why = "retry", orElse(line(t.w.FailureReason), "the person sends it back")
	t.w.FailureReason = ""
	t.out.Result.Status = "retried"
	return nil
}

func (t *turn) reset() error {
	if err := t.step(task.Reset{}); err != nil {
		return err
	}
	t.out.Why = "nothing to reset"
	if t.was.Task != nil {
		t.out.Archive, t.out.Why = t.was.Task.ID, t.was.Task.Title
	}
	t.w.nothingYet()
	t.w.Hold = nil
	t.w.PendingTaskSpec, t.w.PendingTaskMilestone = "", ""
	t.drop(TaskText)
	t.drop(allTexts...)
	t.out.Event = "reset"
	t.out.Result.Status = "reset"
	return nil
}

// imported makes a World of the program that was here before into a sound one:
// the World is as read from its STATE.json, Text is its task. Leases and running
// gates do not survive; what it waited for keeps waiting under new tickets.
func (t *turn) imported() error {
	w, f := &t.w, t.c.Facts
	if w.Task != nil || w.Gate != nil {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "fresh-import", Reason: "this project has been imported or used already"})
	}
	w.Lease = Lease{}
	if w.State != task.Idle {
		w.Task = &Task{ID: f.TaskID, Title: TaskTitle(t.c.Text), Base: f.Base, Definition: f.Definition.copied()}
	}
	if w.State == task.Checking {
		w.State, w.Since = task.Executing, stamp(f.Now) // its proof is not ours
	}
	w.resumeWaits(t.c.Facts.NextSeq)
	if w.in(task.Reviewing) {
		w.Submission = &Submission{Tree: f.Tree, At: stamp(f.Now)}
	}
	if err := w.Sound(); err != nil {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "state-sound", Reason: err.Error()})
	}
	t.out.Event, t.out.Why = "import", "from schema version 1"
	t.out.Result.Status = "imported"
	return nil
}

// resumeWaits gives what was waited for new tickets. One pause is remembered: what
// it was paused over becomes work where it was a gate.
func (w *World) resumeWaits(ticket uint64) {
	over := w.Paused
	w.Paused, w.PausedState = []machine.State{}, ""
	if w.State != task.AwaitingHuman && w.State != task.Consultation {
		return
	}
	back := task.Executing
	if len(over) > 0 && slices.Contains([]machine.State{task.Addressing, task.Reviewing}, over[0]) {
		back = over[0]
	}
	if w.State == task.Consultation && back == task.Reviewing {
		back = task.Executing
	}
	w.Paused, w.PausedState = []machine.State{back}, back
	if w.State == task.Consultation {
		w.Consult = &Consult{Ticket: ticket}
		return
	}
	w.Question = &Question{Ticket: ticket, Role: machine.Executor}
	if back == task.Reviewing {
		w.Question.Role = machine.Supervisor
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
