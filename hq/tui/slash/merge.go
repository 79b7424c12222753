package slash

import (
	"context"
	"fmt"
	"strings"

	"ferrus/ui/intent"
	"ferrus/ui/prompt"
	"ferrus/ui/view"
)

// merging shows the merge queues, or decides about one that waits.
type merging struct {
	once
	Do   string // again, accept, resume; empty: show them
	Name string // a branch or a task, if several merges wait; empty: the only one
}

// mergeWords are what /merge does besides showing.
var mergeWords = []view.Suggestion{
	{"again", "check the flaky candidate again"},
	{"accept", "count the pass of the flaky candidate"},
	{"resume", "clear a hold of the merge queue"},
}

// parseMerge parses the arguments of /merge.
func parseMerge(_ *view.View, args string) (intent.Intent, error) {
	word, rest := prompt.Word(args)
	switch word {
	case "":
		return merging{}, nil
	case "again", "accept", "resume":
		name, more := prompt.Word(rest)
		return merging{Do: word, Name: name}, noArguments(more)
	}
	return nil, fmt.Errorf("/merge takes again, accept or resume, not %s", word)
}

// Run shows or decides.
func (m merging) Run(ctx context.Context, e *Env) (Result, error) {
	if m.Do != "" {
		decided, err := e.Queue.DecideMerge(ctx, m.Do, m.Name)
		return report(decided+": "+m.Do, err)
	}
	lines, err := e.Queue.Merges()
	if err != nil {
		return Result{}, err
	}
	if len(lines) == 0 {
		return report("Nothing has been merged yet: /land stages an approved task", nil)
	}
	return Result{Page: Page{"merges", "```\n" + strings.Join(lines, "\n") + "\n```\n"}}, nil
}
