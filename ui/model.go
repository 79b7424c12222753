// Package ui draws HQ and turns keys into intents.
//
// A frame is drawn from two things: a [view.View], which is projected from the
// project's state, and a [Model], which holds only the state of the screen: focus,
// typed text, scroll positions, zoom and dialogs. Pass a View in as a [ViewMsg]; what
// the human wants comes out as an [intent.Intent] through the function given to [New],
// and its outcome comes back as a [DoneMsg].
//
// The parts are separate packages, from the bottom up: text, style, keys, view and
// intent; pager, pane and prompt; dialog. This one arranges them on the screen, gives
// the keys to one of them, and does what an intent wants of the screen itself.
//
// Nothing here does I/O, reads a clock or knows what a task is. Every frame is exactly
// as wide and as high as the terminal.
package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/prompt"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// Options are what a Model is made with.
type Options struct {
	// Do takes an intent that is not about the screen. It is called on the loop that
	// draws, so it only returns the command that does what is wanted.
	Do  func(intent.Intent) tea.Cmd
	Now func() time.Time
	// After returns a command that sends a message after some time; nil: no time passes.
	After    func(time.Duration, tea.Msg) tea.Cmd
	Commands prompt.Table
	Topics   func() []dialog.Topic // of the guide; it is called when they are shown. nil: there are none
	History  []string              // of the prompt, oldest first
	Layout   view.SavedLayout      // of the last time
	Terminal style.Terminal
}

// Model is what the human did to the screen. It is a [tea.Model].
type Model struct {
	options   Options
	view      view.View // what is true now
	caps      style.Caps
	theme     *style.Theme // as caps says
	keys      bindings
	screen    screen
	prompt    prompt.Model
	layer     dialog.Layer
	notices   notices
	inbox     inbox
	viewed    viewed
	attention attention
}

// bindings are the keys as they are bound now, and where the next one counts.
type bindings struct {
	keys.Map
	asked    map[string][]string // what the map was made from
	leader   bool                // the next key is one after the leader
	moving   bool                // a border was moved by the last key
	prefix   bool                // the last key was Ctrl+X at the prompt
	quitting time.Time           // when the key that quits was pressed first
}

// New makes the screen. Nothing is drawn before its size is known.
func New(o Options) *Model {
	if o.Now == nil {
		o.Now = func() time.Time { return time.Time{} }
	}
	if o.After == nil {
		o.After = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	}
	m := &Model{
		options: o, caps: style.Caps{Terminal: o.Terminal}, theme: style.NewTheme(!o.Terminal.Light),
		keys: bindings{Map: Keys}, prompt: prompt.New(o.Commands, o.History), viewed: newViewed(o.Layout.Viewed),
		notices: notices{after: o.After},
	}
	m.screen = newScreen(&m.view, o.Layout.Split)
	return m
}

// Init asks the terminal whether it is light or dark.
func (m *Model) Init() tea.Cmd { return m.caps.Query() }

// Dialog returns the open dialog; nil if there is none.
func (m *Model) Dialog() dialog.Kind {
	if d := m.layer.Open(); d != nil {
		return d.Kind()
	}
	return dialog.None
}

// frame draws a model once. What it draws depends on the model alone.
type frame struct {
	*Model
	t *style.Theme
	w int
}

// context returns what dialogs may look at.
func (m *Model) context() dialog.Context {
	return dialog.Context{
		View: &m.view, Theme: m.theme, Now: m.options.Now(), Keys: m.keys.Map, Commands: m.options.Commands,
		Topics: m.options.Topics, Viewed: m.viewed.marked, Snoozed: m.inbox.snoozed, Typing: m.prompt.Value() != "",
	}
}

// say shows a sentence about the last key.
func (m *Model) say(sentence string, isError bool) {
	m.notices.add(text.Sanitize(sentence), isError, true, false, m.options.Now())
}

// announce shows a sentence that came while the human may have done something else.
func (m *Model) announce(sentence string, isError bool) {
	m.notices.add(text.Sanitize(sentence), isError, false, true, m.options.Now())
}

// fitPanes tells the size that every slot has, also those without a session: that is
// the size that their next one begins with.
func (m *Model) fitPanes() tea.Cmd {
	s := &m.screen
	if s.shape == tiny {
		return nil
	}
	var cmds []tea.Cmd
	for _, slot := range allSlots {
		r := s.room(slot.name, slot.left)
		size := [2]int{r.Inner().W, r.Inner().H}
		if s.sentSizes[slot.name] != size {
			s.sentSizes[slot.name] = size
			cmds = append(cmds, m.options.Do(intent.Resize{Slot: slot.name, Columns: size[0], Rows: size[1]}))
		}
	}
	return tea.Batch(cmds...)
}

// allSlots are the places for sessions, with the side that they are shown on.
var allSlots = []struct {
	name string
	left bool
}{{"planner", true}, {"executor", false}, {"consultant", true}, {"reviewer", true}}

// saveLayout hands out what is to stay for the next time.
func (m *Model) saveLayout() tea.Cmd {
	kept := view.SavedLayout{Split: m.screen.split, Viewed: slices.Clone(m.viewed.order)}
	return m.options.Do(intent.SaveLayout{Layout: kept})
}

// input types into the session of a pane.
func (m *Model) input(p *view.Pane, data []byte) tea.Cmd {
	if len(data) == 0 {
		return nil
	}
	m.attention.awaited.given = 0
	return m.options.Do(intent.Input{Task: m.view.Tasks.Selected, Slot: p.Slot, Data: data})
}
