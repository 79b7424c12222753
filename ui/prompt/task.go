package prompt

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ferrus/ui/intent"
	"ferrus/ui/text/lazyregexp"
	"ferrus/ui/view"
)

// taskWord is a task, such as #14, or one of its slots: #14/executor.
var taskWord = lazyregexp.New(`^(#[0-9]+)(?:/(.*))?$`)

// cutTask returns the number of the task that some arguments begin with, if the command is about a task,
// and the arguments without it; empty: they name none.
func (c Command) cutTask(args string) (number, rest string) {
	word, rest := Word(args)
	found := taskWord.FindStringSubmatch(word)
	if !c.OfTask || found == nil {
		return "", args
	}
	return found[1], strings.TrimSpace(found[2] + " " + rest)
}

// inTask returns the intent that executes a line once the task with a number is
// selected.
func inTask(v *view.View, number, line string) (intent.Intent, error) {
	at := slices.IndexFunc(v.Tasks.Rows, func(r view.TaskRow) bool { return r.Number == number })
	switch {
	case at < 0:
		return nil, fmt.Errorf("there is no open task %s", number)
	case v.Tasks.Rows[at].ID == "":
		return nil, errors.New(v.Tasks.Rows[at].NotStarted())
	}
	return intent.InTask{ID: v.Tasks.Rows[at].ID, Number: number, Line: line}, nil
}

// suggest suggests the word after those already typed, as far as it is begun.
func (c Command) suggest(v *view.View, words []string, begun string) (all []view.Suggestion) {
	if c.OfTask && len(words) == 0 && strings.HasPrefix(begun, "#") {
		for _, r := range v.Tasks.Rows {
			all = append(all, view.Suggestion{Word: r.Number, Help: r.Title})
		}
		return all
	}
	if c.OfTask && len(words) > 0 && taskWord.MatchString(words[0]) {
		words = words[1:]
	}
	if c.Complete == nil {
		return nil
	}
	return c.Complete(v, words)
}
