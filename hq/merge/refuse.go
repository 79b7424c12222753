package merge

import (
	"context"
	"fmt"

	"ferrus/hq/core"
	"ferrus/hq/land"
	"ferrus/hq/project"
	"ferrus/ui/text"
)

// returnRefused returns work to its executor whose commit a hook of the repository refuses, with what the hook said.
// The message quotes the submission, so the executor can submit it with another summary.
func returnRefused(ctx context.Context, of *project.Task, w core.World, refused *land.HookRefused) error {
	if w.Task.Workspace == nil {
		return refused
	}
	words := fmt.Sprintf("The hook checks the commit message, which consists of the task's title and the summary "+
		"of your submission: submit again with a summary that it accepts. It says:\n\n%s\n",
		text.Fence("", refused.Words))
	return land.Return(ctx, of, w.Task.Workspace.From, refused.What, words, nil)
}
