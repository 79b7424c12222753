package prompt

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ferrus/ui/intent"
	"ferrus/ui/text"
	"ferrus/ui/text/lazyregexp"
	"ferrus/ui/view"
)

// A pasted text of more than these is attached.
const (
	attachLines = 10
	attachBytes = 2000
)

// MaxAttached bounds what is attached to a prompt, in bytes.
const MaxAttached = 1 << 20

// attachments are pasted texts that are too large to be shown. The prompt has a mark for
// each, which is sent as the whole text. They are kept for the lines that Up brings back.
type attachments struct {
	texts map[string]string // by mark
	count int
}

// markOf finds the beginnings of marks, whole or not.
var markOf = lazyregexp.New(`\[(paste|file|image) [0-9]+`)

// isLarge reports whether a pasted text is attached.
func isLarge(pasted string) bool {
	return len(pasted) > attachBytes || strings.Count(strings.TrimSpace(pasted), "\n") >= attachLines
}

// errAttached says that a text is more than can be attached.
func errAttached(bytes int) error {
	return fmt.Errorf("this is %s bytes, and a prompt takes %s: put it in a file and name the file",
		thousands(bytes), thousands(MaxAttached))
}

// attach keeps a text, and returns the mark for it.
func (a *attachments) attach(pasted string) (mark string) {
	pasted = strings.TrimSpace(pasted)
	size := thousands(len(pasted)) + " bytes"
	if n := strings.Count(pasted, "\n") + 1; n > 1 {
		size = thousands(n) + " lines"
	}
	return a.retain("paste", size, pasted)
}

// retain keeps a text, and returns the mark for it, of a sort and with words.
func (a *attachments) retain(sort, words, whole string) (mark string) {
	a.count++
	mark = fmt.Sprintf("[%s %d: %s]", sort, a.count, words)
	if a.texts == nil {
		a.texts = map[string]string{}
	}
	a.texts[mark] = whole
	return mark
}

// thousands writes a number with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// in returns the marks in a text, in their order.
func (a *attachments) in(typed string) []string {
	marks := slices.DeleteFunc(slices.Collect(maps.Keys(a.texts)), func(mark string) bool {
		return !strings.Contains(typed, mark)
	})
	slices.SortFunc(marks, func(one, other string) int {
		return strings.Index(typed, one) - strings.Index(typed, other)
	})
	return marks
}

// size returns how many bytes are attached to a text.
func (a *attachments) size(typed string) (bytes int) {
	for _, mark := range a.in(typed) {
		bytes += len(a.texts[mark])
	}
	return bytes
}

// errBroken reports that a mark was edited, so it no longer refers to a text.
var errBroken = errors.New("the mark of a paste or a file was changed: press Backspace in it, and paste again")

// check refuses a text with a mark that was changed.
func (a *attachments) check(typed string) error {
	if a.count == 0 {
		return nil
	}
	for _, mark := range a.in(typed) {
		typed = strings.ReplaceAll(typed, mark, "")
	}
	if markOf.MatchString(typed) {
		return errBroken
	}
	return nil
}

// expand returns a text with the attached texts for their marks.
func (a *attachments) expand(typed string) string {
	var pairs []string
	for _, mark := range a.in(typed) {
		pairs = append(pairs, mark, a.texts[mark])
	}
	return strings.NewReplacer(pairs...).Replace(typed)
}

// fold is the opposite of expand: it returns a line with marks for the texts that are
// kept, and for one that is too large.
func (a *attachments) fold(line string) string {
	for mark, attached := range a.texts {
		line = strings.ReplaceAll(line, attached, mark)
	}
	if len(line) > MaxText {
		return a.shorten(line)
	}
	return line
}

// shorten returns a line with a mark for what is too large to be shown. The command in front stays one.
func (a *attachments) shorten(line string) string {
	end := 0
	if strings.HasPrefix(line, "/") {
		end = strings.IndexAny(line, " \n") + 1
	}
	return line[:end] + a.attach(line[end:])
}

// Restore puts back a line that was sent, with its pastes folded.
func (p *Model) Restore(line string) { p.Set(p.attached.fold(line)) }

// Pastes returns what is attached to the text that is typed, as Markdown; empty: nothing
// is.
func (p *Model) Pastes() string {
	var b strings.Builder
	for _, mark := range p.attached.in(p.text) {
		b.WriteString(mark + "\n\n" + p.attached.texts[mark] + "\n\n")
	}
	return strings.TrimSpace(b.String())
}

// markAt returns the mark around a place in the text, from the first byte that is in it to
// the first behind it; ok is false where there is none.
func (p *Model) markAt(at int) (begin, end int, ok bool) {
	for _, mark := range p.attached.in(p.text) {
		for from := 0; ; {
			i := strings.Index(p.text[from:], mark)
			if i < 0 {
				break
			}
			begin, end = from+i, from+i+len(mark)
			if begin <= at && at < end {
				return begin, end, true
			}
			from = end
		}
	}
	return 0, 0, false
}

// deleteMark deletes a whole mark where a key would delete a part of it, and reports
// whether it did.
func (p *Model) deleteMark(msg tea.KeyPressMsg) bool {
	keys, at := p.area.KeyMap, p.offset()
	switch {
	case key.Matches(msg, keys.DeleteCharacterBackward, keys.DeleteWordBackward):
		at--
	case !key.Matches(msg, keys.DeleteCharacterForward, keys.DeleteWordForward):
		return false
	}
	begin, end, ok := p.markAt(at)
	if ok {
		p.editor.cut(begin, end)
	}
	return ok
}

// cut removes a part of one line, which is ASCII.
func (e *editor) cut(begin, end int) {
	right, back := tea.KeyPressMsg{Code: tea.KeyRight}, tea.KeyPressMsg{Code: tea.KeyBackspace}
	for at := e.offset(); at < end; at++ {
		e.area, _ = e.area.Update(right)
	}
	for range end - begin {
		e.area, _ = e.area.Update(back)
	}
	e.update()
}

// paste puts a pasted text at the cursor, or a mark for a large one.
func (p *Model) paste(pasted string) error {
	pasted = text.SanitizeLines(pasted)
	if !isLarge(pasted) {
		if !p.insert(pasted) {
			return ErrTooLong
		}
		return nil
	}
	if all := len(pasted) + p.attached.size(p.text); all > MaxAttached {
		return errAttached(all)
	}
	if !p.insert(p.attached.attach(pasted)) {
		return ErrTooLong
	}
	return nil
}

// Attach puts the mark of a file in the place of its path that was pasted, if that is still
// there.
func (p *Model) Attach(pasted string, f view.File) {
	pasted = text.SanitizeLines(pasted)
	at := strings.LastIndex(p.text, pasted)
	if at < 0 {
		return
	}
	mark := strings.TrimSpace(p.reference(f.Path))
	if !f.Below {
		sort := "file"
		if f.Image {
			sort = "image"
		}
		mark = p.attached.retain(sort, asciiName(f.Name), mark)
	}
	before, after := p.text[:at]+mark, p.text[at+len(pasted):]
	p.set(before + after)
	p.moveTo(len([]rune(before)))
	p.cycle = nil
	p.refresh()
}

// asciiName returns a name as a mark has it, which is deleted byte by byte.
func asciiName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '[' || r == ']' {
			return '?'
		}
		return r
	}, name)
}

// PastedFile returns what asks for the file whose path was pasted, as terminals do with a file
// that is dropped on them; nil: it is no path.
func PastedFile(pasted string) intent.Intent {
	path := strings.TrimSpace(pasted)
	if len(path) > maxPath || strings.Contains(path, "\n") {
		return nil
	}
	switch n := len(path); {
	case strings.HasPrefix(path, "file://"):
		u, err := url.Parse(path)
		if err != nil {
			return nil
		}
		path = u.Path
	case n > 2 && (path[0] == '\'' || path[0] == '"') && path[n-1] == path[0]:
		path = path[1 : n-1]
	default:
		path = escaped.ReplaceAllString(path, "$1")
	}
	if !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "~/") {
		return nil
	}
	return intent.AttachFile{Pasted: pasted, Path: path}
}

// maxPath bounds what can be a path, in bytes.
const maxPath = 4096

// escaped finds what terminals put a backslash before.
var escaped = lazyregexp.New(`\\(.)`)
