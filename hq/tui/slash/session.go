package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// openSession asks for a session: to plan, to write a spec, or without a purpose.
type openSession struct{ Mode, Role, Text string }

// session returns a command that asks for a session of a role.
func session(mode, role string) func(*view.View, string) (intent.Intent, error) {
	return func(_ *view.View, args string) (intent.Intent, error) {
		if mode == "free" && args != "" {
			return nil, fmt.Errorf("/%s takes no text: type it into the pane", role)
		}
		return openSession{mode, role, args}, nil
	}
}

// Intent implements [intent.Intent].
func (openSession) Intent() {}

// Run asks for the session.
func (s openSession) Run(ctx context.Context, e *Env) (Result, error) {
	words, slot := "A supervisor starts", core.SlotPlanner
	if machine.Role(s.Role) == machine.Executor {
		words, slot = "An executor starts", core.SlotExecutor
	}
	note, err := e.checkNewFiles(ctx, slot, s.Text, false)
	if err == nil {
		err = e.Sessions.Want(core.Request{Kind: core.Mode(s.Mode), Role: machine.Role(s.Role), Text: s.Text})
	}
	return Result{Text: withNote(words, note), Slot: slot}, err
}

// CommandLine returns the command with its text.
func (s openSession) CommandLine() string {
	if s.Text == "" {
		return ""
	}
	return "/" + s.Mode + " " + s.Text
}

// start starts the session of one slot now.
type start struct {
	once
	Slot core.Slot
	name string // in the sentence
	take bool   // from the session that has its work
}

// Run starts the session.
func (s start) Run(ctx context.Context, e *Env) (Result, error) {
	if s.take {
		return report("The lease is taken. Another "+string(s.Slot)+" starts", e.Sessions.TakeLease(ctx, s.Slot))
	}
	return report(strings.ToUpper(s.name[:1])+s.name[1:]+" starts", e.Sessions.Start(s.Slot))
}

// resume clears the hold and continues.
type resume struct{ once }

// parseResume takes a slot by the name on its pane, too.
func parseResume(v *view.View, args string) (intent.Intent, error) {
	words := strings.Fields(args)
	take := slices.Contains(words, "--take")
	args = strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "--take" }), " ")
	for _, p := range v.Panes {
		if p.Title.Name == args {
			args = p.Slot
		}
	}
	switch {
	case args == "" && take:
		return nil, errors.New("/resume --take needs a slot: executor or reviewer")
	case args == "":
		return resume{}, nil
	}
	return start{Slot: core.SlotNamed(args), name: "the " + args, take: take}, nil
}

// Run resumes.
func (resume) Run(ctx context.Context, e *Env) (Result, error) { return report(e.Sessions.Resume(ctx)) }

// stop stops every session and starts none.
type stop struct{ once }

// parseStop asks while sessions are running.
func parseStop(v *view.View, args string) (intent.Intent, error) {
	n := v.Living()
	if n == 0 || args != "" {
		return stop{}, noArguments(args)
	}
	running, them := countRunning(n)
	words := fmt.Sprintf("%s Stopping ends %s. The files stay as they are", running, them)
	if v.Resumable {
		words += ", and nothing starts again until /resume"
	}
	return dialog.Open{Dialog: dialog.Question{
		Of: dialog.KindStop, Title: "Stop?", Yes: dialog.Button{Words: "stop " + them, Intent: stop{}},
		Text: words + ".",
	}}, nil
}

// Run stops the sessions.
func (stop) Run(ctx context.Context, e *Env) (Result, error) {
	v := e.Viewer.View()
	words := "No session is running"
	switch {
	case slices.ContainsFunc(v.Panes, conductor.PaneView.Lives):
		words = "Stopping all sessions"
	case v.Resumable():
		words += ", and none starts"
	}
	if v.Resumable() {
		words += ". /resume continues"
	}
	return report(words, e.Sessions.Stop(ctx))
}

func parseAttach(v *view.View, args string) (intent.Intent, error) {
	p, err := paneOf(v, "attach", args)
	if err != nil {
		return nil, err
	}
	return intent.FocusPane{Number: p.Title.Number}, nil
}

// SwitchScreen continues a slot's session on its program's own screen, or back.
type SwitchScreen struct {
	once
	Slot core.Slot
}

func parseScreen(v *view.View, args string) (intent.Intent, error) {
	p, err := paneOf(v, "screen", args)
	if err != nil {
		return nil, err
	}
	return SwitchScreen{Slot: core.Slot(p.Slot)}, nil
}

// Run switches.
func (s SwitchScreen) Run(_ context.Context, e *Env) (Result, error) {
	words, err := e.Sessions.SwitchScreen(s.Slot)
	return Result{Text: words}, err
}

// message leaves a message for the session of a slot, or for its next one.
type message struct{ Slot, Text string }

func parseTell(v *view.View, args string) (intent.Intent, error) {
	name, text, _ := strings.Cut(args, " ")
	if text = strings.TrimSpace(text); text == "" {
		return nil, errors.New("/tell takes a slot and a text")
	}
	p, err := paneOf(v, "tell", name)
	if err != nil {
		return nil, err
	}
	return message{p.Slot, text}, nil
}

// Intent implements [intent.Intent].
func (message) Intent() {}

// Run leaves the message.
func (t message) Run(_ context.Context, e *Env) (Result, error) {
	note, err := e.checkFiles(core.Slot(t.Slot), t.Text)
	if err != nil {
		return Result{}, err
	}
	words, err := e.Sessions.SendMessage(core.Slot(t.Slot), t.Text)
	return report(withNote(words, note), err)
}

// CommandLine returns the message as it would be typed.
func (t message) CommandLine() string { return "/tell " + t.Slot + " " + t.Text }

// paneOf returns the pane that a command names.
func paneOf(v *view.View, command, name string) (*view.Pane, error) {
	var known []string
	for i := range v.Panes {
		p := &v.Panes[i]
		if name != "" && (p.Slot == string(core.SlotNamed(name)) || p.Title.Name == name) {
			return p, nil
		}
		known = append(known, p.Title.Name)
	}
	switch {
	case name == "" && len(v.Panes) == 1:
		return &v.Panes[0], nil
	case len(known) == 0:
		return nil, fmt.Errorf("/%s needs a session: there is none yet", command)
	}
	return nil, fmt.Errorf("/%s takes one of: %s", command, strings.Join(known, ", "))
}

// completeSlots suggests the slots that had a session.
func completeSlots(v *view.View, words []string) (all []view.Suggestion) {
	if len(words) > 0 {
		return nil
	}
	for _, p := range v.Panes {
		all = append(all, view.Suggestion{p.Title.Name, p.Title.Agent + "  " + p.Title.Status})
	}
	return all
}
