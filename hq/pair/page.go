package pair

import (
	"bytes"
	"strings"
	"sync"

	"ferrus/ui/text"
)

// pageLimit is the number of bytes at the end of an agent's output that are kept.
const pageLimit = 256 << 10

// page collects the lines that an agent prints, without escape sequences. The goroutine that
// reads the agent's terminal writes to it.
type page struct {
	lines func(string) // called with each line

	mu   sync.Mutex // guards what follows
	open []byte     // the last line, which has no end yet
	all  []string
	size int
}

// reset clears the page for another session.
func (p *page) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open, p.all, p.size = nil, nil, 0
}

func (p *page) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	written := len(data)
	for {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		p.open = append(p.open, line...)
		if whole || len(p.open) > pageLimit {
			p.add(string(p.open))
			p.open = p.open[:0]
		}
		if !whole {
			return written, nil
		}
		data = rest
	}
}

// add appends a line. The caller holds mu.
func (p *page) add(line string) {
	line = text.Output(line)
	p.all = append(p.all, line)
	p.size += len(line) + 1
	for p.size > pageLimit && len(p.all) > 1 {
		p.size -= len(p.all[0]) + 1
		p.all = p.all[1:]
	}
	if p.lines != nil && strings.TrimSpace(line) != "" {
		p.lines(line)
	}
}

// finish adds a last line that has no end.
func (p *page) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.open) > 0 {
		p.add(string(p.open))
		p.open = nil
	}
}

// String returns the lines that were kept.
func (p *page) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.all, "\n")
}
