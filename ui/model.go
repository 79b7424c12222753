// Package ui draws HQ and turns keys into intents.
//
// A frame is drawn from two things: a [view.View], which is projected from what is
// true, and a [Model], which holds only what the human did to the screen: what has the
// keys, what is typed, what is scrolled, zoomed or asked. Hand a View in as a
// [ViewMsg]; what the human wants comes out as an [Intent] through the function given
// to [New], and how that went comes back as a [DoneMsg].
//
// Nothing here does I/O, reads a clock or knows what a task is. Every frame is exactly
// as wide and as high as the terminal.
package ui

import (
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
	"ferrus/ui/vt"
)

// Options are what a Model is made with.
type Options struct {
	// Do carries an intent out. It is called on the loop that draws, so it must
	// not wait; what takes time belongs into the command it returns.
	Do      func(Intent) tea.Cmd
	Now     func() time.Time
	History []string         // oldest first
	Kept    view.SavedLayout // what the person did to the screen before

	Terminal style.Terminal
}

// Model is what a person did to the screen. It is a [tea.Model].
type Model struct {
	view       view.View
	size       layout
	screen     screen
	prompt     prompt
	keys       []Key               // the table as it is bound now
	bound      map[string][]string // what keys was made from
	dialog     dialog              // nil: none is open
	notice     view.Notice
	inbox      inbox
	reading    copyMode
	lift       screenSelection
	offered    map[*vt.Locked]int // how often the agent there offered text for the clipboard
	offering   int                // the pane whose agent did last
	viewed     viewed             // patches that the person looked through
	presence   attention
	able       style.Caps
	theme      *style.Theme // as able says
	canvases   map[string]*canvas
	sizes      map[string][2]int // columns and rows that each slot was told
	quitting   time.Time         // of the first Ctrl+C
	discovered string            // the command that was looked for last; empty: none is typed
	do         func(Intent) tea.Cmd
	now        func() time.Time
}

// New makes the screen. Nothing is drawn before the size is known.
func New(o Options) *Model {
	if o.Now == nil {
		o.Now = func() time.Time { return time.Time{} }
	}
	return &Model{
		prompt: newPrompt(o.History), keys: Keys, able: style.Caps{Terminal: o.Terminal}, theme: style.NewTheme(!o.Terminal.Light), do: o.Do, now: o.Now,
		canvases: map[string]*canvas{}, sizes: map[string][2]int{}, screen: screen{split: o.Kept.Split}, viewed: newViewed(o.Kept.Viewed),
	}
}

// Init asks the terminal whether it is light or dark.
func (m *Model) Init() tea.Cmd { return m.able.Query() }

// Update routes a message to who knows it, and looks for what the command that is
// typed can be completed with.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	return m, tea.Batch(m.update(msg), m.discover())
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case ViewMsg:
		return m.see(msg.View)
	case DoneMsg:
		m.done(msg)
	case PageMsg:
		m.tell(msg)
	case DiffMsg:
		m.compare(msg)
	case LandingMsg:
		m.askLand(msg)
	case FoundMsg:
		m.view.Found = msg.Found
	case RunsMsg:
		m.dialog = runList(msg.Runs)
	case SpecsMsg:
		m.dialog = specPicker(msg.Specs)
	case tea.WindowSizeMsg:
		m.size, m.lift = arrange(msg.Width, msg.Height, m.screen.split), screenSelection{}
		m.prompt.resize(msg.Width-promptIndent, m.size.most)
		return m.fitPanes()
	case tea.BackgroundColorMsg, tea.ColorProfileMsg:
		m.theme = m.able.Learn(msg)
	case tea.KeyPressMsg:
		m.presence.touched = m.now()
		return m.press(msg)
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case tea.MouseMsg:
		return m.mouse(msg)
	case WrittenMsg:
		m.written(msg)
	case tea.FocusMsg:
		m.presence.focus(true)
		return m.tellFocus(true)
	case tea.BlurMsg:
		m.presence.focus(false)
		return m.tellFocus(false)
	}
	return nil
}

// see takes a new View.
func (m *Model) see(v view.View) tea.Cmd {
	v.Found = m.view.Found
	m.view = v
	if m.presence.touched.IsZero() {
		m.presence.touched = m.now()
	}
	if !maps.EqualFunc(v.Keys, m.bound, slices.Equal) {
		m.keys, m.bound = Bind(v.Keys), v.Keys
	}
	if v.Notice != nil && v.Notice.Number > m.notice.Number {
		m.notice = *v.Notice
	}
	if m.screen.focus != 0 && m.target(m.screen.focus) == nil {
		m.screen.focus = 0
	}
	m.inbox.forget(v.Inbox)
	m.offers()
	if m.reading.of != nil && !m.valid() {
		m.reading = copyMode{}
	}
	m.screen.unpin(m)
	m.steady()
	return tea.Batch(m.fitPanes(), m.alert())
}

func (m *Model) done(msg DoneMsg) {
	if msg.Text != "" {
		m.say(msg.Text, msg.Error)
	}
	if msg.Line != "" && m.prompt.text == "" {
		m.prompt.set(msg.Line)
		m.prompt.settle(m.ask())
	}
}

// say shows a sentence until the next key.
func (m *Model) say(s string, isError bool) {
	m.notice.Text, m.notice.Error = text.Sanitize(s), isError
}

func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	if !m.does(msg.Keystroke(), "quit") {
		m.quitting = time.Time{} // twice is one after the other
	}
	if m.does(msg.Keystroke(), "quit") && (m.dialog != nil || m.size.shape == tiny) {
		return m.interrupt()
	}
	if m.size.shape == tiny {
		return nil
	}
	if m.dialog != nil {
		m.notice.Text, m.lift = "", screenSelection{}
		next, intent := m.dialog.press(m, msg.Keystroke())
		m.dialog = next
		return m.carry(intent)
	}
	if m.screen.leader || m.screen.moving && m.movesBorder(msg.Keystroke()) {
		return m.pressAfterLeader(msg.Keystroke())
	}
	m.screen.moving = false
	if m.reading.keys {
		return m.pressReading(msg)
	}
	m.reading = copyMode{} // what the mouse selected was copied
	if m.screen.focus != 0 {
		return m.pressInPane(msg)
	}
	m.notice.Text = ""
	return m.pressAtPrompt(msg)
}

func (m *Model) pressAtPrompt(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.Keystroke()
	if m.prompt.search != nil && m.pressInSearch(msg) {
		return nil
	}
	if k, ok := m.struck(AtPrompt, name); ok && k.press != nil {
		return k.press(m)
	} else if ok {
		return m.focusOn(number(name))
	}
	m.prompt.press(msg)
	m.prompt.settle(m.ask())
	return nil
}

func (m *Model) pressAfterLeader(name string) tea.Cmd {
	m.screen.leader = false
	m.notice.Text = ""
	if k, ok := m.struck(AfterLeader, name); ok && k.press != nil {
		return k.press(m)
	} else if ok {
		return m.focusOn(number(name))
	}
	return nil
}

// number is the digit a key ends in.
func number(name string) int { return int(name[len(name)-1] - '0') }

func (m *Model) lead() tea.Cmd {
	m.screen.leader = true
	return nil
}

// newline is a line more at the prompt.
func (m *Model) newline() tea.Cmd {
	m.prompt.cycle = nil
	m.prompt.insert("\n")
	m.prompt.settle(m.ask())
	return nil
}

func (m *Model) tab() tea.Cmd {
	m.prompt.tab(&m.view, +1)
	m.prompt.settle(m.ask())
	return nil
}

func (m *Model) backTab() tea.Cmd {
	m.prompt.tab(&m.view, -1)
	m.prompt.settle(m.ask())
	return nil
}

// enter sends what is typed.
func (m *Model) enter() tea.Cmd {
	line := strings.TrimSpace(m.prompt.text)
	intent, err := m.prompt.enter(&m.view)
	if again, ok := err.(errAgain); ok {
		m.prompt.cycle = nil
		m.say(again.words, false)
		return nil
	}
	if err != nil {
		m.say(err.Error(), true)
		return nil
	}
	if intent == nil {
		return nil
	}
	m.prompt.clear()
	var kept tea.Cmd
	if m.prompt.remember(line) {
		kept = m.carry(SaveHistory{line})
	}
	return tea.Batch(kept, m.carry(intent))
}

// carry hands an intent out, or does it where the screen itself is meant.
func (m *Model) carry(i Intent) tea.Cmd {
	switch i := i.(type) {
	case nil:
		return nil
	case openHelp:
		m.dialog = helpPage()
		if c, ok := Lookup(i.command); ok {
			m.dialog = commandPage(c)
		}
	case openStatus:
		m.dialog = &page{kind: DialogStatus, title: "status", text: func(m *Model) string { return m.view.Explanation }}
	case openInbox:
		m.openInbox("")
	case openLog:
		m.dialog = openLogAt(i.at)
	case openSheet:
		m.dialog = sheetPage(i.name)
	case openDiff:
		return m.openDiff()
	case openAsk:
		m.dialog = &page{kind: DialogAsked, title: "asked", text: func(m *Model) string { return text.Reflow(m.view.Ask.String()) }}
	case openModels:
		m.dialog = modelList(&m.view)
	case openSpecs:
		m.dialog = specList(m.view.Spec)
	case askCancel:
		m.dialog = confirm{kind: DialogCancel, title: "Cancel the workflow?", words: "Its sessions end, its task goes to the archive, and what it published is taken back. No commit is lost.", yes: Workflow{i.line}}
	case askReset:
		m.dialog = confirm{kind: DialogReset, title: "Reset?", words: "The task goes to the archive, its sessions end, and the state goes back to Idle. Nothing is deleted.", yes: Reset{}}
	case askQuit:
		return m.quit()
	case focusPane:
		return m.focusOn(i.number)
	case answerNow:
		return m.leave()
	case prefill:
		m.prompt.set(i.text)
		m.prompt.settle(m.ask())
		return m.leave()
	default:
		return m.do(i)
	}
	return nil
}
