package ui

import (
	"testing"

	"slices"
	"strings"
	"time"

	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/prompt"
	"ferrus/ui/view"
)

// ran is the intent of a command that is run elsewhere.
type ran struct{ Name, Args string }

func (ran) Intent() {}

// runs returns a command of the test's table: it runs with everything that follows its name.
func runs(name, args string) prompt.Command {
	return prompt.Command{
		Name: name, Args: args, Help: "does " + name,
		Disabled: func(v *view.View, _ string) string { return v.Disabled[name] },
		Parse:    func(_ *view.View, args string) (intent.Intent, error) { return ran{name, args}, nil },
	}
}

// opens is a command that opens a dialog.
func openCommand(name string, make func(v *view.View, args string) dialog.Dialog) prompt.Command {
	c := runs(name, "")
	c.Parse = func(v *view.View, args string) (intent.Intent, error) { return dialog.Open{Dialog: make(v, args)}, nil }
	return c
}

// completes adds suggestions for the first word.
func completes(c prompt.Command, words func(v *view.View) []string) prompt.Command {
	c.Complete = func(v *view.View, typed []string) (all []view.Suggestion) {
		if len(typed) > 0 {
			return nil
		}
		for _, w := range words(v) {
			all = append(all, view.Suggestion{Word: w, Help: "does " + w})
		}
		return all
	}
	return c
}

func slotsOf(v *view.View) (all []string) {
	for _, p := range v.Panes {
		all = append(all, p.Slot)
	}
	return all
}

func specsOf(v *view.View) (all []string) {
	for _, s := range v.Found.Specs {
		all = append(all, s.Name)
	}
	return all
}

// testCommands has the names of HQ's commands, and the pages that belong to the screen.
var testCommands = func() prompt.Table {
	task := runs("task", "[text]")
	task.Plain = true
	tell := runs("tell", "<slot> <text>")
	tell.Talk, tell.OfTask = true, true
	milestones := completes(runs("milestones", "[spec]"), specsOf)
	milestones.NeedsCompletions = true
	attach := runs("attach", "<slot>")
	attach.Parse = func(v *view.View, args string) (intent.Intent, error) {
		i := slices.IndexFunc(v.Panes, func(p view.Pane) bool { return p.Slot == args })
		return intent.FocusPane{Number: v.Panes[i].Title.Number}, nil
	}
	model := runs("model", "[role model]")
	model.Complete = func(_ *view.View, typed []string) []view.Suggestion {
		all := [][]view.Suggestion{{{Word: "supervisor"}, {Word: "executor"}}, {{Word: "opus"}, {Word: "sonnet"}}}
		return append(all, nil)[min(len(typed), 2)]
	}
	model.Parse = func(_ *view.View, args string) (intent.Intent, error) {
		if args != "" {
			return ran{"model", args}, nil
		}
		return dialog.Open{Dialog: modelList()}, nil
	}
	return prompt.Table{
		task, runs("plan", "[text]"), runs("spec", "[text]"), milestones, runs("supervisor", ""), runs("executor", ""),
		runs("pair", "<task>"), completes(runs("check", "[--force | --cancel]"), func(*view.View) []string {
			return []string{"--force", "--cancel"}
		}),
		runs("approve", "[note]"), runs("reject", "<notes>"), runs("land", "[message]"), runs("retry", ""),
		runs("review", ""),
		runs("workflow", "[words]"), model, runs("register", "[flags]"), completes(runs("resume", "[slot]"), slotsOf),
		runs("trust", ""), attach, tell,
		openCommand("status", func(*view.View, string) dialog.Dialog { return dialog.Status() }),
		openCommand("inbox", func(*view.View, string) dialog.Dialog { return dialog.Inbox("") }),
		openCommand("show", func(_ *view.View, name string) dialog.Dialog { return dialog.Document(name) }),
		openCommand("log", func(*view.View, string) dialog.Dialog { return dialog.Log(view.EntryID{}) }),
		openCommand("diff", func(*view.View, string) dialog.Dialog { return dialog.Diff() }),
		runs("stop", ""), openCommand("reset", func(*view.View, string) dialog.Dialog {
			return askReset()
		}), runs("reset-spec", ""),
		openCommand("help", func(*view.View, string) dialog.Dialog { return dialog.HelpAtPrompt() }), runs("quit", ""),
	}
}()

func modelList() *dialog.List {
	l := &dialog.List{Of: dialog.KindModels, Title: "model of which role?"}
	for _, role := range strings.Fields("supervisor executor") {
		l.Items = append(l.Items, dialog.Item{Name: role, Intent: ran{"model", role}})
	}
	return l
}

func askReset() dialog.Dialog {
	return dialog.Question{
		Of: dialog.KindReset, Title: "Reset?", Text: "This archives the task.",
		Yes: dialog.Button{Words: "archive the task", Intent: ran{"reset", "sure"}},
	}
}

// A line that was being typed when a question opened does not answer it; the first key does, and so
// does a key after a pause.
func TestABurstOfKeysAnswersNoQuestion(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	b.press("/reset", "enter", "only yesterday")
	b.wanted(intent.SaveHistory{Line: "/reset"})
	b.shows("Reset?")
	b.now = b.now.Add(400 * time.Millisecond)
	b.press("y")
	b.shows("Press it again")
	b.now = b.now.Add(400 * time.Millisecond)
	b.press("y")
	b.wanted(ran{"reset", "sure"})
	b.press("/reset", "enter", "y")
	b.wanted(ran{"reset", "sure"})
}
