package demo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// execute does what the state calls for, again and again, until the work is submitted. It
// remembers nothing between two rounds.
func (p *demoAgent) execute(ctx context.Context) error {
	if !exists(p.Dir) {
		return fmt.Errorf("demo agent: %s is not the demo's repository; start one with: ferrus demo", p.Dir)
	}
	for refusals := 0; refusals < 3; {
		now, err := p.wait(ctx, "wait_for_task")
		if err == nil {
			now, err = p.handleTask(ctx, now)
		}
		if errors.Is(err, errOver) || err == nil && now.Status == "parked" {
			return nil // ferrus starts the next session when there is an answer
		}
		if err != nil {
			return err
		}
		if now.refused {
			refusals++
		} else {
			refusals = 0
		}
	}
	return errors.New("demo agent: refused three times in a row")
}

// handleTask acts on one answer of wait_for_task.
func (p *demoAgent) handleTask(ctx context.Context, now answer) (answer, error) {
	if now.refused {
		return now, nil
	}
	if now.Status != "claimed" {
		return now, p.idle(now)
	}
	if now.Task != "" {
		p.task = now.Task
	}
	if err := p.answerComments(ctx, now); err != nil {
		return answer{}, err
	}
	if now.Next == "wait_for_answer" {
		return p.wait(ctx, now.Next) // you may have answered before the agent waited
	}
	switch now.State {
	case "Consultation":
		return p.wait(ctx, "wait_for_consult")
	case "AwaitingHuman":
		return p.wait(ctx, "wait_for_answer")
	case "Checking":
		return p.submit(ctx)
	}
	if j := jobOf(now.Task); j != nil {
		return p.work(ctx, j, now)
	}
	if now.State == "Executing" {
		return p.writeFirst(ctx, now)
	}
	if now.Review == "" {
		return p.fixBug(ctx, now)
	}
	return p.addressReview(ctx, now)
}

// commented is the heading of a comment in the review notes.
var commented = lazyregexp.New(`(?m)^### (c[0-9]+):`)

// answerComments answers the human's comments on the change: a script has no other answer.
func (p *demoAgent) answerComments(ctx context.Context, now answer) error {
	var ids []string
	for _, c := range now.Comments {
		ids = append(ids, c.ID)
	}
	for _, found := range commented.FindAllStringSubmatch(now.Review, -1) {
		ids = append(ids, found[1])
	}
	all := strings.Join(ids, ", ")
	if all == "" || all == p.resolved {
		return nil
	}
	p.say("your comments " + all + ": I follow a script, and it has no line for them")
	a, err := p.call(ctx, "resolve_comment", map[string]any{"id": all, "status": "declined",
		"note": "The demo follows a script. A coding agent would act on this, or say why not."})
	if err == nil && !a.refused {
		p.resolved = all
	}
	return err
}

// idle handles a wait that brought no work.
func (p *demoAgent) idle(now answer) error {
	if now.Status == "message" {
		p.say(now.Message)
		return nil
	}
	if now.Status == "parked" || idleStates[now.State] {
		return errOver
	}
	return nil
}

// writeFirst writes the first version, which is off by one.
func (p *demoAgent) writeFirst(ctx context.Context, now answer) (answer, error) {
	if strings.Contains(now.Task, notesFile) {
		if err := p.write(ctx, noted); err != nil {
			return answer{}, err
		}
		return p.submit(ctx)
	}
	if isFinished(p.Dir) {
		p.say("the code of the only story I know is here already: I keep it, and note the task")
		if err := p.write(ctx, later(p.Dir, now.Task)); err != nil {
			return answer{}, err
		}
		return p.submit(ctx)
	}
	if fixed.in(p.Dir) {
		return p.submit(ctx)
	}
	p.say("a Sender of its own, and tests for it")
	if err := p.write(ctx, broken); err != nil {
		return answer{}, err
	}
	return p.check(ctx)
}

// fixBug fixes what the gate found, once the supervisor has said how.
func (p *demoAgent) fixBug(ctx context.Context, now answer) (answer, error) {
	if fixed.in(p.Dir) {
		return p.checkThenSubmit(ctx)
	}
	if last(now.Consults) == "" {
		return p.ask(ctx, "consult", script("consult.md"))
	}
	p.say("the first request counts: the loop starts at 1")
	if err := p.write(ctx, fixed); err != nil {
		return answer{}, err
	}
	return p.checkThenSubmit(ctx)
}

// addressReview does what the review notes ask for, once the human has decided.
func (p *demoAgent) addressReview(ctx context.Context, now answer) (answer, error) {
	reply := last(now.Answers)
	if reply == "" {
		return p.ask(ctx, "ask_human", script("question.md"))
	}
	p.say("you answered: " + oneLine(reply))
	if err := p.write(ctx, decided(reply)); err != nil {
		return answer{}, err
	}
	return p.checkThenSubmit(ctx)
}

// last returns the newest answer.
func last(all []exchange) string {
	for _, one := range slices.Backward(all) {
		if one.Answer != "" {
			return one.Answer
		}
	}
	return ""
}

func (p *demoAgent) ask(ctx context.Context, tool, question string) (answer, error) {
	p.quote("asks", question)
	if err := p.step(ctx); err != nil {
		return answer{}, err
	}
	return p.call(ctx, tool, map[string]any{"question": question})
}

// check runs the gate and waits for its verdict.
func (p *demoAgent) check(ctx context.Context) (answer, error) {
	if err := p.step(ctx); err != nil {
		return answer{}, err
	}
	return p.gate(ctx, "check", map[string]any{})
}

func (p *demoAgent) gate(ctx context.Context, tool string, arguments map[string]any) (answer, error) {
	for {
		a, err := p.call(ctx, tool, maps.Clone(arguments))
		if err != nil || a.Status != "running" {
			delete(p.cursors, tool) // the verdict is read: the next check is another one
			return a, err
		}
	}
}

func (p *demoAgent) checkThenSubmit(ctx context.Context) (answer, error) {
	a, err := p.check(ctx)
	if err != nil || a.refused {
		return a, err
	}
	if a.Status != "passed" {
		const wrong = "demo agent: the checks say %s about correct code; fix what does not come from the demo"
		return a, fmt.Errorf(wrong, a.Status)
	}
	return p.submit(ctx)
}

// submit submits the work; after that nothing is left to do.
func (p *demoAgent) submit(ctx context.Context) (answer, error) {
	content := script("submission2.md")
	switch j := jobOf(p.task); {
	case j != nil:
		content = strings.Replace(script("submission_task.md"), "DONE", j.done, 1)
	case has(p.Dir, laterFile):
		content = script("submission4.md")
	case has(p.Dir, "repeat.go"):
		content = script("submission3.md")
	}
	p.quote("submits", content)
	if err := p.step(ctx); err != nil {
		return answer{}, err
	}
	a, err := p.gate(ctx, "submit", map[string]any{"content": content})
	switch {
	case err == nil && a.Status == "submitted":
		err = errOver
	case err == nil && a.refused && strings.Contains(a.text, "resolve_comment"):
		return p.resolve(ctx)
	}
	return a, err
}

// resolve answers your comments on the change: the story has no room for what they ask.
func (p *demoAgent) resolve(ctx context.Context) (answer, error) {
	list, err := p.resource(ctx, "comments")
	if err != nil {
		return answer{}, err
	}
	p.say("your comments get an answer, and the story continues")
	return p.call(ctx, "resolve_comment", map[string]any{
		"id": strings.Join(openComments(list), ","), "status": "declined",
		"note": "This agent plays a script and changes nothing else.",
	})
}

// openComments returns the ids of the comments in a list that have no answer.
func openComments(list string) (ids []string) {
	for i, one := range strings.Split(list, "\n### ") {
		if id, rest, ok := strings.Cut(one, ":"); ok && i > 0 && strings.Contains(rest+"\n", "\nOpen.\n") {
			ids = append(ids, id)
		}
	}
	return ids
}

// write writes the files of v and shows what changes.
func (p *demoAgent) write(ctx context.Context, v version) error {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		path := filepath.Join(p.Dir, name)
		before, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("read the code: %w", err)
		}
		if string(before) == v[name] {
			continue
		}
		if err := p.step(ctx); err != nil {
			return err
		}
		if err := p.diff(ctx, name, string(before), v[name]); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(v[name]), 0o644); err != nil {
			return fmt.Errorf("write the code: %w", err)
		}
	}
	return nil
}
