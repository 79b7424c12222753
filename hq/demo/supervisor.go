package demo

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// plan creates the task, unless one is open.
func (p *demoAgent) plan(ctx context.Context) error {
	now, err := p.call(ctx, "status", nil)
	if err != nil {
		return err
	}
	if now.State != "Idle" && now.State != "Complete" {
		p.say("there is a task already: " + now.State)
		return nil
	}
	return p.submitText(ctx, "create_task", "description", Text)
}

// specify writes a spec.
func (p *demoAgent) specify(ctx context.Context) error {
	return p.submitText(ctx, "create_spec", "markdown", script("spec.md"))
}

// submitText calls a tool with a text.
func (p *demoAgent) submitText(ctx context.Context, tool, parameter, text string) error {
	p.quote("writes", text)
	if err := p.step(ctx); err != nil {
		return err
	}
	return p.use(ctx, tool, map[string]any{parameter: text})
}

// consult answers the executor's question.
func (p *demoAgent) consult(ctx context.Context) error {
	question, err := p.resource(ctx, "consult_request")
	if err != nil {
		return err
	}
	if strings.TrimSpace(question) == "" {
		p.say("no question is open")
		return nil
	}
	p.quote("the executor asks", question)
	if err := p.step(ctx); err != nil {
		return err
	}
	response := script("response_other.md")
	if strings.Contains(question, "Attempts") {
		response = script("response.md")
	}
	return p.submitText(ctx, "respond_consult", "response", response)
}

// review decides about the submission: it rejects the first one.
func (p *demoAgent) review(ctx context.Context) error {
	now, err := p.wait(ctx, "wait_for_review")
	if err != nil {
		return err
	}
	if now.refused || now.Status != "claimed" {
		return nil // nothing to review: another reviewer was faster, or the task has moved on
	}
	if _, err := p.call(ctx, "review_pending", nil); err != nil {
		return err
	}
	p.quote("reads the submission", now.Submission)
	j := jobOf(now.Task)
	if err := p.read(ctx, j); err != nil {
		return err
	}
	if j == nil && now.Cycles == 0 && !strings.Contains(now.Task, notesFile) && !isFinished(p.Dir) {
		return p.submitText(ctx, "reject", "notes", script("review.md"))
	}
	if err := p.step(ctx); err != nil {
		return err
	}
	if now.Cycles > 0 {
		p.say("both notes are dealt with, and tested")
	}
	return p.use(ctx, "approve", nil)
}

// read shows the files that the reviewer reads; j is nil in the story of one task.
func (p *demoAgent) read(ctx context.Context, j *job) error {
	names := []string{"retry.go", "repeat.go"}
	if j != nil {
		names = slices.Sorted(maps.Keys(j.write(p.Dir, "")))
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			continue // it does not exist yet
		}
		if err := p.step(ctx); err != nil {
			return err
		}
		p.file(name, string(data))
	}
	return nil
}

// showStatus prints the status, which is all that a free session does.
func (p *demoAgent) showStatus(ctx context.Context) error {
	_, err := p.call(ctx, "status", nil)
	return err
}
