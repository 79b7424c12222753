// Package spec reads and writes specifications: Markdown files in the project, divided
// into milestones that become tasks one after the other.
//
// A milestone is a line "- [ ] #MARKER TITLE" and the lines after it, up to the next
// milestone or heading. One of these is its "ID:"; another can be "Depends on:" with the
// ids of milestones that come first, or "none". A ticked box means that it is done. Lines
// in a fenced block are plain text.
//
// [Parse] never fails: it returns the problems of a specification beside what it could
// read. Files are read and written only inside the project, never through a link that
// leaves it.
package spec

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// Spec is one specification.
type Spec struct {
	Path       string // below the project, with slashes
	Title      string // the first heading of level 1; empty: none
	Milestones []Milestone
	Problems   []Problem
}

// Milestone is one checkbox of a specification, the source of one task.
type Milestone struct {
	ID      string // m1.0; without one it cannot be selected
	Marker  string // #1.0
	Title   string
	Done    bool
	Depends []string // ids of the milestones to be done first
	Line    int      // of its box, from 1
	Text    string   // the lines below its box, as written

	box int // offset of the character between the brackets
}

// Problem makes a specification unusable until it is fixed.
type Problem struct {
	Line int // from 1
	Text string
}

func (p Problem) String() string { return fmt.Sprintf("line %d: %s", p.Line, p.Text) }

// String returns the marker and the title.
func (m Milestone) String() string { return m.Marker + " " + m.Title }

var (
	box     = lazyregexp.New(`^\s*- \[([ xX])\] (#\S+)[ \t]+(\S.*?)\s*$`)
	heading = lazyregexp.New(`^#{1,6}\s`)
	fence   = lazyregexp.New("^\\s*(```|~~~)")
)

// Parse parses the text of the specification at a path.
func Parse(name, text string) Spec {
	r := reader{spec: Spec{Path: name}}
	for line := range strings.Lines(text) {
		r.readLine(line)
	}
	r.spec.check()
	slices.SortStableFunc(r.spec.Problems, func(a, b Problem) int { return a.Line - b.Line })
	return r.spec
}

// reader parses a specification line by line.
type reader struct {
	spec   Spec
	number int    // of the present line, from 1
	at     int    // offset of the present line
	fenced string // what the open fence ends with
	inside bool   // in the lines of the last milestone
}

func (r *reader) readLine(line string) {
	r.number++
	defer func() { r.at += len(line) }()
	if r.inside && (r.fenced != "" || !box.MatchString(line) && !heading.MatchString(line)) {
		r.spec.Milestones[len(r.spec.Milestones)-1].Text += line
	}
	if mark := fence.FindStringSubmatch(line); mark != nil && (r.fenced == "" || r.fenced == mark[1]) {
		if r.fenced == "" {
			r.fenced = mark[1]
		} else {
			r.fenced = ""
		}
		return
	}
	if r.fenced != "" {
		return
	}
	if at := box.FindStringSubmatchIndex(line); at != nil {
		r.inside = true
		r.spec.Milestones = append(r.spec.Milestones, Milestone{
			Marker: line[at[4]:at[5]], Title: line[at[6]:at[7]],
			Done: line[at[2]] != ' ', Line: r.number, box: r.at + at[2],
		})
		return
	}
	if heading.MatchString(line) {
		r.inside = false
		if title, ok := strings.CutPrefix(line, "# "); ok && r.spec.Title == "" {
			r.spec.Title = strings.TrimSpace(title)
		}
		return
	}
	if r.inside {
		r.detail(&r.spec.Milestones[len(r.spec.Milestones)-1], strings.TrimPrefix(strings.TrimSpace(line), "- "))
	}
}

// detail parses a line of a milestone. The first ID counts.
func (r *reader) detail(m *Milestone, line string) {
	if id, ok := strings.CutPrefix(line, "ID:"); ok {
		id = strings.TrimSpace(id)
		switch {
		case id == "" || id == m.ID:
		case m.ID != "":
			r.spec.problem(r.number, "%s already has the ID %s, and now also %s: keep one", m.Marker, m.ID, id)
		case strings.ContainsAny(id, " \t,"):
			r.spec.problem(r.number, "the ID %q is more than one word", id)
		default:
			m.ID = id
		}
	}
	if on, ok := strings.CutPrefix(line, "Depends on:"); ok {
		for id := range strings.FieldsFuncSeq(on, func(c rune) bool {
			return c == ',' || c == ' ' || c == '\t' || c == '\r' || c == '\n'
		}) {
			if !strings.EqualFold(id, "none") && !slices.Contains(m.Depends, id) {
				m.Depends = append(m.Depends, id)
			}
		}
	}
}

func (s *Spec) problem(line int, format string, args ...any) {
	s.Problems = append(s.Problems, Problem{line, fmt.Sprintf(format, args...)})
}

// check adds the problems between milestones: doubled ids, unknown ids and cycles.
func (s *Spec) check() {
	first := map[string]Milestone{}
	for _, m := range s.Milestones {
		if before, ok := first[m.ID]; ok && m.ID != "" {
			s.problem(m.Line, "%s has the ID %s of %s in line %d: give each its own", m.Marker, m.ID,
				before.Marker, before.Line)
			continue
		}
		first[m.ID] = m
	}
	for _, m := range s.Milestones {
		for _, id := range m.Depends {
			if _, ok := first[id]; !ok {
				s.problem(m.Line, "%s depends on %s, which is not the ID of a milestone", m.Marker, id)
			}
		}
	}
	s.cycles(first)
}

// cycles adds each cycle of dependencies once, at its first milestone.
func (s *Spec) cycles(all map[string]Milestone) {
	const open, closed = 1, 2
	state := map[string]int{}
	var trail []string
	var walk func(id string)
	walk = func(id string) {
		state[id] = open
		trail = append(trail, id)
		for _, next := range all[id].Depends {
			if _, ok := all[next]; !ok || next == "" {
				continue
			}
			switch state[next] {
			case open:
				circle := append(slices.Clone(trail[slices.Index(trail, next):]), next)
				s.problem(all[next].Line, "the milestones %s depend on each other in a cycle: none can be first",
					strings.Join(circle, " -> "))
			case 0:
				walk(next)
			}
		}
		trail = trail[:len(trail)-1]
		state[id] = closed
	}
	for _, m := range s.Milestones {
		if m.ID != "" && state[m.ID] == 0 {
			walk(m.ID)
		}
	}
}

var dated = lazyregexp.New(`^\d{4}-\d\d-\d\d-`)

// Name returns the name of the file, without extension and date.
func (s Spec) Name() string { return Name(s.Path) }

// Name returns the name of the specification at a path: the name of the file, without
// extension and date.
func Name(file string) string {
	return dated.ReplaceAllString(strings.TrimSuffix(path.Base(file), ".md"), "")
}

// Err returns all problems as one error; nil if there are none.
func (s Spec) Err() error {
	if len(s.Problems) == 0 {
		return nil
	}
	all := make([]string, len(s.Problems))
	for i, p := range s.Problems {
		all[i] = p.String()
	}
	return fmt.Errorf("%s has to be edited first: %s", s.Path, strings.Join(all, "; "))
}

// Find returns the milestone with an id.
func (s Spec) Find(id string) (Milestone, bool) {
	i := slices.IndexFunc(s.Milestones, func(m Milestone) bool { return m.ID == id && id != "" })
	if i < 0 {
		return Milestone{}, false
	}
	return s.Milestones[i], true
}

// Waits returns the ids that a milestone depends on and that are not done.
func (s Spec) Waits(m Milestone) []string {
	var open []string
	for _, id := range m.Depends {
		if on, ok := s.Find(id); !ok || !on.Done {
			open = append(open, id)
		}
	}
	return open
}

// Ready reports whether a milestone can be worked on: it is open, has an id, and what it
// depends on is done.
func (s Spec) Ready(m Milestone) bool { return !m.Done && m.ID != "" && len(s.Waits(m)) == 0 }

// Next returns the first ready milestone after another one, or else the first ready one of
// all. After is an id, or empty for the beginning.
func (s Spec) Next(after string) (Milestone, bool) {
	at := slices.IndexFunc(s.Milestones, func(m Milestone) bool { return m.ID == after && after != "" })
	for _, part := range [][]Milestone{s.Milestones[at+1:], s.Milestones} {
		if i := slices.IndexFunc(part, s.Ready); i >= 0 {
			return part[i], true
		}
	}
	return Milestone{}, false
}

// Progress counts the milestones with an id, and how many of them are done.
func (s Spec) Progress() (done, all int) {
	for _, m := range s.Milestones {
		if m.ID != "" {
			all++
		}
		if m.ID != "" && m.Done {
			done++
		}
	}
	return done, all
}
