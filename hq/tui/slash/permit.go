package slash

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ferrus/hq/core"
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/prompt"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

var permitWords = []view.Suggestion{
	{Word: string(core.PermitOnce), Help: "this one"},
	{Word: string(core.PermitTask), Help: "and the same request again, for the rest of this task"},
	{Word: string(core.PermitNever), Help: "refuse it for this task; the text after it goes to the agent"},
}

// completePermit suggests the requests that wait and the answers, and after a request only the answers.
func completePermit(v *view.View, words []string) []view.Suggestion {
	switch {
	case len(words) == 0:
		return append(openRequests(v), permitWords...)
	case len(words) == 1 && isNumber(words[0]):
		return permitWords
	}
	return nil
}

// openRequests returns the numbers of the requests that the inbox shows of the selected task.
func openRequests(v *view.View) (all []view.Suggestion) {
	for _, item := range v.Inbox {
		if number, ok := strings.CutPrefix(item.Type, "/permit "); ok && item.Task == "" {
			all = append(all, view.Suggestion{Word: strings.TrimSpace(number), Help: item.Text})
		}
	}
	return all
}

func isNumber(word string) bool {
	_, err := strconv.ParseUint(word, 10, 64)
	return err == nil
}

// permit lists what agents asked to be permitted, or answers a request.
type permit struct {
	Number uint64 // 0: the only one that waits
	Answer string // with the words for the agent; empty: list them
}

func parsePermit(v *view.View, args string) (intent.Intent, error) {
	first, rest := prompt.Word(args)
	if first == "" {
		return permit{}, nil
	}
	number, err := strconv.ParseUint(first, 10, 64)
	if err != nil {
		rest = args
	}
	if err == nil && rest == "" {
		return readRequest{Number: number}, nil
	}
	if _, _, err := core.ParsePermission(rest); err != nil {
		return nil, errors.New("/permit takes once, task or never, after the number of a request if several wait")
	}
	if number == 0 {
		number = onlyRequest(v)
	}
	return permit{number, strings.TrimSpace(rest)}, nil
}

// readRequest shows the whole of a request, as plain text: it must not be drawn in the way that its author likes.
type readRequest struct {
	once
	Number uint64
}

// Run shows the whole request.
func (r readRequest) Run(_ context.Context, e *Env) (Result, error) {
	whole, err := e.Tasks.WholeRequest(r.Number)
	if err != nil {
		return Result{}, err
	}
	if whole == "" {
		return Result{}, fmt.Errorf("this task has no request %d: /permit lists them", r.Number)
	}
	return Result{Dialog: dialog.Message(dialog.KindDocument, fmt.Sprintf("request %d", r.Number), whole)}, nil
}

// onlyRequest returns the number of the request that the inbox shows; 0: it shows none, or several. Another that comes
// in its place is not answered.
func onlyRequest(v *view.View) (number uint64) {
	if v == nil {
		return 0
	}
	if open := openRequests(v); len(open) == 1 {
		number, _ = strconv.ParseUint(open[0].Word, 10, 64) // made of a number
	}
	return number
}

// Intent implements [intent.Intent].
func (permit) Intent() {}

// Run answers the request.
func (p permit) Run(ctx context.Context, e *Env) (Result, error) {
	if p.Answer == "" {
		return Result{Page: Page{"permissions", permissionList(e.Viewer.View().State.World)}}, nil
	}
	if _, err := do(ctx, e, core.Command{Kind: core.KindPermit, Ticket: p.Number, Text: p.Answer}); err != nil {
		return Result{}, err
	}
	answer, _, _ := core.ParsePermission(p.Answer) // it was accepted
	return report(strings.ToUpper(answer.Words()[:1])+answer.Words()[1:], nil)
}

// CommandLine returns the command as it would be typed.
func (p permit) CommandLine() string {
	if p.Number == 0 {
		return strings.TrimSpace("/permit " + p.Answer)
	}
	return fmt.Sprintf("/permit %d %s", p.Number, p.Answer)
}

// permissionList returns what was asked in a task, as Markdown.
func permissionList(w core.World) string {
	var lines []string
	for _, r := range w.OpenPermissions() {
		lines = append(lines, fmt.Sprintf("- %d: %s wants to %s: waits for you", r.Number, r.By, r.Wanted))
	}
	for _, a := range w.AnsweredPermissions() {
		lines = append(lines, fmt.Sprintf("- %d: %s wants to %s: %s", a.Number, a.By, a.Wanted, a.Answer.Words()))
	}
	if len(lines) == 0 {
		return "No permission has been requested in this task."
	}
	return text.SanitizeLines(strings.Join(lines, "\n"))
}
