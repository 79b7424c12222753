package checks

import (
	"bytes"
	"io"
	"sync"
	"time"

	"ferrus/checks/testnames"
)

// What is kept of the output of one command.
const (
	tailLines = 1000
	tailBytes = 64 << 10
	lineBytes = 4 << 10 // of one line: half from its start, half from its end
	feedLines = 200     // waiting to be shown
	feedEvery = 50 * time.Millisecond
)

var newline = []byte("\n")

// output receives what a command writes: all of it goes to the log, the last
// lines are kept, the newest are shown.
type output struct {
	log  io.Writer
	feed *feed

	line    outputLine
	counter counter
	names   *testnames.Reader // of tests; nil: they are not asked for
	decode  bool              // it is go test's output for machines
	cached  []string          // of the packages of go test
	lines   int
	tail    ring
	fault   error // of the log; the first one
}

func newOutput(log io.Writer, f *feed) *output {
	return &output{log: log, feed: f, tail: ring{maxLines: tailLines, maxBytes: tailBytes}}
}

func (o *output) Write(p []byte) (int, error) {
	if o.log != nil && o.fault == nil {
		_, o.fault = o.log.Write(p)
	}
	for rest := o.skip(p); len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			o.line.add(rest)
			break
		}
		o.line.add(rest[:i])
		o.endLine()
		rest = rest[i+1:]
	}
	return len(p), nil
}

// skip counts the lines of a flood that would leave the ring at once, and
// returns what is worth showing. Tests are counted in all of them.
func (o *output) skip(p []byte) []byte {
	extra := bytes.Count(p, newline) - tailLines
	if extra <= 0 {
		return p
	}
	for i := range extra {
		end := bytes.IndexByte(p, '\n')
		if i == 0 {
			o.line.add(p[:end])
			o.count(o.line.cut())
		} else if line, ok := worthCounting(p[:end]); ok {
			o.count(line)
		}
		p = p[end+1:]
	}
	o.lines += extra
	return p
}

// close ends a last line that has no newline.
func (o *output) close() {
	if o.line.size > 0 {
		o.endLine()
	}
}

func (o *output) endLine() {
	text := o.line.cut()
	o.lines++
	o.count(text)
	o.tail.add(text)
	o.feed.add(text)
}

// count looks for tests in a line of plain text.
func (o *output) count(text string) {
	o.counter.countLine(text)
	if o.names != nil {
		o.names.Read(text)
	}
}

// outputLine is one line of any length in bounded memory.
type outputLine struct {
	head, rest []byte
	size       int
}

func (l *outputLine) add(p []byte) {
	l.size += len(p)
	if room := lineBytes/2 - len(l.head); room > 0 {
		n := min(room, len(p))
		l.head, p = append(l.head, p[:n]...), p[n:]
	}
	if len(p) > lineBytes/2 {
		l.rest, p = l.rest[:0], p[len(p)-lineBytes/2:]
	}
	l.rest = append(l.rest, p...)
	if len(l.rest) > 2*lineBytes {
		l.rest = append(l.rest[:0], l.rest[len(l.rest)-lineBytes/2:]...)
	}
}

func (l *outputLine) cut() string {
	rest := l.rest
	if len(rest) > lineBytes/2 {
		rest = rest[len(rest)-lineBytes/2:]
	}
	text := cut(l.head, rest, l.size-len(l.head)-len(rest))
	l.head, l.rest, l.size = l.head[:0], l.rest[:0], 0
	return text
}

// ring keeps the last lines, bounded by number and by bytes.
type ring struct {
	maxLines, maxBytes int
	lines              []string
	first, bytes       int // of the kept ones in lines
}

func (r *ring) add(text string) {
	r.lines = append(r.lines, text)
	r.bytes += len(text)
	for r.bytes > r.maxBytes || len(r.lines)-r.first > r.maxLines {
		r.bytes -= len(r.lines[r.first])
		r.lines[r.first] = ""
		r.first++
	}
	if r.first > r.maxLines {
		r.lines = append([]string(nil), r.lines[r.first:]...)
		r.first = 0
	}
}

func (r *ring) all() []string { return append([]string(nil), r.lines[r.first:]...) }

// feed shows lines at a bounded rate: while a flood lasts, the newest.
type feed struct {
	show func(Progress)

	mu      sync.Mutex // guards what follows, and makes show one at a time
	current Progress
	waiting ring
}

func newFeed(show func(Progress)) *feed {
	return &feed{show: show, waiting: ring{maxLines: feedLines, maxBytes: tailBytes}}
}

func (f *feed) add(text string) {
	if f.show == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting.add(text)
}

// startCommand shows that a command starts.
func (f *feed) startCommand(index int, command string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.current = Progress{Index: index, Command: command}
	f.send(f.current)
}

// end shows what still waits and how the command ended.
func (f *feed) end(r Result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flush()
	p := f.current
	p.Done = &r
	f.send(p)
}

// run shows lines while a command runs, until done is closed.
func (f *feed) run(done <-chan struct{}) {
	if f.show == nil {
		return
	}
	ticks := time.NewTicker(feedEvery)
	defer ticks.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticks.C:
			f.mu.Lock()
			f.flush()
			f.mu.Unlock()
		}
	}
}

func (f *feed) flush() {
	for _, text := range f.waiting.all() {
		p := f.current
		p.Line = text
		f.send(p)
	}
	f.waiting = ring{maxLines: feedLines, maxBytes: tailBytes}
}

func (f *feed) send(p Progress) {
	if f.show != nil {
		f.show(p)
	}
}
