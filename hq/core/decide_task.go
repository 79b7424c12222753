package core

import (
	"reflect"

	"ferrus/machine"
	"ferrus/machine/task"
)

// TaskTexts lists the texts of a task besides [TaskText].
var TaskTexts = []string{ReviewText, SubmissionText, QuestionText, AnswerText, ConsultRequestText, ConsultResponseText,
	CommentsText, PermissionsText}

// createTask replaces a completed task, whose texts are archived with the same commit.
// A hold about the previous task ends with it. A stop or quit of the human's survives,
// so nothing starts behind their back.
func (t *decision) createTask() error {
	if err := t.step(task.CreateTask{Text: t.hasText(), Ending: t.c.Facts.StillEnding}); err != nil {
		return err
	}
	if t.was.Task != nil {
		t.out.Archive = t.was.Task.ID
	}
	f, title := t.c.Facts, TaskTitle(t.c.Text)
	t.w.clearTask()
	t.w.Task = &Task{ID: f.TaskID, Title: title, Base: f.Base, Definition: f.Definition.copied(),
		Pin: f.Pin.copied(), Workspace: copied(f.Workspace), Origin: copied(t.c.Origin), Item: t.c.Item}
	if t.c.By.Role == machine.Supervisor { // The human's task comes from no milestone.
		t.w.TaskSpec, t.w.TaskMilestone = t.w.PendingTaskSpec, t.w.PendingTaskMilestone
	}
	if t.c.Milestone != "" {
		t.w.TaskSpec, t.w.TaskMilestone = t.c.Spec, t.c.Milestone
	}
	t.w.PendingTaskSpec, t.w.PendingTaskMilestone, t.w.PendingTaskChanges = "", "", false
	if !t.w.isHeld(HoldStop, HoldQuit) {
		t.w.Hold = nil // it was about the previous task
	}
	t.removeTexts(TaskTexts...)
	t.setText(TaskText, t.c.Text)
	t.out.Event, t.out.Why = KindCreateTask, title
	t.out.Result = Result{Status: StatusCreated, TaskID: f.TaskID}
	return nil
}

// clearTask forgets the task and ends its epoch, so that late commands about it are
// refused. The counters are the machine's to clear. The selection of the next milestone
// is not the task's, and stays.
func (w *World) clearTask() {
	w.fence()
	w.Epoch++
	w.FailureReason = ""
	w.Task, w.Gate, w.Submission, w.Pending = nil, nil, nil, Pending{}
	w.TaskSpec, w.TaskMilestone, w.TaskTicked = "", "", false
}

// retry returns a failed task to the executor. The texts and the tree stay; both
// counters are 0 again.
func (t *decision) retry() error {
	if err := t.step(task.Retry{}); err != nil {
		return err
	}
	t.out.Event, t.out.Why = KindRetry, orElse(summaryLine(t.w.FailureReason), "retried by the human")
	t.w.FailureReason = ""
	t.out.Result.Status = StatusRetried
	return nil
}

// reset archives the task and returns to Idle. It is accepted in every state, also in
// an invalid one; where there is nothing to reset, it changes nothing. No file of the
// repository is touched. A supervisor may reset from Failed only.
func (t *decision) reset() error {
	if err := t.step(task.Reset{}); err != nil {
		return err
	}
	t.out.Result.Status = StatusReset
	t.w.clearTask()
	t.w.Hold = nil
	t.w.PendingTaskSpec, t.w.PendingTaskMilestone, t.w.PendingTaskChanges = "", "", false
	same := t.w
	if same.Epoch = t.was.Epoch; reflect.DeepEqual(same, t.was) {
		t.w = t.was
		return nil
	}
	t.out.Why = "no task"
	if t.was.Task != nil {
		t.out.Archive, t.out.Why = t.was.Task.ID, t.was.Task.Title
	}
	t.removeTexts(TaskText)
	t.removeTexts(TaskTexts...)
	t.out.Event = KindReset
	return nil
}

// orElse returns s, or other if s is empty.
func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
