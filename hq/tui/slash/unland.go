package slash

import (
	"context"
	"errors"

	"ferrus/ui/intent"
	"ferrus/ui/prompt"
	"ferrus/ui/view"
)

// unlanding queues a task that reverts what another one landed.
type unlanding struct {
	once
	Task string
}

// parseUnland reads which task.
func parseUnland(_ *view.View, args string) (intent.Intent, error) {
	word, rest := prompt.Word(args)
	if word == "" {
		return nil, errors.New("/unland needs the number of a task that has landed, such as /unland 12")
	}
	return unlanding{Task: word}, noArguments(rest)
}

// Run queues it.
func (u unlanding) Run(ctx context.Context, e *Env) (Result, error) {
	added, err := e.Queue.Unland(ctx, u.Task)
	return report(added.Name()+" "+added.Title+" is queued", err)
}
