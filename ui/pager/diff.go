package pager

import (
	"fmt"
	"slices"
	"strings"

	"ferrus/ui/keys"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// Diff is a pager over the patches of several files, one at a time. Patches that the
// caller says the human has viewed are folded.
type Diff struct {
	Pager
	Diff   view.Diff
	Alarms view.Alarms // of what is shown
	marks  []string    // of the patches, in their order
	moves  moves
	folds  map[string]bool // by mark: what the human folded or unfolded
	now    int             // the file that is read
	want   int             // the file to show when it is drawn next; less than 0: none
	list   int             // how wide the list of files is, as drawn last; 0: there is none
	rowIndex
	review
	drawn struct {
		w      int
		theme  *style.Theme
		viewed string // the marks that were folded
		alarms string
		about  int             // the version of the comments
		marked map[string]bool // what was viewed, handed in
		rows   []string
	}
}

// rowIndex says in which rows something begins, as drawn last.
type rowIndex struct {
	files, hunks, alarms []int
	refs                 []rowRef // of all rows
	jumped               int      // the row that was gone to last
}

// NewDiff returns a pager at the beginning of a diff.
func NewDiff(d view.Diff) *Diff {
	p := &Diff{Diff: d, want: -1, moves: findMoves(d.Files), folds: map[string]bool{}}
	p.files = make([]int, len(d.Files))
	for i := range d.Files {
		p.marks = append(p.marks, d.Files[i].Mark())
	}
	return p
}

// The list of files, where there is room for one.
const (
	listWidth = 34
	listLeast = 110 // the columns from which on there is
	// From here on there is room for both sides instead, and with the list for all.
	sideBySideLeast = 138
)

// Draw returns the rows that are shown in w x h cells.
func (p *Diff) Draw(t *style.Theme, viewed map[string]bool, w, h int) []string {
	p.list = 0
	if w >= listLeast && w < sideBySideLeast || w >= sideBySideLeast+listWidth {
		p.list = listWidth
	}
	below := p.writingRows(t, w, h)
	h -= len(below)
	all := p.allAt(t, viewed, w-p.list)
	if p.want >= 0 {
		p.now, p.count, p.height = p.want, len(all), h
		p.showFile()
		p.want = -1
	}
	rows := p.shown(t, all, w-p.list, h)
	if p.list > 0 {
		rows = style.JoinColumns(p.names(t, viewed, p.list, h), style.PadRows(rows, w-p.list, h))
	}
	if len(below) > 0 {
		rows = append(style.PadRows(rows, w, h), below...)
	}
	return rows
}

// shown returns the rows that are seen of the patches, or of the list of comments.
func (p *Diff) shown(t *style.Theme, all []string, w, h int) []string {
	if p.listing {
		rows, at := p.listRows(t, w)
		top := 0
		if p.chosen < len(at) {
			top = max(min(at[p.chosen]-h/2, len(rows)-h), 0)
		}
		return rows[top:min(top+h, len(rows))]
	}
	p.height = h
	p.follow()
	if p.cursor.on && p.writing != nil {
		p.reveal()
	}
	rows := p.Window(t, all, h)
	p.mark(t, rows)
	return rows
}

// writingRows returns the rows that a comment is typed in; none if none is.
func (p *Diff) writingRows(t *style.Theme, w, h int) []string {
	if p.writing == nil || h < 4 {
		return nil
	}
	return p.writing.draw(t, w, max(h/2, 3))
}

// Column returns the part of the inside that a column belongs to: the list of files or
// the text.
func (p *Diff) Column(inner style.Rect, x int) style.Rect {
	if x < inner.X+p.list {
		inner.W = p.list - 2 // without the border between them
		return inner
	}
	inner.X, inner.W = inner.X+p.list, inner.W-p.list
	return inner
}

// Sum counts the files, the lines, and the files that were viewed.
func (p *Diff) Sum(t *style.Theme, viewed map[string]bool) style.Spans {
	added, removed, seen := 0, 0, 0
	for i, f := range p.Diff.Files {
		added, removed = added+f.Added, removed+f.Removed
		if viewed[p.marks[i]] {
			seen++
		}
	}
	return style.Spans{
		{text.Count(len(p.Diff.Files), "file") + " ", ""}, {fmt.Sprintf("+%d", added), t.Tones[style.Good]}, {" ", ""},
		{fmt.Sprintf("-%d", removed), t.Removed}, {fmt.Sprintf("  viewed %d", seen), t.Faint},
	}
}

// all returns every row. They are kept until the width, the theme or a mark changes.
func (p *Diff) all(t *style.Theme, viewed map[string]bool, w int) []string {
	folded := ""
	for i, m := range p.marks {
		if p.isFolded(i, viewed) {
			folded += m
		}
	}
	d := &p.drawn
	alarms := fmt.Sprint([]view.Alarm(p.Alarms))
	if d.rows != nil && d.w == w && d.theme == t && d.viewed == folded && d.alarms == alarms &&
		d.about == p.version {
		return d.rows
	}
	rows := p.alarmsElsewhere(t, w)
	p.files, p.alarms, p.hunks, p.refs = p.files[:0], p.alarms[:0], p.hunks[:0], p.refs[:0]
	for i := range rows {
		p.alarms, p.refs = append(p.alarms, i), append(p.refs, nowhere)
	}
	for _, i := range p.commentsOf("") {
		rows = p.addComment(t, rows, i, w)
	}
	for i := range p.Diff.Files {
		f := &p.Diff.Files[i]
		if len(rows) > 0 {
			rows, p.refs = append(rows, text.Blanks(w)), append(p.refs, nowhere)
		}
		alarms := p.Alarms.Of(f.Path)
		p.files = append(p.files, len(rows))
		rows, p.refs = append(rows, p.fileRow(t, i, w, viewed)), append(p.refs, rowRef{file: i})
		if !p.isFolded(i, viewed) {
			patch := drawPatch(t, f, alarms, p.moves, w, p.linesOf(t, i))
			for _, row := range patch.Hunks {
				p.hunks = append(p.hunks, len(rows)+row)
			}
			for _, row := range patch.Alarms {
				p.alarms = append(p.alarms, len(rows)+row)
			}
			rows, p.refs = append(rows, patch.Rows...), append(p.refs, patch.Refs...)
		}
	}
	d.w, d.theme, d.viewed, d.alarms, d.about, d.rows = w, t, folded, alarms, p.version, rows
	d.marked = viewed
	return rows
}

// addComment adds the rows of a comment that stands above all files.
func (p *Diff) addComment(t *style.Theme, rows []string, i, w int) []string {
	for k, row := range p.commentRows(t, i, 1, w) {
		ref := nowhere
		if k == 0 && len(p.Diff.Files) > 0 {
			ref = rowRef{comment: i + 1}
		}
		rows, p.refs = append(rows, row), append(p.refs, ref)
	}
	return rows
}

// linesOf returns the comments of a file as its patch draws them.
func (p *Diff) linesOf(t *style.Theme, file int) patchComments {
	return patchComments{file: file, of: p.commentsOf(p.Diff.Files[file].Path), all: p.Diff.Comments,
		draw: func(i, indent, w int) []string { return p.commentRows(t, i, indent, w) }}
}

// alarmsElsewhere returns the alarms about no file of the diff.
func (p *Diff) alarmsElsewhere(t *style.Theme, w int) []string {
	var some view.Alarms
	for _, a := range p.Alarms {
		if !slices.ContainsFunc(p.Diff.Files, func(f view.FilePatch) bool { return f.Path == a.Path }) {
			some = append(some, a)
		}
	}
	return alarmRows(t, some, w)
}

// isFolded reports whether a file shows only its heading: it was viewed, or a program
// writes it, or it is binary, and it raised no alarm, unless the human folded or unfolded it.
func (p *Diff) isFolded(i int, viewed map[string]bool) bool {
	if folded, chosen := p.folds[p.marks[i]]; chosen {
		return folded
	}
	f := &p.Diff.Files[i]
	return viewed[p.marks[i]] || notForReading(f) != "" && len(p.Alarms.Of(f.Path)) == 0
}

// Fold folds the file that is read, or unfolds it.
func (p *Diff) Fold(viewed map[string]bool) {
	p.showFile()
	p.folds[p.marks[p.now]] = !p.isFolded(p.now, viewed)
}

// fileRow returns the heading of a file.
func (p *Diff) fileRow(t *style.Theme, i, w int, viewed map[string]bool) string {
	f, mark, look := &p.Diff.Files[i], " ▾ ", t.Strong
	switch {
	case viewed[p.marks[i]]:
		mark, look = " ✓ ", t.Faint
	case p.isFolded(i, viewed):
		mark, look = " ▸ ", t.Faint
	}
	alarms := p.Alarms.Of(f.Path)
	right := style.Spans{{fmt.Sprintf(" +%d", f.Added), t.Tones[style.Good]},
		{fmt.Sprintf(" -%d ", f.Removed), t.Removed}}
	if len(alarms) > 0 {
		right = append(style.Spans{{" " + alarms.Count() + " ", AlarmBadge(t, alarms)}}, right...)
	}
	if n := p.openIn(f.Path); n > 0 {
		right = append(style.Spans{{"  " + text.Count(n, "comment"), t.Tones[style.Warn]}}, right...)
	}
	if about := strings.TrimSpace(notForReading(f) + "  " + f.Mode); about != "" {
		right = append(style.Spans{{"  " + about, t.Faint}}, right...)
	}
	name := pathTail(f.Name(), w-4-right.Width())
	return style.Row(w, style.Spans{{mark, t.Focused}, {name, look}}, right)
}

// names returns the list of files, with a border on its right.
func (p *Diff) names(t *style.Theme, viewed map[string]bool, w, h int) (rows []string) {
	border := t.Border.Render(" │")
	now := min(p.now, len(p.Diff.Files)-1)
	for i := max(now-h+2, 0); i < len(p.Diff.Files) && len(rows) < h; i++ {
		f := &p.Diff.Files[i]
		mark, look := [2]string{" ", " "}, style.Paint("")
		if viewed[p.marks[i]] {
			mark[0], look = "✓", t.Faint
		}
		if i == now {
			mark[1], look = "▸", t.Strong
		}
		right := style.Spans{{fmt.Sprintf(" +%d", f.Added), t.Tones[style.Good]},
			{fmt.Sprintf(" -%d", f.Removed), t.Removed}}
		if alarms := p.Alarms.Of(f.Path); len(alarms) > 0 {
			right = append(style.Spans{{" !", t.Tones[alarmTone(&alarms[0])]}}, right...)
		}
		name := pathTail(f.Name(), w-5-right.Width())
		rows = append(rows, style.Row(w-2, style.Spans{{mark[0] + mark[1] + " ", t.Focused}, {name, look}}, right)+
			border)
	}
	for len(rows) < h {
		rows = append(rows, text.Blanks(w-2)+border)
	}
	return rows
}

// pathTail returns the end of a path, which says most of it.
func pathTail(path string, w int) string {
	if text.Width(path) <= w || w < 2 {
		return text.Cut(path, w)
	}
	runes := []rune(path)
	for text.Width(string(runes)) > w-1 {
		runes = runes[1:]
	}
	return "…" + string(runes)
}

// Press does a key that scrolls, searches or goes to another file, and reports whether
// it was one.
func (p *Diff) Press(m keys.Map, key string) bool {
	switch a := m.Action(keys.InDiff, key); {
	case !p.typing && p.pressReview(m, key):
	case p.Pager.Press(m, keys.InDiff, key):
		p.now = p.fileAtTop()
	case a == NextFile && !p.typing:
		p.turn(+1)
	case a == PreviousFile && !p.typing:
		p.turn(-1)
	case a == NextHunk && !p.typing:
		p.jumpTo(p.hunks, +1)
	case a == PreviousHunk && !p.typing:
		p.jumpTo(p.hunks, -1)
	case a == NextAlarm && !p.typing:
		p.showAlarm()
	default:
		return false
	}
	return true
}

// Scroll scrolls, and with that goes to another file.
func (p *Diff) Scroll(by int) {
	p.Pager.Scroll(by)
	p.now = p.fileAtTop()
}

func (p *Diff) fileAtTop() int { return p.fileAt(p.top) }

// fileAt returns the file that a row belongs to.
func (p *Diff) fileAt(row int) int {
	for i := len(p.files) - 1; i > 0; i-- {
		if p.files[i] <= row {
			return i
		}
	}
	return 0
}

// jumpTo shows the next of some rows, or the previous one. It begins at the row that it
// showed last, as long as that is seen.
func (p *Diff) jumpTo(rows []int, by int) {
	from := p.top
	if p.jumped > p.top && p.jumped < p.top+p.height {
		from = p.jumped
	}
	i, exact := slices.BinarySearch(rows, from)
	switch {
	case by < 0:
		i--
	case exact:
		i++
	}
	if i >= 0 && i < len(rows) {
		p.show(rows[i])
		p.jumped, p.now = rows[i], p.fileAt(rows[i])
	}
}

// showAlarm shows the next alarm, and after the last one the first.
func (p *Diff) showAlarm() {
	if len(p.alarms) == 0 {
		return
	}
	const above = 3 // rows that say where it is
	i, _ := slices.BinarySearch(p.alarms, p.top+above+1)
	if i == len(p.alarms) || p.top == p.last() {
		i = 0
	}
	p.show(p.alarms[i] - above)
	p.now = p.fileAtTop()
}

// turn shows another file from its beginning.
func (p *Diff) turn(by int) {
	if by < 0 && p.now < len(p.files) && p.top > p.files[p.now] {
		by = 0 // first to the heading of this one
	}
	p.now = max(min(p.now+by, len(p.files)-1), 0)
	p.showFile()
}

// ShowPath shows a file of the diff from its beginning, once it is drawn.
func (p *Diff) ShowPath(path string) {
	p.want = slices.IndexFunc(p.Diff.Files, func(f view.FilePatch) bool { return f.Path == path })
}

// showFile shows the file that is read from its beginning.
func (p *Diff) showFile() {
	if p.now < len(p.files) {
		p.top = p.files[p.now]
	}
}

// ToggleFold shows the file that is read from its beginning, since it is folded or
// unfolded next, and returns its mark. There has to be a file.
func (p *Diff) ToggleFold() (mark string) {
	p.showFile()
	delete(p.folds, p.marks[p.now])
	return p.marks[p.now]
}
