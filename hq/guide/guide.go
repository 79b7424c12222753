// Package guide is the manual of ferrus: topics in Markdown, embedded in the program.
//
// [List] returns the topics in reading order, and [Find] one by its name. The files
// can be read on a forge as they are: links between them work there. Their tables
// and diagrams are generated (task generate). [Topic.ForTerminal] is the same for a
// terminal, where a link names the command that shows its topic and diagrams are
// left out.
package guide

import (
	"embed"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

//go:embed *.md
var files embed.FS

// Part is a group of topics.
type Part struct {
	Title string
	names []string
}

// Parts are the groups in reading order; each topic is in one.
var Parts = []Part{
	{"Start here", []string{"getting-started", "loop", "hq"}},
	{"Guide", []string{"agents", "checks", "sandbox", "landing", "queue", "workers", "milestones",
		"workflows", "pairs", "troubleshooting"}},
	{"Reference", []string{"commands", "keys", "config", "cli", "exit-codes", "mcp-tools", "files",
		"task-machine", "session-machine", "pair-machine", "workflow-machines"}},
}

// Topic is one page of the guide.
type Topic struct {
	Name    string // landing
	Title   string // Landing
	Summary string // one line: what the page is about
	page    string
}

// Topics returns the topics of a part.
func (p Part) Topics() []Topic {
	all := make([]Topic, 0, len(p.names))
	for _, name := range p.names {
		all = append(all, read(name))
	}
	return all
}

// List returns all topics in reading order.
func List() (all []Topic) {
	for _, p := range Parts {
		all = append(all, p.Topics()...)
	}
	return all
}

// Find returns the topic of a name.
func Find(name string) (Topic, bool) {
	for _, p := range Parts {
		for _, n := range p.names {
			if n == name {
				return read(n), true
			}
		}
	}
	return Topic{}, false
}

// read parses an embedded file: its first line is the title, the next paragraph
// the summary.
func read(name string) Topic {
	data, err := files.ReadFile(name + ".md")
	if err != nil {
		panic(err) // TestEveryFileIsATopic
	}
	page := string(data)
	title, rest, _ := strings.Cut(page, "\n")
	summary, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	return Topic{Name: name, Title: strings.TrimPrefix(title, "# "), Summary: forTerminal(summary), page: page}
}

// ForTerminal returns the page as Markdown for a terminal, with the title.
func (t Topic) ForTerminal() string { return forTerminal(t.page) }

var (
	comment = lazyregexp.New(`(?m)^<!--.*-->\n`)
	diagram = lazyregexp.New("(?ms)^```mermaid\n.*?^```\n\n?")
	image   = lazyregexp.New(`(?m)^!\[.*\]\(.*\)\n`)
	link    = lazyregexp.New(`\[([^\]]+)\]\(([a-z-]+)\.md(?:#[a-z-]*)?\)`)
	gaps    = lazyregexp.New(`\n{3,}`)
)

// forTerminal leaves out what a terminal cannot show, and turns links to topics
// into the commands that show them.
func forTerminal(page string) string {
	for _, hidden := range []*lazyregexp.Regexp{comment, diagram, image} {
		page = hidden.ReplaceAllString(page, "")
	}
	page = link.ReplaceAllStringFunc(page, func(found string) string {
		parts := link.FindStringSubmatch(found)
		if words, name := parts[1], parts[2]; words != name {
			return words + " (`ferrus help " + name + "`)"
		}
		return "`ferrus help " + parts[2] + "`"
	})
	return gaps.ReplaceAllString(page, "\n\n")
}
