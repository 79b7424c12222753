package slash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ferrus/hq/guide"
	"ferrus/hq/spec"
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/prompt"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

func completeShow(v *view.View, words []string) (all []view.Suggestion) {
	switch {
	case len(words) == 0:
		return append(suggest(v.DocumentNames()), v.Found.Tasks...)
	case len(words) == 1 && words[0] == view.SpecDocument:
		return specNames(v)
	}
	return nil
}

func parseTasks(v *view.View, args string) (intent.Intent, error) {
	switch {
	case args != "":
		return nil, errors.New("/tasks takes no argument")
	case len(v.Tasks.Rows) == 0:
		return nil, errors.New("there is no other task: ferrus task add queues one")
	}
	return dialog.Open{Dialog: dialog.Tasks()}, nil
}

func parseShow(v *view.View, args string) (intent.Intent, error) {
	names := v.DocumentNames()
	name, rest := prompt.Word(args)
	switch {
	case name == view.SpecDocument:
		return showSpec{Name: rest}, nil
	case rest == "" && strings.HasPrefix(name, "t-"): // the id of a task
		return showTask{ID: name}, nil
	case len(names) == 0:
		return nil, errors.New("there are no texts yet: they come with a task")
	case args == "":
		args = names[0]
	case !slices.Contains(names, args):
		return nil, fmt.Errorf("/show takes one of: %s, or the id of a task", strings.Join(names, ", "))
	}
	if args == view.SpecDocument {
		return showSpec{}, nil
	}
	return dialog.Open{Dialog: dialog.Document(args)}, nil
}

// showSpec shows a spec, the newest if none is named.
type showSpec struct {
	once
	Name string
}

// Run reads the spec.
func (s showSpec) Run(_ context.Context, e *Env) (Result, error) {
	v := e.Viewer.View()
	s.Name = cmp.Or(s.Name, v.Spec)
	one, err := e.findSpec(s.Name)
	if err != nil {
		return Result{}, err
	}
	content, err := readSpec(v.Project, one)
	return Result{Page: Page{one.Path, content}}, err
}

func readSpec(project string, s spec.Spec) (string, error) {
	text, err := spec.Dir{Project: project}.ReadText(s.Path)
	if err != nil {
		return "", fmt.Errorf("read the spec: %w", err)
	}
	return text, nil
}

// showTask shows the texts of a task, by its id.
type showTask struct {
	once
	ID string
}

// Run reads the texts.
func (s showTask) Run(_ context.Context, e *Env) (Result, error) {
	texts, err := e.Project.TaskTexts(s.ID)
	return Result{Page: Page{text.Sanitize(s.ID), texts}}, err
}

// showStats shows what tasks took.
type showStats struct{ once }

// Run adds it up.
func (showStats) Run(_ context.Context, e *Env) (Result, error) {
	words, err := e.Project.Stats()
	return Result{Page: Page{"stats", "```\n" + words + "```\n"}}, err
}

func parseHelp(_ *view.View, args string) (intent.Intent, error) {
	if args == "" {
		return dialog.Open{Dialog: dialog.HelpAtPrompt()}, nil
	}
	if topic, ok := guide.Find(args); ok { // a command of the same name has a slash before it
		return dialog.Open{Dialog: dialog.Guide("help "+topic.Name, topic.ForTerminal())}, nil
	}
	name := strings.TrimPrefix(args, "/")
	c, ok := Table.Lookup(name)
	if !ok {
		return nil, fmt.Errorf("unknown command /%s: /help lists all", text.Sanitize(name))
	}
	return dialog.Open{Dialog: dialog.HelpOn(c)}, nil
}

func completeHelp(_ *view.View, words []string) (all []view.Suggestion) {
	if len(words) > 0 {
		return nil
	}
	for _, c := range Table {
		all = append(all, view.Suggestion{c.Name, c.Help})
	}
	for _, topic := range Topics() {
		all = append(all, view.Suggestion{topic.Name, topic.Summary})
	}
	return all
}

// Topics returns the topics of the guide for the help.
var Topics = sync.OnceValue(func() (all []dialog.Topic) {
	for _, topic := range guide.List() {
		all = append(all, dialog.Topic{Name: topic.Name, Summary: topic.Summary})
	}
	return all
})
