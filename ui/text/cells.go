package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Cells returns the characters of a row by the cell that they begin at; the second cell
// of a wide one is empty. The row must have no escape sequences.
func Cells(row string) (cells []string) {
	for row != "" {
		cluster, n := ansi.FirstGraphemeCluster(row, ansi.GraphemeWidth)
		row = row[len(cluster):]
		cells = append(cells, cluster)
		for range n - 1 {
			cells = append(cells, "")
		}
	}
	return cells
}

// WholeCells widens a span of cells, from one up to but not including another, to whole
// characters.
func WholeCells(cells []string, from, to int) (int, int) {
	for from > 0 && from < len(cells) && cells[from] == "" {
		from--
	}
	for to < len(cells) && cells[to] == "" {
		to++
	}
	return from, to
}

// WordAt returns the first and the last cell of the word, path or address at a cell.
func WordAt(cells []string, x int) (first, last int) {
	first, last = x, x
	if x >= len(cells) || !inWord(cells[x]) {
		return x, x
	}
	for first > 0 && inWord(cells[first-1]) {
		first--
	}
	for last < len(cells)-1 && inWord(cells[last+1]) {
		last++
	}
	return first, last
}

// inWord reports whether a cell belongs to a word, a path or an address.
func inWord(cell string) bool {
	r, _ := utf8.DecodeRuneInString(cell)
	return cell == "" || unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./~:@%+#?&=", r)
}
