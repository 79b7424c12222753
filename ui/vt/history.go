package vt

const (
	lineBudget = 768     // bytes kept for each line of the limit, on average
	leastBytes = 1 << 16 // kept in any case
	chunkSize  = 1 << 15
)

// history is the scrollback: lines as text with sequences, packed, the oldest
// forgotten when there are more than limit lines or the budget of bytes is
// spent.
type history struct {
	lines []historyLine // a ring of count lines from first on
	first int
	count int
	limit int
	bytes int
	gone  int    // lines that were forgotten
	chunk []byte // where the next lines go

	scratch []byte // for text that is about to be copied
}

// historyLine is one row that left the screen.
type historyLine struct {
	text    []byte // see Terminal.appendCells
	wrapped bool
	prompt  bool
}

// push adds the newest line, with a copy of its text.
func (h *history) push(added historyLine) {
	text := added.text
	if h.count == h.limit {
		h.dropOldest()
	}
	if h.count == len(h.lines) {
		h.grow()
	}
	if len(text) > cap(h.chunk)-len(h.chunk) {
		h.chunk = make([]byte, 0, max(chunkSize, len(text)))
	}
	start := len(h.chunk)
	h.chunk = append(h.chunk, text...)
	added.text = h.chunk[start:len(h.chunk):len(h.chunk)]
	*h.lineAt(h.count) = added
	h.count++
	h.bytes += len(text)
	for h.bytes > max(h.limit*lineBudget, leastBytes) {
		h.dropOldest()
	}
}

func (h *history) lineAt(n int) *historyLine {
	n += h.first
	if n >= len(h.lines) {
		n -= len(h.lines)
	}
	return &h.lines[n]
}

// grow makes room for more lines.
func (h *history) grow() {
	lines := make([]historyLine, min(max(2*len(h.lines), 64), h.limit))
	for n := range h.count {
		lines[n] = *h.lineAt(n)
	}
	h.lines, h.first = lines, 0
}

func (h *history) dropOldest() {
	l := h.lineAt(0)
	h.bytes -= len(l.text)
	*l = historyLine{}
	h.first++
	if h.first == len(h.lines) {
		h.first = 0
	}
	h.count--
	h.gone++
}

// pop takes the newest line back.
func (h *history) pop() historyLine {
	l := h.lineAt(h.count - 1)
	taken := *l
	h.bytes -= len(l.text)
	*l = historyLine{}
	h.count--
	return taken
}

// wrapped reports whether the newest line continues in the first row of the screen.
func (h *history) wrapped() bool { return h.count > 0 && h.lineAt(h.count-1).wrapped }

func (h *history) clear() { *h = history{limit: h.limit, gone: h.gone + h.count} }
