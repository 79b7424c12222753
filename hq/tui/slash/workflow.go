package slash

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ferrus/hq/workflow"
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/prompt"
	"ferrus/ui/view"
)

var workflowWords = []view.Suggestion{
	{"feature", "start: design, plan, tasks in worktrees, review"}, {"debug", "start: find the cause, then fix it"},
	{"refactor", "start: brief, plan, prove that nothing broke"}, {"oneshot", "start: plan and do it in one step"},
	{"approve", "the plan is right"}, {"revise", "send the plan or failed work back with notes"},
	{"unblock", "continue what is blocked"}, {"replan", "plan the blocked workflow again"},
	{"cancel", "end it; asks first"},
}

// decisions are the human's answers to a workflow, and how each is confirmed. The workflow leaves its phase
// only after that.
var decisions = map[string]string{
	"approve": "Approved", "revise": "Sent back", "unblock": "Unblocked", "replan": "Sent back to planning",
	"cancel": "Cancelled",
}

// work shows the workflow, starts one, or answers it.
type work struct{ Words string }

func parseWorkflow(_ *view.View, args string) (intent.Intent, error) {
	if word, _ := prompt.Word(args); word != "cancel" {
		return work{args}, nil
	}
	return dialog.Open{Dialog: dialog.Question{
		Of: dialog.KindCancel, Title: "Cancel the workflow?",
		Yes: dialog.Button{Words: "cancel it", Intent: work{args}}, No: "keep it",
		Text: "This stops its sessions, archives its task and withdraws what it published. No commit is lost.",
	}}, nil
}

// Intent implements [intent.Intent].
func (work) Intent() {}

// Run carries out the subcommand of /workflow that its first word names.
func (w work) Run(ctx context.Context, e *Env) (Result, error) {
	word, rest := prompt.Word(w.Words)
	var now workflow.Workflow
	var err error
	switch {
	case word == "":
		now, story, err := e.Workflows.Workflow()
		return Result{Page: Page{"workflow " + string(now.Type), story}}, err
	case word == "revise" && rest == "":
		err = errors.New("/workflow revise takes notes: what has to change")
	case decisions[word] != "":
		now, err = e.Workflows.Decide(ctx, word, rest)
		if errors.Is(err, workflow.ErrNoneOpen) {
			err = errors.New("no workflow is open; /workflow <type> <title> starts one")
		}
		return report(fmt.Sprintf("%s: the %s %s; /workflow shows it", decisions[word], now.Type,
			strings.TrimSpace(now.Title)), err)
	case rest == "":
		err = fmt.Errorf("/workflow %s needs a title that says what it is for", word)
	default:
		now, err = e.Workflows.StartWorkflow(ctx, word, rest)
	}
	return report(fmt.Sprintf("The %s %s is in %s; /workflow shows it", now.Type, strings.TrimSpace(now.Title),
		now.Phase), err)
}

// CommandLine returns the command as it would be typed.
func (w work) CommandLine() string {
	if w.Words == "" {
		return ""
	}
	return "/workflow " + w.Words
}
