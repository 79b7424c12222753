package pager

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// review is what the human does with comments in a diff: the cursor, what is typed, and
// the list.
type review struct {
	cursor   cursor
	writing  *commentEdit // nil: nothing is typed
	target   int          // the draft that is edited; -1: a new one
	spot     view.Spot    // of the new one
	listing  bool
	chosen   int  // the comment that is chosen in the list
	deleting int  // the draft that the next d deletes, plus 1
	unfolded bool // the answered comments are shown whole
	changed  bool // drafts have changed since [Diff.TakeDrafts]
	version  int  // increases whenever rows have to be drawn again
}

// rowRef says what a row of the diff shows.
type rowRef struct {
	file     int // -1: nothing that can be commented on
	old, new int // the lines; both 0 in the heading of a file
	comment  int // the comment whose first row it is, plus 1
}

// nowhere is a row that cannot be commented on.
var nowhere = rowRef{file: -1}

// Draft returns the comments that were not sent.
func (p *Diff) Draft() (all []view.Comment) {
	for _, c := range p.Diff.Comments {
		if c.State == view.CommentDraft {
			all = append(all, c)
		}
	}
	return all
}

// TakeDrafts returns the drafts if they have changed since the last call.
func (p *Diff) TakeDrafts() (all []view.Comment, changed bool) {
	changed, p.changed = p.changed, false
	return p.Draft(), changed
}

// Writing reports whether keys go to a comment.
func (p *Diff) Writing() bool { return p.writing != nil }

// Listing reports whether the list of comments is shown.
func (p *Diff) Listing() bool { return p.listing }

// Choosing reports whether there is a cursor.
func (p *Diff) Choosing() bool { return p.cursor.on }

// Paste pastes a text into the comment that is typed.
func (p *Diff) Paste(pasted string) {
	if p.writing != nil {
		p.writing.insert(pasted)
	}
}

// commentsOf returns the comments of a file, or the ones above all files.
func (p *Diff) commentsOf(path string) (all []int) {
	for i := range p.Diff.Comments {
		if p.Diff.Comments[i].File == path {
			all = append(all, i)
		}
	}
	return all
}

// openIn counts the comments in a file that are drafts or have no answer.
func (p *Diff) openIn(path string) (n int) {
	for _, i := range p.commentsOf(path) {
		if p.Diff.Comments[i].State <= view.CommentOpen {
			n++
		}
	}
	return n
}

// commentRows draws a comment, indented.
func (p *Diff) commentRows(t *style.Theme, i, indent, w int) (rows []string) {
	c := &p.Diff.Comments[i]
	indent = max(min(indent, w-24), 0)
	if c.State >= view.CommentDone && !p.unfolded {
		return []string{style.Row(w, style.Spans{{text.Blanks(indent) + "▸ ", t.Focused}, {c.ID + " ", t.Faint},
			{commentWord(c) + " ", t.Tones[commentTone(c)]},
			{text.Sanitize(text.FirstLine(c.Text)), t.Faint}}, nil)}
	}
	head := style.Spans{{text.Blanks(indent) + "▾ ", t.Focused}, {cmp.Or(c.ID, "draft") + " ", t.Strong}}
	if c.Round > 0 {
		head = append(head, style.Span{fmt.Sprintf("round %d ", c.Round), t.Faint},
			style.Span{commentWord(c) + " ", t.Tones[commentTone(c)]})
	}
	if c.Why != "" {
		head = append(head, style.Span{text.Sanitize(c.Spot.Where()) + ": " + c.Why, t.Faint})
	}
	rows = append(rows, style.Row(w, head, nil))
	words := c.Text
	if c.From != "" {
		words = c.From + ": " + words
	}
	rows = append(rows, p.wordRows(t, words, "│ ", "", indent, w)...)
	if c.Answer != "" {
		by := style.Spans{{text.Blanks(indent) + "├ ", t.Focused}, {text.Sanitize(c.By) + ":", t.Faint}}
		rows = append(rows, style.Row(w, by, nil))
		rows = append(rows, p.wordRows(t, c.Answer, "│ ", t.Faint, indent, w)...)
	}
	return rows
}

// wordRows draws a text beside a line.
func (p *Diff) wordRows(t *style.Theme, words, mark string, look style.Paint, indent, w int) (rows []string) {
	for line := range strings.SplitSeq(strings.TrimSpace(text.SanitizeLines(words)), "\n") {
		wrapped := text.Wrap(line, max(w-indent-4, 8))
		if len(wrapped) == 0 {
			wrapped = []string{""}
		}
		for _, l := range wrapped {
			rows = append(rows, style.Row(w, style.Spans{{text.Blanks(indent) + mark, t.Focused}, {l, look}}, nil))
		}
	}
	return rows
}

func commentWord(c *view.Comment) string {
	return [...]string{view.CommentDraft: "draft", view.CommentOpen: "open", view.CommentDone: "done",
		view.CommentDeclined: "declined"}[c.State]
}

func commentTone(c *view.Comment) style.Tone {
	return [...]style.Tone{view.CommentDraft: style.Busy, view.CommentOpen: style.Warn, view.CommentDone: style.Good,
		view.CommentDeclined: style.Bad}[c.State]
}

// listRows draws all comments by round, one row each. It returns the rows of the comments,
// too, by their index.
func (p *Diff) listRows(t *style.Theme, w int) (rows []string, at []int) {
	at = make([]int, len(p.Diff.Comments))
	round := -1
	for i := range p.Diff.Comments {
		c := &p.Diff.Comments[i]
		if c.Round != round {
			round = c.Round
			rows = append(rows, style.Row(w, style.Spans{{" " + p.roundTitle(round), t.Strong}}, nil))
		}
		at[i] = len(rows)
		left := style.Spans{{" " + text.Fit(cmp.Or(c.ID, "-"), 5), t.Faint},
			{text.Fit(commentWord(c), 9), t.Tones[commentTone(c)]}, {text.Sanitize(c.Spot.Where()) + "  ", t.Faint},
			{text.Sanitize(text.FirstLine(c.Text)), ""}}
		mark := style.Span{" ", ""}
		if i == p.chosen {
			mark = style.Span{"▸", t.Chosen}
		}
		rows = append(rows, style.Row(w, append(style.Spans{mark}, left...), nil))
	}
	if len(rows) == 0 {
		rows = []string{style.Row(w, style.Spans{{" No comments yet: c writes one", t.Faint}}, nil)}
	}
	return rows, at
}

// roundTitle counts the comments of a round; 0 is the drafts.
func (p *Diff) roundTitle(round int) string {
	all, open := 0, 0
	for _, c := range p.Diff.Comments {
		if c.Round == round {
			all++
			if c.State == view.CommentOpen {
				open++
			}
		}
	}
	if round == 0 {
		return text.Count(all, "unsent comment")
	}
	return fmt.Sprintf("Round %d: %s, %d open", round, text.Count(all, "comment"), open)
}

// saveDraft keeps what was typed: a new draft, or another text of one. A blank text changes
// nothing.
func (p *Diff) saveDraft() {
	written := strings.TrimSpace(string(p.writing.text))
	p.writing = nil
	switch {
	case written == "":
		return
	case p.target >= 0 && p.target < len(p.Diff.Comments):
		p.Diff.Comments[p.target].Text = written
	default:
		s := p.spot
		p.Diff.Comments = append(slices.Clone(p.Diff.Comments), view.Comment{Spot: s, Text: written,
			Place: view.Place{File: s.Path, Line: s.Line, Last: max(s.Last, s.Line)}})
	}
	p.redraw()
	p.changed = true
}

// redraw draws the rows again: what they show has changed, and the next key may come
// before the next frame.
func (p *Diff) redraw() {
	p.version++
	if d := &p.drawn; d.rows != nil {
		p.count = len(p.all(d.theme, d.marked, d.w))
		p.follow()
	}
}

// remove deletes a draft.
func (p *Diff) remove(i int) {
	p.Diff.Comments = slices.Delete(slices.Clone(p.Diff.Comments), i, i+1)
	p.chosen = max(min(p.chosen, len(p.Diff.Comments)-1), 0)
	p.redraw()
	p.changed = true
}
