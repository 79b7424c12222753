package pager

import (
	"strings"

	"ferrus/ui/style"
	"ferrus/ui/text"
)

// table draws the lines of a Markdown table with its columns one under another.
// Where they do not fit, the widest are cut.
func (d *markdownRenderer) table(lines []string) int {
	n := 0
	var all [][]style.Spans
	for n < len(lines) && strings.Contains(lines[n], "|") {
		if n != 1 {
			all = append(all, d.tableCells(lines[n], n == 0))
		}
		n++
	}
	wide := columnWidths(all, d.w-2)
	for i, cells := range all {
		var out style.Spans
		for c, most := range wide {
			var cell style.Spans
			if c < len(cells) {
				cell = cells[c]
			}
			var b strings.Builder
			used := cell.Draw(&b, most)
			out = append(out, style.Span{b.String(), ""}, style.Span{text.Blanks(most-used) + "  ", ""})
		}
		d.rows = append(d.rows, d.tableRow(out))
		if i == 0 {
			var rule style.Spans
			for _, most := range wide {
				rule = append(rule, style.Span{strings.Repeat("─", most) + "  ", d.theme.Border})
			}
			d.rows = append(d.rows, d.tableRow(rule))
		}
	}
	return n
}

// tableRow returns a row whose cells are drawn already: they are measured, not cut.
func (d *markdownRenderer) tableRow(cells style.Spans) string {
	line := margin
	for _, c := range cells {
		line += c.Paint.Render(c.Text)
	}
	if over := text.Width(line) - d.w; over > 0 {
		line, _ = style.Ends(line, d.w, 0)
	}
	return line + text.Blanks(d.w-text.Width(line))
}

func (d *markdownRenderer) tableCells(line string, head bool) (cells []style.Spans) {
	look := style.Paint("")
	if head {
		look = d.theme.Strong
	}
	line = strings.ReplaceAll(strings.Trim(strings.TrimSpace(line), "|"), `\|`, "\x00")
	for _, text := range strings.Split(line, "|") {
		cells = append(cells, inline(d.theme, strings.ReplaceAll(strings.TrimSpace(text), "\x00", "|"), look))
	}
	return cells
}

// columnWidths returns how wide each column is drawn: the widest give way first.
func columnWidths(all [][]style.Spans, room int) (wide []int) {
	for _, cells := range all {
		for c, cell := range cells {
			if c == len(wide) {
				wide = append(wide, 1)
			}
			wide[c] = max(wide[c], cell.Width())
		}
	}
	for {
		sum, widest := 0, 0
		for c, n := range wide {
			sum += n + 2
			if n > wide[widest] {
				widest = c
			}
		}
		if sum <= room+2 || len(wide) == 0 || wide[widest] <= 4 {
			return wide
		}
		wide[widest]--
	}
}
