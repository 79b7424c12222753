package pager

import (
	"cmp"
	"strings"

	"ferrus/ui/style"
	"ferrus/ui/syntax"
	"ferrus/ui/text"
	"ferrus/ui/text/lazyregexp"
)

// Markdown draws a text as its marks say, in rows of exactly w cells: headings,
// lists, quotes, tables, fences with the colours of their language. Text that is
// no Markdown comes out as it is; no text fails, and what is not harmless in it goes.
func Markdown(t *style.Theme, s string, w int) []string {
	d := markdownRenderer{theme: t, w: w}
	lines := strings.Split(strings.TrimRight(text.SanitizeLines(s), "\n"), "\n")
	for at := 0; at < len(lines); {
		at += d.block(lines[at:])
	}
	return d.rows
}

// markdownRenderer is a page of Markdown while it is drawn.
type markdownRenderer struct {
	theme *style.Theme
	w     int
	rows  []string
}

var (
	headingMark = lazyregexp.New(`^(#{1,6})\s+(.*?)\s*#*$`)
	itemMark    = lazyregexp.New(`^(\s*)([-*+]|\d{1,3}[.)])\s+(.*)$`)
	ruleMark    = lazyregexp.New(`^\s*([-*_])(\s*[-*_]){2,}\s*$`)
	fenceMark   = lazyregexp.New("^(\\s*)(```+|~~~+)\\s*([A-Za-z0-9+#.-]*)")
	tableMark   = lazyregexp.New(`^\s*\|?\s*:?-{1,}:?\s*(\|\s*:?-{1,}:?\s*)+\|?\s*$`)
	quoteMark   = lazyregexp.New(`^\s*>\s?`)
)

// margin is what stands left of everything.
const margin = " "

// block draws what begins with the first of some lines, and returns how many of
// them it was.
func (d *markdownRenderer) block(lines []string) int {
	first := lines[0]
	switch {
	case strings.TrimSpace(first) == "":
		if len(d.rows) > 0 && strings.TrimSpace(d.rows[len(d.rows)-1]) != "" {
			d.rows = append(d.rows, text.Blanks(d.w))
		}
		return 1
	case fenceMark.MatchString(first):
		return d.fence(lines)
	case headingMark.MatchString(first):
		return d.heading(headingMark.FindStringSubmatch(first))
	case ruleMark.MatchString(first):
		d.put("", style.Spans{{strings.Repeat("─", max(d.w-2, 0)), d.theme.Border}})
		return 1
	case len(lines) > 1 && strings.Contains(first, "|") && tableMark.MatchString(lines[1]):
		return d.table(lines)
	case quoteMark.MatchString(first):
		return d.quote(lines)
	case itemMark.MatchString(first):
		return d.item(lines)
	}
	return d.paragraph(lines)
}

// put draws pieces in as many rows as they take. The first row begins with
// lead, the others with as many blanks.
func (d *markdownRenderer) put(lead string, text style.Spans) {
	d.putLed(style.Spans{{lead, d.theme.Faint}}, text)
}

func (d *markdownRenderer) putLed(lead, content style.Spans) {
	lead = append(style.Spans{{margin, ""}}, lead...)
	for _, line := range content.Wrap(d.w - lead.Width() - 1) {
		d.rows = append(d.rows, style.Row(d.w, append(lead[:len(lead):len(lead)], line...), nil))
		lead = style.Spans{{text.Blanks(lead.Width()), ""}}
	}
}

func (d *markdownRenderer) heading(found []string) int {
	if len(d.rows) > 0 && strings.TrimSpace(d.rows[len(d.rows)-1]) != "" {
		d.rows = append(d.rows, text.Blanks(d.w))
	}
	look := d.theme.Strong
	if len(found[1]) == 1 {
		look = d.theme.Brand
	}
	d.put("", inline(d.theme, found[2], look))
	return 1
}

// startsBlock reports whether a line ends the paragraph before it.
func startsBlock(line string) bool {
	if strings.TrimSpace(line) == "" {
		return true
	}
	for _, m := range []*lazyregexp.Regexp{headingMark, itemMark, ruleMark, fenceMark, quoteMark} {
		if m.MatchString(line) {
			return true
		}
	}
	return false
}

// joinProse joins lines up to what ends their paragraph; a line that ends in two
// blanks keeps its end.
func joinProse(lines []string) (parts []string, n int) {
	for n = 0; n < len(lines) && (n == 0 || !startsBlock(lines[n])); n++ {
		text := strings.TrimSpace(lines[n])
		if n > 0 && !strings.HasSuffix(lines[n-1], "  ") {
			parts[len(parts)-1] += " " + text
			continue
		}
		parts = append(parts, text)
	}
	return parts, n
}

func (d *markdownRenderer) paragraph(lines []string) int {
	parts, n := joinProse(lines)
	for _, text := range parts {
		d.put("", inline(d.theme, text, ""))
	}
	return n
}

func (d *markdownRenderer) quote(lines []string) int {
	n := 0
	var inside []string
	for n < len(lines) && quoteMark.MatchString(lines[n]) {
		inside = append(inside, quoteMark.ReplaceAllString(lines[n], ""))
		n++
	}
	for at := 0; at < len(inside); {
		if strings.TrimSpace(inside[at]) == "" {
			d.put("▏", style.Spans{{" ", ""}})
			at++
			continue
		}
		parts, taken := joinProse(inside[at:])
		for _, text := range parts {
			for _, line := range inline(d.theme, text, d.theme.Faint).Wrap(d.w - 4) {
				d.put("▏ ", line)
			}
		}
		at += taken
	}
	return n
}

// item returns one entry of a list, with the lines that continue it.
func (d *markdownRenderer) item(lines []string) int {
	found := itemMark.FindStringSubmatch(lines[0])
	depth := min(len(strings.ReplaceAll(found[1], "\t", "    "))/2, 6)
	parts, n := joinProse(append([]string{found[3]}, lines[1:]...))
	mark, s := "• ", strings.Join(parts, " ")
	if c := found[2]; c[0] >= '0' && c[0] <= '9' {
		mark = c + " "
	}
	look := d.theme.Faint
	for box, shown := range map[string]string{"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "} {
		if rest, ok := strings.CutPrefix(s, box); ok {
			mark, s = shown, rest
			if box != "[ ] " {
				look = d.theme.Tones[style.Good]
			}
		}
	}
	d.putLed(style.Spans{{text.Blanks(1+2*depth) + mark, look}}, inline(d.theme, s, ""))
	return n
}

func (d *markdownRenderer) fence(lines []string) int {
	found := fenceMark.FindStringSubmatch(lines[0])
	language := syntax.Called(found[3])
	if found[3] == "diff" || found[3] == "patch" {
		language = nil
	}
	var open syntax.State
	for n, line := range lines[1:] {
		if strings.HasPrefix(strings.TrimSpace(line), found[2]) {
			return n + 2
		}
		var body style.Spans
		body, open = coloured(d.theme, language, strings.TrimPrefix(line, found[1]), open, "")
		if language == nil && (found[3] == "diff" || found[3] == "patch") {
			body = patchLine(d.theme, line)
		}
		d.rows = append(d.rows, style.Row(d.w, append(style.Spans{{margin, ""}, {"│ ", d.theme.Border}}, body...), nil))
	}
	return len(lines)
}

// patched is a line of a difference in its look.
func patchLine(t *style.Theme, line string) style.Spans {
	look := style.Paint("")
	switch {
	case strings.HasPrefix(line, "+"):
		look = t.Tones[style.Good]
	case strings.HasPrefix(line, "-"):
		look = t.Removed
	case strings.HasPrefix(line, "@@"):
		look = t.Faint
	}
	return style.Spans{{line, look}}
}

// coloured returns a line of a program in the colours of its language, over a base.
func coloured(t *style.Theme, l *syntax.Language, line string, open syntax.State, base style.Paint) (style.Spans,
	syntax.State) {
	pieces, left := l.Tokenize(line, open)
	out := make(style.Spans, 0, len(pieces))
	for _, p := range pieces {
		look := cmp.Or(t.Syntax[p.Kind], base)
		out = append(out, style.Span{p.Text, look})
	}
	return out, left
}
