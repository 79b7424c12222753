package agent

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"ferrus/ui/text"
)

// The colors of renderers; everything is readable without them.
const (
	plainly = "\x1b[0m"
	bold    = "\x1b[1m"
	faint   = "\x1b[2m"
	red     = "\x1b[31m"
	green   = "\x1b[32m"
	yellow  = "\x1b[33m"
)

// Limits of what is shown; the log has everything.
const (
	maxSayBytes    = 16 << 10 // bytes of a message
	maxDetailCells = 100      // cells of what a call is about
	maxFaultCells  = 400      // cells of why a call failed
	maxTailLines   = 5        // lines of a failed command
)

// transcriptWriter collects the output of a renderer: lines that stay and, below them, one
// progress line, so that a pane is never silent while its agent works.
type transcriptWriter struct {
	out      bytes.Buffer
	calls    []call // running, oldest first
	busy     bool   // the agent's turn has not ended
	standing string // the current progress line
}

type call struct{ id, name, detail string }

// say writes lines that stay.
func (p *transcriptWriter) say(color, s string) {
	s = strings.TrimRight(text.SanitizeLines(s), "\n ")
	if s == "" {
		return
	}
	if cut := len(s) - maxSayBytes; cut > 0 {
		s = text.CutBytes(s, maxSayBytes) + fmt.Sprintf("\n(%d more bytes in the log)", cut)
	}
	p.wipe()
	for line := range strings.SplitSeq(s, "\n") {
		p.write(color, line)
		p.out.WriteString("\r\n")
	}
}

func (p *transcriptWriter) write(color, text string) {
	if color == "" || text == "" {
		p.out.WriteString(text)
		return
	}
	p.out.WriteString(color + text + plainly)
}

// startCall records a call that is running.
func (p *transcriptWriter) startCall(c call) {
	c.name, c.detail = oneLine(c.name, maxDetailCells), oneLine(c.detail, maxDetailCells)
	if !slices.ContainsFunc(p.calls, func(other call) bool { return other.id == c.id }) {
		p.calls = append(p.calls, c)
	}
}

// endCall writes a call with its result. Fault is empty if it succeeded; more is additional
// information.
func (p *transcriptWriter) endCall(c call, fault, more string) {
	if i := slices.IndexFunc(p.calls, func(other call) bool { return other.id == c.id }); i >= 0 {
		c = p.calls[i]
		p.calls = slices.Delete(p.calls, i, i+1)
	}
	p.wipe()
	color, outcome := green, "ok"
	if fault != "" {
		color, outcome = red, "failed: "+oneLine(unwrapMessage(fault), maxFaultCells)
	}
	p.write(color, "● ")
	p.write(bold, oneLine(c.name, maxDetailCells))
	if detail := oneLine(c.detail, maxDetailCells); detail != "" {
		p.out.WriteString("  " + detail)
	}
	p.out.WriteString("  ")
	p.write(color, outcome)
	if more = oneLine(more, maxDetailCells); more != "" {
		p.out.WriteString("  ")
		p.write(faint, more)
	}
	p.out.WriteString("\r\n")
}

// tail writes the last lines of a failed command's output.
func (p *transcriptWriter) tail(output string) {
	lines := strings.Split(strings.TrimSpace(text.SanitizeLines(output)), "\n")
	for _, line := range lines[max(0, len(lines)-maxTailLines):] {
		if line = oneLine(line, maxDetailCells); line != "" {
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

// flush returns what was written, with a new progress line. That line does not wrap, so that
// it can be wiped.
func (p *transcriptWriter) flush() []byte {
	now := p.progressLine()
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

func (p *transcriptWriter) progressLine() string {
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

// close writes the calls that never ended, and removes the progress line.
func (p *transcriptWriter) close() []byte {
	for len(p.calls) > 0 {
		p.endCall(p.calls[0], "no result: the session ended", "")
	}
	p.busy = false
	return p.flush()
}

// oneLine returns the first line of s that is not blank, cut to a number of cells.
func oneLine(s string, cells int) string { return text.Cut(text.FirstLine(s), cells) }

// formatTokens formats a session's usage.
func formatTokens(in, cached, out int) string {
	words := fmt.Sprintf("tokens: %d in", in)
	if cached > 0 {
		words += fmt.Sprintf(" (%d cached)", cached)
	}
	return words + fmt.Sprintf(", %d out", out)
}
