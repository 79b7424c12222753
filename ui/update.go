package ui

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// Update routes a message to the component that handles it, and loads completions for
// the command that is being typed.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	return m, tea.Batch(m.route(msg), m.do(m.prompt.PendingLoad()), m.notices.await())
}

func (m *Model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		m.attention.touched = m.options.Now()
		return m.press(msg)
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case tea.MouseMsg:
		return m.mouse(msg)
	case tea.WindowSizeMsg:
		return m.resize(msg)
	case tea.BackgroundColorMsg, tea.ColorProfileMsg:
		m.theme = m.caps.Learn(msg)
	case tea.FocusMsg:
		m.attention.focus(true)
		return m.reportFocus(true)
	case tea.BlurMsg:
		m.attention.focus(false)
		return m.reportFocus(false)
	}
	return m.handleOwn(msg)
}

// handleOwn takes a message of our own.
func (m *Model) handleOwn(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case ViewMsg:
		return m.see(msg.View)
	case FoundMsg:
		m.view.Found = msg.Found
	case FilesMsg:
		m.view.Files = msg.Files
	case AttachedMsg:
		m.prompt.Attach(msg.Pasted, msg.File)
	case DoneMsg:
		return m.done(msg)
	case OpenMsg:
		return m.openLater(msg)
	case PageMsg:
		m.layer.Show(dialog.Entry(m.layer.Open(), msg.Title, msg.Text))
	case DiffMsg:
		return m.showDiff(msg)
	case EditedMsg:
		m.edited(msg)
	case faded:
		return m.notices.fade(msg)
	}
	return nil
}

// showDiff shows a loaded diff, and handles the keys that came meanwhile.
func (m *Model) showDiff(msg DiffMsg) tea.Cmd {
	if msg.Diff.Since == 0 {
		m.screen.side.load(msg)
	}
	done := m.done(msg.Done)
	over, pressed := dialog.Loaded(m.layer.Open(), msg.Diff, msg.Error)
	m.layer.Show(over)
	m.frame() // what is drawn is what keys move in
	var all []intent.Intent
	for _, key := range pressed {
		if m.layer.Open() != nil {
			all = append(all, m.layer.Press(m.context(), key))
		}
	}
	return tea.Batch(done, m.doAll(all))
}

func (m *Model) resize(msg tea.WindowSizeMsg) tea.Cmd {
	m.screen.resize(msg.Width, msg.Height)
	m.layer.Deselect()
	m.prompt.Resize(msg.Width, m.screen.maxPrompt)
	return tea.Batch(m.fitPanes(), m.loadSide())
}

func (m *Model) done(msg DoneMsg) tea.Cmd {
	if msg.Text != "" {
		m.announce(msg.Text, msg.Error)
	}
	if msg.Line != "" && m.prompt.Value() == "" {
		m.prompt.Restore(msg.Line)
	}
	if msg.Slot == "" {
		return nil
	}
	m.attention.awaited = awaited{slot: msg.Slot, since: m.options.Now()}
	return m.greet()
}

// openLater opens a dialog that was asked for some time ago.
func (m *Model) openLater(msg OpenMsg) tea.Cmd {
	if msg.Later != "" && m.busy() {
		m.announce(msg.Later, false)
		return nil
	}
	return m.open(msg.Dialog)
}

func (m *Model) edited(msg EditedMsg) {
	if msg.Error != "" {
		m.say(msg.Error, true)
		return
	}
	if err := m.prompt.Edited(msg.Text); err != nil {
		m.say(err.Error(), true)
	}
}

// View draws the frame.
func (m *Model) View() tea.View {
	rows, cursor := m.frame()
	v := tea.NewView(m.caps.Glyphs.Render(strings.Join(rows, "\n")))
	v.AltScreen, v.ReportFocus = true, true
	v.Cursor = cursor
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = m.caps.Title(windowTitle(&m.view, m.inbox.count(&m.view)))
	v.ProgressBar = progressBar(m.caps.Progress, m.view.Check.Progress)
	if p := m.screen.pane(m.screen.focus); p != nil && m.screen.of(p).WantsMotion() {
		v.MouseMode = tea.MouseModeAllMotion
	}
	return v
}

// see takes a new View.
func (m *Model) see(v view.View) tea.Cmd {
	v.Found, v.Files = m.view.Found, m.view.Files
	m.announceCommands(v)
	if before := m.view.Tasks.Number; before != v.Tasks.Number && slices.Contains(dialog.OfTask, m.Dialog()) {
		m.layer.Show(nil) // what you confirm there would be about the other task
		m.announce("What was open was about "+cmp.Or(before, "your checkout")+", which is not selected any more", false)
	}
	m.view = v
	if m.attention.touched.IsZero() {
		m.attention.touched = m.options.Now()
	}
	if !maps.EqualFunc(v.Keys, m.keys.asked, slices.Equal) {
		m.keys.Map, m.keys.asked = Keys.Bind(v.Keys), v.Keys
	}
	if t := m.caps.Choose(v.Theme); t != nil {
		m.theme = t
	}
	m.notices.agents = v.AgentNames()
	m.notices.accept(v.Notices, m.options.Now())
	if m.Dialog() == dialog.KindAsked && v.Ask == nil {
		m.layer.Show(nil) // it was answered elsewhere, or withdrawn
	}
	m.inbox.forget(&v)
	m.prompt.UseVi(v.Vi)
	m.prompt.Ask(m.inbox.ask(&m.view))
	m.prompt.Address(recipients(&m.view))
	m.screen.see()
	m.noticeOffers()
	return tea.Batch(m.fitPanes(), m.alert(), m.greet(), m.loadSide(), m.doPending())
}

// announceCommands says that a command in another terminal waits for the human, where a question
// is shown before it.
func (m *Model) announceCommands(v view.View) {
	waiting := m.inbox.waiting(&v)
	for i, item := range waiting {
		if i > 0 && item.Kind == view.KindCommand && itemOf(&m.view, item.ID) == nil {
			m.announce(item.Text, false)
		}
	}
}

// alert tells a human who is away what has begun to need them.
func (m *Model) alert() tea.Cmd {
	line := m.attention.alert(&m.view, &m.inbox, m.options.Now())
	if line == "" {
		return nil
	}
	return m.options.Do(intent.Notify{Text: line})
}
