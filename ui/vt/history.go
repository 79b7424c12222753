package vt

import "slices"

const (
	lineBudget = 768     // bytes kept for each line of the limit, on average
	leastBytes = 1 << 16 // kept in any case
	chunkSize  = 1 << 15
)

// history is the scrollback: lines as text with sequences, packed, the oldest
// forgotten when there are more than limit lines or the budget of bytes is
// spent. Once it is full, new lines go where the forgotten ones were: it allocates nothing.
type history struct {
	lines []historyLine // a ring of count lines from first on
	first int
	count int
	limit int
	bytes int
	gone  int // lines that were forgotten

	chunks []chunk // the texts of the lines, the oldest first
	before int     // chunks that were forgotten
	spare  []byte  // a forgotten one, for the next

	scratch []byte // for text that is about to be copied
}

// historyLine is one row that left the screen. It has no pointers, which the garbage collector
// would have to follow.
type historyLine struct {
	chunk       int // its number, from the beginning of the history
	start, size int32
	wrapped     bool
	prompt      bool
}

// chunk is memory for the texts of some lines.
type chunk struct {
	text  []byte
	lines int // that have their texts here
}

// push adds the newest line, with a copy of its text, see Terminal.appendCells.
func (h *history) push(text []byte, wrapped, prompt bool) {
	if h.count == h.limit {
		h.dropOldest()
	}
	if h.count == len(h.lines) {
		h.grow()
	}
	n := len(h.chunks) - 1
	if n < 0 || len(text) > cap(h.chunks[n].text)-len(h.chunks[n].text) {
		h.addChunk(len(text))
		n = len(h.chunks) - 1
	}
	c := &h.chunks[n]
	added := historyLine{h.before + n, int32(len(c.text)), int32(len(text)), wrapped, prompt}
	c.text = append(c.text, text...)
	c.lines++
	*h.lineAt(h.count) = added
	h.count++
	h.bytes += len(text)
	for h.bytes > max(h.limit*lineBudget, leastBytes) {
		h.dropOldest()
	}
}

// addChunk makes room for a text of so many bytes.
func (h *history) addChunk(size int) {
	text := h.spare
	h.spare = nil
	if size > chunkSize || cap(text) != chunkSize {
		text = make([]byte, 0, max(chunkSize, size))
	}
	h.chunks = append(h.chunks, chunk{text: text[:0]})
}

func (h *history) lineAt(n int) *historyLine {
	n += h.first
	if n >= len(h.lines) {
		n -= len(h.lines)
	}
	return &h.lines[n]
}

// read returns the text of a line, which is valid until a line is added.
func (h *history) read(l historyLine) []byte {
	return h.chunks[l.chunk-h.before].text[l.start : l.start+l.size]
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
	h.bytes -= int(l.size)
	h.first++
	if h.first == len(h.lines) {
		h.first = 0
	}
	h.count--
	h.gone++
	oldest := &h.chunks[0]
	oldest.lines--
	switch {
	case oldest.lines > 0:
	case len(h.chunks) == 1:
		oldest.text = oldest.text[:0]
	default:
		h.spare = oldest.text
		h.chunks = slices.Delete(h.chunks, 0, 1)
		h.before++
	}
}

// pop takes the newest line back. Its text is valid until a line is added.
func (h *history) pop() (taken historyLine, text []byte) {
	taken = *h.lineAt(h.count - 1)
	text = h.read(taken)
	n := taken.chunk - h.before
	h.chunks = h.chunks[:n+1] // those behind it have no lines any more
	h.chunks[n].text = h.chunks[n].text[:taken.start]
	h.chunks[n].lines--
	h.bytes -= int(taken.size)
	h.count--
	return taken, text
}

// wrapped reports whether the newest line continues in the first row of the screen.
func (h *history) wrapped() bool { return h.count > 0 && h.lineAt(h.count-1).wrapped }

func (h *history) clear() { *h = history{limit: h.limit, gone: h.gone + h.count} }
