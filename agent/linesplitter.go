package agent

import (
	"bytes"
	"fmt"
)

// maxLine is the longest line that a renderer gets. A longer one is counted, not kept.
const maxLine = 1 << 20

// lineSplitter sits between a terminal and its screen. It splits a structured stream into
// lines for a renderer; without one it passes everything on.
type lineSplitter struct {
	renderer Renderer
	line     []byte
	skipped  int // bytes of a line that is too long
}

func newLineSplitter(r Renderer) *lineSplitter { return &lineSplitter{renderer: r} }

func (s *lineSplitter) feed(p []byte) []byte {
	if s.renderer == nil {
		return p
	}
	var out []byte
	for len(p) > 0 {
		line, rest, whole := bytes.Cut(p, []byte("\n"))
		s.add(line)
		if whole {
			out = append(out, s.flush()...)
		}
		p = rest
	}
	return out
}

func (s *lineSplitter) add(part []byte) {
	if s.skipped > 0 || len(s.line)+len(part) > maxLine {
		s.skipped += len(s.line) + len(part)
		s.line = nil
		return
	}
	s.line = append(s.line, part...)
}

func (s *lineSplitter) flush() []byte {
	line, skipped := bytes.TrimRight(s.line, "\r"), s.skipped
	s.line, s.skipped = s.line[:0], 0
	if skipped > 0 {
		return s.renderer.Render(fmt.Appendf(nil, "(a line of %.1f MB, too long to show; it is in the log)",
			float64(skipped)/1e6))
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	return s.renderer.Render(line)
}

func (s *lineSplitter) close() []byte {
	if s.renderer == nil {
		return nil
	}
	return append(s.flush(), s.renderer.Close()...)
}
