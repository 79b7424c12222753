package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
)

// pane prints what an agent does, for you to watch.
type pane struct {
	mu    sync.Mutex // guards out: progress comes from another goroutine
	out   io.Writer
	plain bool
	speed time.Duration
}

func newPane(o Options) *pane {
	if o.Out == nil {
		o.Out = io.Discard
	}
	return &pane{out: o.Out, plain: o.Plain, speed: o.Speed}
}

// The colours are the terminal's own, so that they fit any theme.
const (
	bold, dim, red, green, yellow, blue, cyan = "1", "2", "31", "32", "33", "34", "36"
)

func (p *pane) printLine(colour, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, row := range fold(strings.ReplaceAll(text, "\t", "    "), p.width()) {
		if p.plain || colour == "" {
			fmt.Fprintf(p.out, "%s\n", row)
			continue
		}
		fmt.Fprintf(p.out, "\x1b[%sm%s\x1b[0m\n", colour, row)
	}
}

// width returns the columns of the terminal; 0: there is none.
func (p *pane) width() int {
	terminal, ok := p.out.(*os.File)
	if !ok {
		return 0
	}
	size, err := pty.GetsizeFull(terminal)
	if err != nil {
		return 0
	}
	return int(size.Cols)
}

// fold breaks a line between words, and indents the rest below its text.
func fold(text string, width int) []string {
	mark, rest := text[:len(text)-len(strings.TrimLeft(text, " *>~+-|"))], strings.TrimLeft(text, " *>~+-|")
	if width <= len(mark)+10 || len(text) <= width {
		return []string{text}
	}
	under := strings.Map(func(r rune) rune {
		if r == '|' {
			return r
		}
		return ' '
	}, mark)
	rows := strings.Split(ansi.Wrap(rest, width-len(mark), ""), "\n")
	for i := range rows {
		if i == 0 {
			rows[i] = mark + rows[i]
			continue
		}
		rows[i] = under + rows[i]
	}
	return rows
}

// Write prints what the server writes to its standard error.
func (p *pane) Write(data []byte) (int, error) {
	p.printLine(yellow, strings.TrimRight(string(data), "\n"))
	return len(data), nil
}

func (p *pane) title(o Options) {
	p.printLine(bold, strings.TrimSpace("demo "+o.Role+" "+o.Mode))
}

func (p *pane) say(text string)   { p.printLine(blue, "* "+text) }
func (p *pane) calls(tool string) { p.printLine(cyan, "> "+tool) }

// progress prints what a tool reports before its result.
func (p *pane) progress(text string) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		p.printLine(dim, "  "+strings.TrimRight(line, "\n"))
	}
}

// answered prints the first sentence of a tool's result, and the report of a gate.
func (p *pane) answered(tool string, a answer) {
	colour := green
	switch {
	case a.refused, a.Status == "failed", a.Status == "limit":
		colour = red
	case a.Status == "timeout", a.Status == "running":
		colour = dim
	}
	p.printLine(colour, "  "+firstSentence(a.text))
	if a.Status == "failed" {
		p.block(a.Report)
	}
	if a.Verdict != "" && tool == "review_pending" {
		p.printLine(dim, "  gate "+a.Verdict+"; changed: "+strings.Join(a.Changed, ", "))
	}
}

// firstSentence returns the beginning of a result, without what to do next.
func firstSentence(text string) string {
	head, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	head, _, _ = strings.Cut(head, " Next: ")
	return head
}

// quote prints a text under a heading.
func (p *pane) quote(what, text string) {
	p.say(what)
	p.block(strings.TrimSpace(text))
}

func (p *pane) block(text string) {
	if text == "" {
		return
	}
	for _, one := range paragraphs(strings.TrimRight(text, "\n")) {
		p.printLine(dim, "  | "+one)
	}
}

// paragraphs returns the lines of a text, and joins lines that only the width of a file
// separates.
func paragraphs(text string) []string {
	var all []string
	for line := range strings.SplitSeq(text, "\n") {
		last := len(all) - 1
		if last >= 0 && continuesParagraph(line) && all[last] != "" && !strings.HasPrefix(all[last], "#") {
			all[last] += " " + strings.TrimSpace(line)
			continue
		}
		all = append(all, line)
	}
	return all
}

// continuesParagraph reports whether a line begins nothing of its own, such as a list item, a
// heading or code.
func continuesParagraph(line string) bool {
	trimmed := strings.TrimLeft(line, " ")
	return trimmed != "" && !strings.ContainsAny(trimmed[:1], "#-*`|0123456789")
}

// file prints the name and length of a file that the agent reads.
func (p *pane) file(name, text string) {
	p.say(fmt.Sprintf("reads %s, %d lines", name, strings.Count(text, "\n")))
}

// diff prints what changes in a file, line by line as if it were typed.
func (p *pane) diff(ctx context.Context, name, before, after string) error {
	p.printLine(bold, "~ "+name)
	for _, change := range compare(lines(before), lines(after)) {
		colour := green
		if change[0] == '-' {
			colour = red
		}
		p.printLine(colour, "  "+change)
		if err := pause(ctx, min(p.speed/20, 40*time.Millisecond)); err != nil {
			return err
		}
	}
	return nil
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

func (p *pane) end(err error) {
	switch {
	case err == nil, errors.Is(err, errOver):
		p.printLine(bold, "done")
	case errors.Is(err, context.Canceled):
		p.printLine(dim, "stopped")
	default:
		p.printLine(red, err.Error())
	}
}
