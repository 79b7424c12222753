package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"ferrus/hq/core"
	"ferrus/hq/pair"
	"ferrus/machine"
	"ferrus/ui"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// person is who gives the commands of the screen.
var person = core.Actor{Role: machine.Human, ID: "person"}

// do takes an intent from the screen. What may wait is returned as a command,
// which runs on a goroutine of its own.
func (d *deck) do(i ui.Intent) tea.Cmd {
	switch i := i.(type) {
	case ui.Input:
		if !d.typed.put(core.Slot(i.Slot), i.Data) {
			return said("the agent does not read what is typed: this was left out", true)
		}
	case ui.Resize:
		d.engine.Resize(core.Slot(i.Slot), i.Columns, i.Rows)
	case ui.Copy:
		return d.copy(i)
	case ui.SaveHistory:
		if d.options.Remember != nil {
			d.options.Remember(i.Line) // at once: lines keep the order in which they were sent
		}
	case ui.SaveLayout:
		if d.options.Keep != nil {
			d.kept.Store(&i.Kept)
			return d.keep
		}
	case ui.LoadEntry:
		return func() tea.Msg { return d.story(i.Entry) }
	case ui.ReadSpec:
		return func() tea.Msg { return d.spec(i.Name) }
	case ui.ReadTask:
		return func() tea.Msg { return d.old(i.ID) }
	case ui.ListRuns:
		return d.runs
	case ui.LoadCompletions:
		return func() tea.Msg { return ui.FoundMsg{Found: d.found()} }
	case ui.LoadDiff:
		return d.change
	case ui.Notify:
		if bytes := d.notification(i.Text); bytes != "" {
			return tea.Raw(bytes)
		}
	case ui.OpenEditor:
		return d.write(i.Text)
	case ui.Suspend:
		return d.terminal.Suspend(d.ctx, func(err error) tea.Msg {
			if err != nil {
				return ui.DoneMsg{Text: err.Error(), Error: true}
			}
			return ui.DoneMsg{}
		})
	case ui.Quit:
		d.wished.Store(!i.Leave)
		return d.terminal.Release(d.ctx, tea.Quit)
	default:
		return func() tea.Msg { return d.carry(i) }
	}
	return nil
}

// keep keeps what the screen is like by now, whichever command is last.
func (d *deck) keep() tea.Msg {
	d.keeping.Lock()
	defer d.keeping.Unlock()
	d.options.Keep(*d.kept.Load())
	return nil
}

func said(text string, isError bool) tea.Cmd {
	return func() tea.Msg { return ui.DoneMsg{Text: text, Error: isError} }
}

// carry does what an intent asks and says how it went. Text that was refused is
// given back.
func (d *deck) carry(i ui.Intent) tea.Msg {
	switch i := i.(type) {
	case ui.Milestones:
		return d.specs(i.Spec)
	case ui.Workflow:
		return d.workflow(i)
	case ui.Land:
		return d.land(i)
	}
	text, err := d.command(i)
	if err != nil {
		return ui.DoneMsg{Text: err.Error(), Error: true, Line: retype(i)}
	}
	return ui.DoneMsg{Text: text}
}

func (d *deck) command(i ui.Intent) (string, error) {
	switch i := i.(type) {
	case ui.Task:
		return d.task(i)
	case ui.Session:
		return d.session(i)
	case ui.SelectMilestone:
		return d.choose(i)
	case ui.RunCheck:
		return d.check(i)
	case ui.Answer:
		return d.answer(i)
	case ui.Approve:
		return d.give(core.KindApprove, i.Note, "approved")
	case ui.Reject:
		return d.give(core.KindReject, i.Notes, "sent back")
	case ui.Retry:
		return d.give(core.KindRetry, "", "going on with the task")
	case ui.Reset:
		return d.give(core.KindReset, "", "the task is in the archive")
	case ui.Resume:
		return d.resume(i)
	case ui.Review:
		return "a reviewer starts", d.engine.Start(core.SlotReviewer)
	case ui.Tell:
		return d.engine.SendMessage(core.Slot(i.Slot), i.Text)
	case ui.Stop:
		return "all sessions were told to end; /resume goes on", d.engine.Stop(d.ctx)
	case ui.SetModel:
		return d.model(i)
	case ui.Trust:
		return d.trust()
	case ui.Pair:
		return d.options.Pair(d.ctx, pair.Request{Again: i.Again, ID: i.ID, Accept: i.Accept, Options: pair.Options{
			Task: i.Task, Primary: i.Primary, Secondary: i.Secondary, Mode: pair.Mode(i.Mode),
			MaxIterations: i.Limit, Words: pair.Words{Done: i.Done},
		}})
	case ui.Register:
		return d.options.Register(d.ctx, i.Flags)
	}
	return "", fmt.Errorf("carry out %T: nobody knows how", i)
}

// give gives a command that is one event with a text.
func (d *deck) give(kind machine.Kind, text, words string) (string, error) {
	_, err := d.engine.Do(d.ctx, core.Command{Kind: kind, By: person, Text: text})
	return words, err
}

func (d *deck) task(i ui.Task) (string, error) {
	if i.Now {
		_, err := d.engine.Do(d.ctx, core.Command{Kind: core.KindCreateTask, By: person, Text: i.Text, Changes: i.Changes})
		return "the task is created", err
	}
	return "a supervisor starts", d.engine.Want(core.Request{Kind: core.ModeTask, Role: machine.Supervisor, Text: i.Text, Manual: i.Manual, Again: i.Again, Changes: i.Changes})
}

func (d *deck) session(i ui.Session) (string, error) {
	w := core.Request{Kind: core.Mode(i.Mode), Role: machine.Role(i.Role), Text: i.Text}
	return "a session of the " + i.Role + " starts", d.engine.Want(w)
}

func (d *deck) check(i ui.RunCheck) (string, error) {
	switch {
	case i.Force:
		return d.force()
	case i.Cancel && d.forced.cancel():
		return "the check is cancelled", nil
	case i.Cancel:
		return "the check is cancelled", d.engine.CheckCancel(d.ctx)
	}
	return d.give(core.KindCheck, "", "the check runs")
}

// force says nothing of a check that was cancelled: who cancels it is told.
func (d *deck) force() (string, error) {
	err := d.forced.run(d.ctx, d.engine.CheckForce)
	if errors.Is(err, context.Canceled) {
		return "", nil
	}
	return "the check ran; no state was changed", err
}

// forced is the check that a person runs beside the task. No ticket stands for
// it, so only who started it can end it.
type forced struct {
	mu  sync.Mutex
	end context.CancelFunc // guarded by mu; nil: none runs
}

func (f *forced) run(ctx context.Context, check func(context.Context) error) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	f.mu.Lock()
	if f.end != nil {
		f.mu.Unlock()
		return errors.New("a check runs already: /check --cancel ends it")
	}
	f.end = end
	f.mu.Unlock()
	err := check(ctx)
	f.mu.Lock()
	f.end = nil
	f.mu.Unlock()
	return err
}

// cancel reports whether there was one to end.
func (f *forced) cancel() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.end == nil {
		return false
	}
	f.end()
	return true
}

// answer answers what was asked when the person began to type, and nothing else.
func (d *deck) answer(i ui.Answer) (string, error) {
	kind, words := machine.Kind(core.KindAnswer), "answered"
	if i.Ask.Kind == view.Consultation {
		kind, words = core.KindRespondConsult, "answered in place of the consultant"
	}
	_, err := d.engine.Do(d.ctx, core.Command{Kind: kind, By: person, Text: i.Text, Ticket: i.Ask.Ticket})
	return words, err
}

func (d *deck) resume(i ui.Resume) (string, error) {
	if i.Slot != "" {
		return "the " + i.Slot + " starts", d.engine.Start(core.Slot(i.Slot))
	}
	return d.engine.Resume(d.ctx)
}

func (d *deck) model(i ui.SetModel) (string, error) {
	words := fmt.Sprintf("the %s runs on %s from its next session on", i.Role, i.Model)
	if i.Model == "" {
		words = fmt.Sprintf("the %s runs on its agent's own model from its next session on", i.Role)
	}
	return words, d.engine.SetModel(i.Role, i.Model)
}

// trust lets the commands run that the screen shows.
func (d *deck) trust() (string, error) {
	shown := d.engine.View().Gate.Untrusted
	if len(shown) == 0 || d.options.Trust == nil {
		return "nothing to do: the check commands may run on this machine", nil
	}
	return "these check commands may run on this machine: " + text.Sanitize(strings.Join(shown, "; ")), d.options.Trust(d.ctx, shown)
}
