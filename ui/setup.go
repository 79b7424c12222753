package ui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/dialog"
	"ferrus/ui/style"
)

// Setup guides a first run: a page shows what would be written, and another asks
// whether the check commands may run here. It is a [tea.Model], which ends by itself.
// It has more than 12 fields because both pages and the step between them are one
// model.
type Setup struct {
	Proposal
	// End says how it ended.
	End SetupEnd
	Err error // of Write or Trust

	caps   style.Caps
	theme  *style.Theme // as able says
	w, h   int
	top    int          // first line that is shown of what scrolls
	height int          // how many are, as drawn last
	total  int          // of how many
	seen   bool         // the end of the commands was on the screen
	field  *checkList   // the checks while they are edited; nil: they are not
	burst  dialog.Burst // keys that were typed before the question was there
	asked  []string     // commands that are not trusted; nil: not yet known
	made   bool         // it is written
	waits  bool         // for Write or Trust
}

// Proposal is what a Setup starts with. The human's changes are made in it.
type Proposal struct {
	Where  string // the folder
	Agents []SetupAgent
	Choice SetupChoice
	Kept   bool // the file is there already, so nothing can be chosen

	Terminal style.Terminal
	Now      func() time.Time

	File  func(SetupChoice) string            // the text that would be written
	Write func(SetupChoice) ([]string, error) // returns the commands to ask about
	Trust func() error
}

// SetupChoice is what the file says.
type SetupChoice struct {
	Supervisor, Executor string
	Checks               []string
}

// SetupAgent is an agent that may play a role.
type SetupAgent struct {
	Name    string
	Missing bool
	Get     string // how to install it
}

// SetupEnd is how a Setup ended.
type SetupEnd uint8

// The ends.
const (
	SetupLeft  SetupEnd = iota // nothing was written
	SetupReady                 // HQ may open
	SetupStopped
	SetupDemo // nothing was written, and the human wants to see the demo
)

// NewSetup makes the guide.
func NewSetup(p Proposal) *Setup {
	if p.Now == nil {
		p.Now = func() time.Time { return time.Time{} }
	}
	return &Setup{Proposal: p, caps: style.Caps{Terminal: p.Terminal}, theme: style.NewTheme(!p.Terminal.Light)}
}

type (
	setupWritten struct {
		ask []string
		err error
	}
	setupTrusted struct{ err error }
)

// Init asks the terminal whether it is light or dark.
func (s *Setup) Init() tea.Cmd { return s.caps.Query() }

// Update routes a message.
func (s *Setup) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.w, s.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg, tea.ColorProfileMsg:
		s.theme = s.caps.Learn(msg)
	case tea.PasteMsg:
		s.put(msg.Content)
	case tea.KeyPressMsg:
		return s, s.press(msg)
	case setupWritten:
		return s, s.written(msg)
	case setupTrusted:
		return s, s.over(SetupReady, msg.err)
	}
	return s, nil
}

func (s *Setup) over(end SetupEnd, err error) tea.Cmd {
	s.End, s.Err = end, err
	return tea.Quit
}

func (s *Setup) written(msg setupWritten) tea.Cmd {
	s.waits, s.made, s.asked, s.top = false, true, msg.ask, 0
	if msg.err != nil || len(msg.ask) == 0 {
		return s.over(SetupReady, msg.err)
	}
	return nil
}

func (s *Setup) press(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.Keystroke()
	switch {
	case s.waits: // What was begun is not left halfway.
		s.burst.Note(name, s.Now())
		return nil
	case name == "ctrl+c" && s.made:
		return s.over(SetupStopped, nil)
	case name == "ctrl+c":
		return s.over(SetupLeft, nil)
	case s.made:
		return s.answer(name)
	case s.field != nil:
		s.edit(name, msg.Text)
		return nil
	}
	return s.choose(name)
}

// answer handles a key on the second page. Enter is none of them, so that one that was
// struck twice lets nothing run.
func (s *Setup) answer(name string) tea.Cmd {
	switch name {
	case "y", "shift+y", "n", "shift+n", "q":
		if s.burst.Has(s.Now()) {
			return nil
		}
	}
	switch name {
	case "y", "shift+y":
		if !s.seen {
			return nil
		}
		s.waits = true
		trust := s.Trust
		return func() tea.Msg { return setupTrusted{trust()} }
	case "n", "shift+n", "esc", "q":
		return s.over(SetupReady, nil)
	}
	if !s.move(name) {
		s.burst.Note(name, s.Now())
	}
	return nil
}

func (s *Setup) choose(name string) tea.Cmd {
	switch name {
	case "esc", "q":
		return s.over(SetupLeft, nil)
	case "d":
		if s.noAgent() {
			return s.over(SetupDemo, nil)
		}
	case "enter":
		s.waits = true
		write, choice := s.Write, s.Choice
		return func() tea.Msg {
			ask, err := write(choice)
			return setupWritten{ask, err}
		}
	}
	s.move(name)
	if !s.Kept {
		s.change(name)
	}
	return nil
}

func (s *Setup) change(name string) {
	switch name {
	case "s":
		s.Choice.Supervisor = s.after(s.Choice.Supervisor)
	case "e":
		s.Choice.Executor = s.after(s.Choice.Executor)
	case "c":
		s.field = newCheckList(s.Choice.Checks)
	}
}

// after returns the next agent, among the installed ones if there are any.
func (s *Setup) after(name string) string {
	var all []string
	for _, missing := range []bool{false, true} {
		for _, a := range s.Agents {
			if a.Missing == missing {
				all = append(all, a.Name)
			}
		}
		if len(all) > 0 {
			break
		}
	}
	if len(all) == 0 {
		return name
	}
	return all[(slices.Index(all, name)+1)%len(all)]
}

// edit is a key while the checks are edited.
func (s *Setup) edit(name, typed string) {
	switch name {
	case "esc":
		s.field = nil
	case "enter":
		s.Choice.Checks = s.field.commands()
		s.field, s.top = nil, 0
	default:
		if !s.field.press(name) {
			s.field.put(typed)
		}
	}
}

func (s *Setup) put(content string) {
	if s.field != nil {
		s.field.put(content)
	}
}

// move scrolls, within what was drawn last, and reports whether the key is for that.
func (s *Setup) move(name string) bool {
	by, ok := map[string]int{"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -s.height, "pgdown": s.height,
		"space": s.height}[name]
	s.top = max(min(s.top+by, s.total-s.height), 0)
	return ok
}

// noAgent reports whether no agent is installed.
func (s *Setup) noAgent() bool { return len(s.Agents) > 0 && len(s.missing()) == len(s.Agents) }

// missing returns the agents that have to be installed before they can work.
func (s *Setup) missing() (out []SetupAgent) {
	for _, a := range s.Agents {
		if a.Missing {
			out = append(out, a)
		}
	}
	return out
}

// absent returns the mark beside a role whose agent is not installed.
func (s *Setup) absent(name string) string {
	if i := slices.IndexFunc(s.Agents, func(a SetupAgent) bool {
		return a.Name == name
	}); i >= 0 && s.Agents[i].Missing {
		return fmt.Sprintf("%s (not installed)", name)
	}
	return name
}
