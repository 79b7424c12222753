package slash

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ferrus/hq/queue"
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/prompt"
	"ferrus/ui/view"
)

// queueSpec queues the open milestones of a specification.
type queueSpec struct{ Spec string }

// listProposed shows the tasks that a supervisor proposed.
type listProposed struct{ once }

// proposal is what you do with a proposed task; N is 0 for all of them.
type proposal struct {
	once
	Do   string // approve, cancel, edit
	N    int
	Text string // its new text
}

// queueWords are the subcommands of /queue; any other word names a specification.
var queueWords = []view.Suggestion{
	{"approve", "approve proposed tasks: all, or the one with this number"},
	{"edit", "change the text of a proposed task"},
	{"cancel", "take a proposed task out of the queue"},
}

// completeQueue suggests specifications and subcommands.
func completeQueue(v *view.View, words []string) []view.Suggestion {
	if len(words) > 0 {
		return nil
	}
	return append(specNames(v), queueWords...)
}

// parseQueue parses the arguments of /queue.
func parseQueue(_ *view.View, args string) (intent.Intent, error) {
	word, rest := prompt.Word(args)
	switch word {
	case "":
		return listProposed{}, nil
	case "approve", "cancel", "edit":
	default:
		return queueSpec{Spec: word}, noArguments(rest)
	}
	if rest == "" && word == "approve" {
		return proposal{Do: word}, nil
	}
	number, text := prompt.Word(rest)
	n, err := strconv.Atoi(strings.TrimPrefix(number, "#"))
	switch {
	case err != nil || n < 1:
		return nil, fmt.Errorf("/queue %s needs the number of a task, such as /queue %s 14", word, word)
	case word == "edit" && text == "":
		return nil, errors.New("/queue edit needs the new text of the task")
	case word == "edit":
		return proposal{Do: word, N: n, Text: text}, nil
	}
	return proposal{Do: word, N: n}, noArguments(text)
}

// Intent implements [intent.Intent].
func (queueSpec) Intent() {}

// CommandLine returns how it is typed.
func (q queueSpec) CommandLine() string { return "/queue " + q.Spec }

// Run queues the milestones.
func (q queueSpec) Run(ctx context.Context, e *Env) (Result, error) {
	s, err := e.findSpec(q.Spec)
	if err != nil {
		return Result{}, err
	}
	added, err := e.Queue.QueueSpec(ctx, s)
	if err != nil {
		return Result{}, err
	}
	return report(fmt.Sprintf("%s of %s queued: %s", count(len(added), "milestone is", "milestones are"), s.Name(),
		rangeOf(added)), nil)
}

// count returns a number with what it counts.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// rangeOf names items that were added together.
func rangeOf(all []queue.Item) string {
	if len(all) == 1 {
		return all[0].Name()
	}
	return all[0].Name() + " to " + all[len(all)-1].Name()
}

// Run lists the proposed tasks in a dialog.
func (listProposed) Run(_ context.Context, e *Env) (Result, error) {
	l := &dialog.List{Of: dialog.KindProposed, Title: "proposed tasks"}
	for _, row := range e.Viewer.View().Tasks {
		if !row.Proposed() {
			continue
		}
		text, err := e.Queue.Request(row.N)
		if err != nil {
			return Result{}, err
		}
		n := row.Name()[1:]
		l.Items = append(l.Items, dialog.Item{Name: row.Name() + " " + row.Title, Words: waitWords(row),
			List: &dialog.List{Of: dialog.KindProposed, Title: row.Name() + " " + row.Title, Items: []dialog.Item{
				{Name: "approve", Words: "it starts when its turn comes", Intent: proposal{Do: "approve", N: row.N}},
				{Name: "edit", Words: "its text, at the prompt",
					Intent: intent.Prefill{Text: "/queue edit " + n + " " + text}},
				{Name: "cancel", Words: "take it out of the queue", Intent: proposal{Do: "cancel", N: row.N}},
			}}})
	}
	switch len(l.Items) {
	case 0:
		return report("No task is proposed: /plan plans some with a supervisor, /queue <spec> queues milestones", nil)
	case 1:
		return Result{Dialog: l.Items[0].List}, nil
	}
	l.Items = append([]dialog.Item{{Name: "approve all", Words: fmt.Sprintf("%d tasks start when their turn comes",
		len(l.Items)), Intent: proposal{Do: "approve"}}}, l.Items...)
	return Result{Dialog: l}, nil
}

// waitWords say what a proposed task will wait for.
func waitWords(row queue.Row) string {
	var words []string
	for _, n := range row.After {
		words = append(words, fmt.Sprintf("#%d", n))
	}
	if len(words) == 0 {
		return ""
	}
	return "after " + strings.Join(words, ", ")
}

// Run approves, edits or cancels.
func (p proposal) Run(ctx context.Context, e *Env) (Result, error) {
	switch p.Do {
	case "approve":
		approved, err := e.Queue.ApproveProposed(ctx, p.N)
		if err != nil {
			return Result{}, err
		}
		if len(approved) == 1 {
			return report(approved[0].Name()+" "+approved[0].Title+" is approved", nil)
		}
		return report(fmt.Sprintf("%d tasks are approved", len(approved)), nil)
	case "edit":
		return report(fmt.Sprintf("#%d has its new text", p.N), e.Queue.Rewrite(ctx, p.N, p.Text))
	}
	return report(fmt.Sprintf("#%d is cancelled", p.N), e.Queue.CancelProposed(ctx, p.N))
}
