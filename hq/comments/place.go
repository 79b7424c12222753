package comments

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// File is one file of a diff.
type File struct {
	Path  string
	Was   string // what it was called, if it was renamed
	Patch string // git's, from the first @@ on
}

// Fit says how well a comment fits a diff.
type Fit int

// The fits, best first.
const (
	Same    Fit = iota // its lines are there, maybe under other numbers
	Changed            // its lines are not there any more; this is where they were
	InFile             // the diff does not show that part of the file, or it is about the whole of it
	Outside            // the diff does not have the file
)

// Placed is where a comment belongs in a diff.
type Placed struct {
	Fit  Fit
	File int // index of the file; -1: Outside
	// Both are 0 unless Fit is Same or Changed.
	Line, Last int // in the numbers of the spot's side
}

// around is how many lines above and below a comment are kept.
const around = 3

// Diff is a diff that comments are placed in. Reading it once is what makes 200 comments
// cheap.
type Diff struct {
	files []File
	sides []map[Side][]numbered // of the files; nil: not read yet
}

// numbered is a line of one side.
type numbered struct {
	number int
	text   string
	hunk   int    // the hunks of a file are numbered from 0
	head   string // of the hunk
}

// NewDiff returns a diff of files.
func NewDiff(files []File) *Diff {
	return &Diff{files: files, sides: make([]map[Side][]numbered, len(files))}
}

// Place finds where a spot belongs.
func (d *Diff) Place(s Spot) Placed {
	i := slices.IndexFunc(d.files, func(f File) bool { return s.Path != "" && f.Path == s.Path })
	if i < 0 {
		i = slices.IndexFunc(d.files, func(f File) bool { return s.Path != "" && f.Was == s.Path })
	}
	if i < 0 {
		return Placed{Fit: Outside, File: -1}
	}
	out := Placed{Fit: InFile, File: i}
	if s.Line == 0 {
		return out
	}
	side := cmp.Or(s.Side, New)
	lines := d.side(i, side)
	length := max(s.Last-s.Line, 0)
	if at := nearest(lines, s.Quote, s.Line); at >= 0 {
		out.Fit, out.Line = Same, lines[at].number
		out.Last = out.Line + min(length, len(s.Quote)-1)
		return out
	}
	if line := replaced(lines, s); line > 0 {
		out.Fit, out.Line, out.Last = Changed, line, line
	}
	return out
}

// side returns the lines that a side of a file has in the diff.
func (d *Diff) side(i int, side Side) []numbered {
	if d.sides[i] == nil {
		d.sides[i] = map[Side][]numbered{}
		readPatch(d.files[i].Patch, func(kind byte, old, new, hunk int, head, text string) {
			if kind != '+' {
				d.sides[i][Old] = append(d.sides[i][Old], numbered{old, text, hunk, head})
			}
			if kind != '-' {
				d.sides[i][New] = append(d.sides[i][New], numbered{new, text, hunk, head})
			}
		})
	}
	return d.sides[i][side]
}

// nearest returns where lines are in a file, as near to a number as possible; -1: nowhere.
func nearest(lines []numbered, quote []string, number int) int {
	best := -1
	for i := range lines {
		if !hasAt(lines, i, quote) {
			continue
		}
		if best < 0 || distance(lines[i].number, number) < distance(lines[best].number, number) {
			best = i
		}
	}
	return best
}

// hasAt reports whether a quote stands at an index, within one hunk.
func hasAt(lines []numbered, at int, quote []string) bool {
	if len(quote) == 0 || at+len(quote) > len(lines) || lines[at].hunk != lines[at+len(quote)-1].hunk {
		return false
	}
	for i, q := range quote {
		if shorten(lines[at+i].text) != q {
			return false
		}
	}
	return true
}

func distance(a, b int) int { return max(a-b, b-a) }

// replaced returns where lines that are gone were: below what was above them, or above
// what was below them, or else the line of the same number if a hunk has it. 0: nowhere.
func replaced(lines []numbered, s Spot) int {
	for n := len(s.Before); n > 0; n-- {
		above := s.Before[len(s.Before)-n:]
		if isBlank(above) {
			continue
		}
		if at := nearest(lines, above, s.Line-n); at >= 0 {
			last := at + n - 1
			if last+1 < len(lines) && lines[last+1].hunk == lines[last].hunk {
				return lines[last+1].number
			}
			return lines[last].number
		}
	}
	for n := len(s.After); n > 0; n-- {
		below := s.After[:n]
		if isBlank(below) {
			continue
		}
		if at := nearest(lines, below, max(s.Last, s.Line)+1); at >= 0 {
			if at > 0 && lines[at-1].hunk == lines[at].hunk {
				return lines[at-1].number
			}
			return lines[at].number
		}
	}
	if slices.ContainsFunc(lines, func(l numbered) bool { return l.number == s.Line }) {
		return s.Line
	}
	return 0
}

func isBlank(lines []string) bool { return strings.TrimSpace(strings.Join(lines, "")) == "" }

// Quoted returns a spot with what the diff has of it: the hunk, the lines and the lines
// around them. A spot that the diff does not show is returned as it is.
func (d *Diff) Quoted(s Spot) Spot {
	i := slices.IndexFunc(d.files, func(f File) bool { return f.Path == s.Path })
	if i < 0 || s.Line == 0 {
		return s
	}
	s.Side = cmp.Or(s.Side, New)
	lines := d.side(i, s.Side)
	first := slices.IndexFunc(lines, func(l numbered) bool { return l.number == s.Line })
	if first < 0 {
		return s
	}
	end := first + 1
	for end < len(lines) && lines[end].number <= s.Last && lines[end].hunk == lines[first].hunk {
		end++
	}
	texts := func(from, to int) (all []string) {
		for k := max(from, 0); k < min(to, len(lines)); k++ {
			if lines[k].hunk == lines[first].hunk {
				all = append(all, lines[k].text)
			}
		}
		return all
	}
	s.Hunk, s.Quote = lines[first].head, texts(first, end)
	s.Before, s.After = texts(first-around, first), texts(end, end+around)
	return s.bounded()
}

// readPatch calls f with every line of a patch that is a line of the file. Old and
// new are its line numbers; the number of a side without the line is 0.
func readPatch(patch string, f func(kind byte, old, new, hunk int, head, text string)) {
	hunk, head := -1, ""
	EachLine(patch, func(line string, old, new int) {
		switch {
		case strings.HasPrefix(line, "@@ "):
			hunk, head = hunk+1, line
		case old+new == 0: // a remark of git's
		case line == "":
			f(' ', old, new, hunk, head, "")
		default:
			f(line[0], old, new, hunk, head, line[1:])
		}
	})
}

// EachLine calls f with every line of a patch as git has it, heads of hunks too, and its
// numbers on both sides; 0: it has none there.
func EachLine(patch string, f func(line string, old, new int)) {
	old, new := 0, 0
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		at := [2]int{}
		switch {
		case strings.HasPrefix(line, "@@ "):
			old, new = firstNumbers(line)
		case strings.HasPrefix(line, "-"):
			at[0], old = old, old+1
		case strings.HasPrefix(line, "+"):
			at[1], new = new, new+1
		case !strings.HasPrefix(line, `\`):
			at[0], at[1], old, new = old, new, old+1, new+1
		}
		f(line, at[0], at[1])
	}
}

// firstNumbers reads @@ -1,2 +3,4 @@.
func firstNumbers(head string) (old, new int) {
	fields := strings.Fields(head)
	if len(fields) < 3 {
		return 0, 0
	}
	number := func(field string) int {
		first, _, _ := strings.Cut(strings.TrimLeft(field, "+-"), ",")
		n, _ := strconv.Atoi(first) // git writes numbers
		return n
	}
	return number(fields[1]), number(fields[2])
}
