package slash

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ferrus/hq/advice"
	"ferrus/hq/conductor/journal"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// do takes a move of the human on the task, and says what came of it.
func do(ctx context.Context, e *Env, c core.Command) (Result, error) {
	c.By = project.HumanOf(ctx)
	result, err := e.Tasks.Do(ctx, c)
	if late := new(*journal.DecidedError); errors.As(err, late) {
		return Result{}, errors.New(text.Sanitize((*late).Error()))
	}
	if r := machine.AsRefusal(err); r != nil && r.Code == machine.NoSuchTransition { // it moved on meanwhile
		return Result{}, errors.New(advice.Closed(c.Kind, r.State))
	}
	if err != nil {
		return Result{}, err
	}
	return Result{Text: result.Summary()}, nil
}

// move is a move on the task with a text.
type move struct {
	Kind machine.Kind
	Text string
	Of   uint64 // the submission that was on the screen; 0: none
	line string // the command that it is typed with; empty: it needs no typing
}

// The moves without a text.
var (
	retry = move{Kind: core.KindRetry}
	reset = move{Kind: core.KindReset}
)

// parseApprove asks once more where there are alarms that only you may approve.
func parseApprove(v *view.View, args string) (intent.Intent, error) {
	approve := move{Kind: core.KindApprove, Text: args, Of: v.Submission}
	alarms := v.Check.Alarms.NeedHuman()
	if len(alarms) == 0 {
		return approve, nil
	}
	const most = 6
	var lines []string
	for _, a := range alarms[:min(len(alarms), most)] {
		lines = append(lines, "! "+a.String())
	}
	if more := len(alarms) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return dialog.Open{Dialog: dialog.Question{
		Of: dialog.KindApprove, Title: "Approve with " + alarms.Count() + "?", Text: strings.Join(lines, "\n"),
		Yes: dialog.Button{Words: "approve", Intent: approve}, Diff: true,
	}}, nil
}

// warnApprove says which alarms there are.
func warnApprove(v *view.View) string { return v.Check.Alarms.String() }

func parseReject(v *view.View, args string) (intent.Intent, error) {
	if args == "" {
		return nil, errors.New("/reject needs notes: what has to change")
	}
	return move{Kind: core.KindReject, Text: args, Of: v.Submission, line: "/reject "}, nil
}

// parseTry runs a command line.
func parseTry(_ *view.View, args string) (intent.Intent, error) {
	if args == "" {
		return nil, errors.New("/try needs a command, such as /try make run; /shell opens a shell")
	}
	return intent.Shell{Command: args}, nil
}

// Intent implements [intent.Intent].
func (move) Intent() {}

// Run takes the move.
func (m move) Run(ctx context.Context, e *Env) (Result, error) {
	return do(ctx, e, core.Command{Kind: m.Kind, Text: m.Text, Ticket: m.Of})
}

// CommandLine returns the move as it would be typed, where it has notes.
func (m move) CommandLine() string {
	if m.line == "" {
		return ""
	}
	return m.line + m.Text
}

// Answer answers the question or consultation that was shown when the human began to
// type, and nothing else.
type Answer struct{ intent.Answer }

// Run gives the answer.
func (a Answer) Run(ctx context.Context, e *Env) (Result, error) {
	if _, err := e.checkFiles(core.SlotNamed(a.Ask.Who), a.Text); err != nil {
		return Result{}, err
	}
	kind := machine.Kind(core.KindAnswer)
	if a.Ask.Kind == view.Consultation {
		kind = core.KindRespondConsult
	}
	return do(ctx, e, core.Command{Kind: kind, Text: a.Text, Ticket: a.Ask.Ticket})
}

// CommandLine returns the answer.
func (a Answer) CommandLine() string { return a.Text }

// parseReset asks before the task is archived. Without a task there is only a hold, or a state that is not valid.
func parseReset(v *view.View, args string) (intent.Intent, error) {
	q := dialog.Question{
		Of: dialog.KindReset, Title: "Reset?", Yes: dialog.Button{Words: "archive the task", Intent: reset},
		Text: "This archives the task, stops its sessions and returns to Idle. Nothing is deleted.",
	}
	if v.Status.Title == "" {
		q.Yes.Words, q.Text = "reset", "There is no task to archive. This clears the hold and returns to Idle."
	}
	return dialog.Open{Dialog: q}, noArguments(args)
}

// parseQuit asks while sessions are running.
func parseQuit(v *view.View, args string) (intent.Intent, error) {
	n := v.Living() + v.Tasks.OtherSessions
	if n == 0 || args != "" || v.LooksOn {
		return intent.Quit{}, noArguments(args)
	}
	running, it := countRunning(n)
	q := dialog.Question{
		Of: dialog.KindQuit, Title: "Quit?", Yes: dialog.Button{Words: "stop and quit", Intent: intent.Quit{}},
		Text: fmt.Sprintf("%s Quitting stops %s and keeps the work", running, it),
	}
	if v.Resumable || v.Tasks.OtherSessions > 0 {
		q.Text += "; /resume continues it"
	}
	q.Text += "."
	if !v.StopOnExit {
		q.Text += fmt.Sprintf(" Or leave %s running for the next HQ to take over.", it)
		q.Other = &dialog.Button{Words: "leave running", Intent: intent.Quit{Leave: true}}
	}
	return dialog.Open{Dialog: q}, nil
}

// countRunning returns a sentence about the running sessions, and the pronoun for them.
func countRunning(n int) (sentence, them string) {
	if n == 1 {
		return "1 session is running.", "it"
	}
	return fmt.Sprintf("%d sessions are running.", n), "them"
}
