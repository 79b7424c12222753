// Package prompt is the input line at the bottom: the typed text, the history, the
// completion, and the table of commands that parses a line.
//
// A [Model] takes keys ([Model.Press]) and answers with intents. It knows commands only
// through their [Table]. Plain text answers the question that was shown when its first
// letter was typed, even if another one is open when it is sent.
package prompt

import (
	"errors"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// Help says what can be done at the prompt besides the keys of the table.
const Help = "Plain text answers the question that was shown when you started typing. If none was, a second Enter " +
	"sends it to the agent named in front of the prompt; Tab on an empty prompt, or @reviewer, changes the agent. " +
	"While no agent is working, /task is put in front of it. @ and some letters complete the name of a file; pasting " +
	"a path attaches the file. The prompt edits like readline: Ctrl+A E B F K U W Y, Alt+B F D."

// Model is the prompt. Make it with [New].
type Model struct {
	editor
	commands Table
	history  history
	shown    *view.Ask // the question that is shown now
	begun    bool      // something is typed
	bound    *view.Ask // the question that was shown at the first key; nil: none was
	search   *search   // nil: the history is not searched
	talk     talk
	files    files
	completion
	size
}

// completion is what Tab goes through.
type completion struct {
	cycle  []Choice // nil: it was not pressed
	picked int      // in cycle
	looked string   // the command whose completions were asked for last
	failed bool     // what is typed was refused, for a reason that a notice has
}

// size is the room that the prompt has.
type size struct{ w, h, indented int }

// New returns an empty prompt with the lines that were typed before, oldest first.
func New(commands Table, lines []string) Model {
	return Model{editor: newEditor(), commands: commands, history: newHistory(lines)}
}

// Resize makes the prompt w cells wide with its mark, and at most h rows high.
func (p *Model) Resize(w, h int) {
	p.w, p.h, p.indented = w, h, p.indent()
	p.resize(w-p.indented, h)
}

// Value returns what is typed.
func (p *Model) Value() string { return p.text }

// Ask says which question is shown now; nil: none.
func (p *Model) Ask(shown *view.Ask) {
	p.shown = shown
	p.fit()
}

// Set replaces what is typed.
func (p *Model) Set(text string) {
	p.insertMode()
	p.set(text)
	p.refresh()
}

// SetKilled has Ctrl+Y bring a text back.
func (p *Model) SetKilled(text string) { p.killed = text }

// refresh follows a change of the text: the first key binds the prompt to the question
// that is shown, and an empty prompt is bound to none.
func (p *Model) refresh() {
	p.failed = false
	switch {
	case p.text == "":
		p.begun, p.bound, p.talk.begun = false, nil, ""
	case !p.begun:
		p.bind()
	}
	p.fit()
}

// bind ties what is typed to the question that is shown.
func (p *Model) bind() {
	p.begun, p.talk.begun = true, p.talk.to()
	if p.shown != nil {
		bound := *p.shown
		p.bound = &bound
	}
}

// Clear empties the prompt.
func (p *Model) Clear() {
	p.insertMode()
	p.set("")
	p.cycle, p.search, p.undo, p.failed = nil, nil, nil, false
	p.history.toPresent()
	p.begun, p.bound, p.talk.again, p.talk.begun = false, nil, "", ""
	p.fit()
}

// answers returns the question that plain text would answer; nil: none.
func (p *Model) answers() *view.Ask {
	if p.begun {
		return p.bound
	}
	return p.shown
}

// Edit returns what is typed for an editor. What comes back answers the question that
// is shown now, whatever is asked meanwhile.
func (p *Model) Edit() string {
	p.endSearch()
	p.cycle = nil
	if !p.begun {
		p.bind()
	}
	return p.text
}

// ErrTooLong says that a text does not fit into the prompt.
var ErrTooLong = errors.New("this is more than the prompt takes: put it in a file and name the file")

// Edited takes what an editor left; what is too large to be shown becomes an attachment.
func (p *Model) Edited(written string) error {
	written = strings.TrimRight(text.SanitizeLines(written), " \n")
	if len(written) > MaxText {
		written = p.attached.expand(written)
		if len(written) > MaxAttached {
			return errAttached(len(written))
		}
		written = p.attached.shorten(written)
	}
	p.set(written)
	p.refresh()
	return nil
}

// Paste puts a text from the clipboard at the cursor; a large one becomes an attachment.
func (p *Model) Paste(pasted string) (err error) {
	p.endSearch()
	err = p.paste(pasted)
	p.cycle = nil
	p.refresh()
	return err
}

// Press does a key that is the prompt's, and returns what the human wants.
func (p *Model) Press(m keys.Map, v *view.View, msg tea.KeyPressMsg) []intent.Intent {
	if p.pressVi(msg) {
		p.refresh()
		return nil
	}
	switch m.Action(keys.AtPrompt, msg.Keystroke()) {
	case Complete:
		if p.talksToOne() {
			words := "Only the " + p.talk.to() + " gets plain text now; / begins a command"
			return []intent.Intent{intent.Say{Text: words}}
		}
		if !p.takeAt(v) {
			p.tab(v, +1)
		}
	case CompleteBack:
		p.tab(v, -1)
	case Newline:
		p.cycle = nil
		p.insert("\n")
	case Search:
		p.beginSearch()
		return nil
	case Undo:
		p.cycle = nil
		p.undoLast()
	case Send:
		if !p.takeAt(v) {
			return p.enter(v)
		}
	default:
		p.edit(v, msg)
	}
	p.refresh()
	return nil
}

// edit does a key that edits, or goes through the history at an end of the text.
func (p *Model) edit(v *view.View, msg tea.KeyPressMsg) {
	p.cycle = nil
	switch keys := p.area.KeyMap; {
	case key.Matches(msg, keys.LinePrevious) && p.moveAt(v, -1), key.Matches(msg, keys.LineNext) && p.moveAt(v, +1):
	case key.Matches(msg, keys.LinePrevious) && p.inFirstRow():
		p.recall(-1)
	case key.Matches(msg, keys.LineNext) && p.inLastRow():
		p.recall(+1)
	case p.deleteMark(msg):
	default:
		p.editor.press(msg)
	}
}

// Rows draws the prompt in rows of w cells: at least one.
func (p *Model) Rows(t *style.Theme, w int) (rows []string) {
	mark := append(p.vi.mark(t), p.mark(t)...)
	for _, line := range p.rows {
		rows = append(rows, style.Row(w, append(mark, style.Span{line, ""}), nil))
		mark = style.Spans{{text.Blanks(p.indented), ""}}
	}
	return rows
}

// Cursor returns where the cursor is in the rows.
func (p *Model) Cursor() (x, y int) { return p.x + p.indented, p.y }
