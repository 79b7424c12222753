package agent

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"ferrus/ui/text"
)

// How renderers colour; everything is readable without.
const (
	plainly = "\x1b[0m"
	bold    = "\x1b[1m"
	faint   = "\x1b[2m"
	red     = "\x1b[31m"
	green   = "\x1b[32m"
	yellow  = "\x1b[33m"
)

// How much of one thing is shown; the log has all of it.
const (
	longText   = 16 << 10 // bytes of what an agent says
	longDetail = 100      // cells of what a call is about
	longFault  = 400      // cells of why one failed
	longTail   = 5        // lines of a failed command
)

// transcriptWriter is what a renderer writes on: lines that stay and, under them, one line
// that says what is going on, so that a pane is never mute while its agent works.
type transcriptWriter struct {
	out      bytes.Buffer
	calls    []call // begun and without an outcome, oldest first
	busy     bool   // the agent's turn has begun and not ended
	standing string // the line at the bottom now
}

type call struct{ id, name, detail string }

// say writes lines that stay.
func (p *transcriptWriter) say(colour, s string) {
	s = strings.TrimRight(text.SanitizeLines(s), "\n ")
	if s == "" {
		return
	}
	if cut := len(s) - longText; cut > 0 {
		s = text.CutBytes(s, longText) + fmt.Sprintf("\n(%d more bytes in the log)", cut)
	}
	p.wipe()
	for line := range strings.SplitSeq(s, "\n") {
		p.write(colour, line)
		p.out.WriteString("\r\n")
	}
}

func (p *transcriptWriter) write(colour, text string) {
	if colour == "" || text == "" {
		p.out.WriteString(text)
		return
	}
	p.out.WriteString(colour + text + plainly)
}

// begin notes a call whose outcome is to come.
func (p *transcriptWriter) begin(c call) {
	c.name, c.detail = oneLine(c.name, longDetail), oneLine(c.detail, longDetail)
	if !slices.ContainsFunc(p.calls, func(other call) bool { return other.id == c.id }) {
		p.calls = append(p.calls, c)
	}
}

// end writes a call with its outcome; fault is empty when it went well, and more
// is what else is worth knowing of it.
func (p *transcriptWriter) end(c call, fault, more string) {
	if i := slices.IndexFunc(p.calls, func(other call) bool { return other.id == c.id }); i >= 0 {
		c = p.calls[i]
		p.calls = slices.Delete(p.calls, i, i+1)
	}
	p.wipe()
	colour, outcome := green, "ok"
	if fault != "" {
		colour, outcome = red, "failed: "+oneLine(worded(fault), longFault)
	}
	p.write(colour, "● ")
	p.write(bold, oneLine(c.name, longDetail))
	if detail := oneLine(c.detail, longDetail); detail != "" {
		p.out.WriteString("  " + detail)
	}
	p.out.WriteString("  ")
	p.write(colour, outcome)
	if more = oneLine(more, longDetail); more != "" {
		p.out.WriteString("  ")
		p.write(faint, more)
	}
	p.out.WriteString("\r\n")
}

// tail writes the last lines of what a failed command said.
func (p *transcriptWriter) tail(output string) {
	lines := strings.Split(strings.TrimSpace(text.SanitizeLines(output)), "\n")
	for _, line := range lines[max(0, len(lines)-longTail):] {
		if line = oneLine(line, longDetail); line != "" {
			p.say(faint, "  "+line)
		}
	}
}

func (p *transcriptWriter) wipe() {
	if p.standing != "" {
		p.out.WriteString("\r\x1b[K")
		p.standing = ""
	}
}

// take returns what was written, with the line at the bottom renewed. That line
// does not wrap, so that it can be wiped.
func (p *transcriptWriter) take() []byte {
	now := p.going()
	if now != p.standing {
		p.wipe()
		if now != "" {
			p.out.WriteString("\x1b[?7l")
			p.write(faint, now)
			p.out.WriteString("\x1b[?7h")
		}
		p.standing = now
	}
	written := bytes.Clone(p.out.Bytes())
	p.out.Reset()
	return written
}

func (p *transcriptWriter) going() string {
	switch {
	case len(p.calls) == 0 && p.busy:
		return "… thinking"
	case len(p.calls) == 0:
		return ""
	}
	first := p.calls[0]
	now := "○ " + strings.TrimRight(first.name+"  "+first.detail, " ")
	if more := len(p.calls) - 1; more > 0 {
		now += fmt.Sprintf("  and %d more", more)
	}
	return now
}

// close says which calls never ended and leaves nothing at the bottom.
func (p *transcriptWriter) close() []byte {
	for len(p.calls) > 0 {
		p.end(p.calls[0], "no outcome, the session ended", "")
	}
	p.busy = false
	return p.take()
}

// oneLine returns the first line of s that says something, cut to so many cells.
func oneLine(s string, cells int) string { return text.Cut(text.FirstLine(s), cells) }

// tokens words what a session used.
func tokens(in, cached, out int) string {
	words := fmt.Sprintf("tokens: %d in", in)
	if cached > 0 {
		words += fmt.Sprintf(" (%d cached)", cached)
	}
	return words + fmt.Sprintf(", %d out", out)
}
