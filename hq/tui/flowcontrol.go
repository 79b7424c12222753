package tui

import (
	"bytes"
	"context"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// flowControl is the way to a terminal, which may be far away. Whatever terminal it is
// answers one question, in the order in which it reads: so the answer says that
// all before it has arrived. By that
//
//   - no more than a window of frames is under way: a slow link gets fewer frames,
//     and what is typed is not drawn behind a queue of old ones;
//   - HQ does not end before the last answer to what it asked: it would be typed
//     into the shell.
//
// It costs nothing while nothing is drawn. A terminal that never answers gets
// every frame.
type flowControl struct {
	mu       sync.Mutex
	moved    *sync.Cond
	sent     int       // guarded by mu: bytes since the last question
	asked    int       // guarded by mu: questions
	answered int       // guarded by mu
	lost     int       // guarded by mu: the number of the question of which no answer is waited for any more
	since    time.Time // guarded by mu: of the last question
	heard    bool      // guarded by mu: it has answered before
	quiet    bool      // guarded by mu: nothing is asked any more
}

func newLink() *flowControl {
	l := &flowControl{}
	l.moved = sync.NewCond(&l.mu)
	return l
}

const (
	window = 8 << 10 // bytes under way
	// question asks what the terminal is (DA1).
	question = "\x1b[c"
	// unheard is how long a terminal that never answered may take to.
	unheard = 2 * time.Second
	// overdue is how long one that did may take; then the answer counts as lost.
	overdue = 3 * time.Second
	// possible is how long after a question input may be its answer.
	possible = 10 * time.Second
)

// queries are what Bubble Tea and the screen ask of the terminal: modes, keys, and
// the colour of the background.
var queries = [][]byte{[]byte("$p"), []byte("\x1b[?u"), []byte("\x1b]11;?")}

// ask returns the question that belongs behind output, or nothing.
func (l *flowControl) ask(output []byte) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent += len(output)
	if l.quiet || l.sent < window && !asks(output) {
		return ""
	}
	l.asked, l.sent, l.since = l.asked+1, 0, time.Now()
	return question
}

func asks(output []byte) bool {
	for _, q := range queries {
		if bytes.Contains(output, q) {
			return true
		}
	}
	return false
}

// answer takes one answer, and reports whether it was asked for.
func (l *flowControl) answer() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.answered == l.asked {
		return false
	}
	l.answered++
	l.heard = true
	l.moved.Broadcast()
	return true
}

// awaits reports whether an answer may come.
func (l *flowControl) awaits() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answered < l.asked && time.Since(l.since) < possible
}

// pending reports whether an answer is waited for.
func (l *flowControl) pending() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.late() < 0
}

// late is how long an answer is overdue: less than nothing while it may come, and
// nothing when none is to come.
func (l *flowControl) late() time.Duration {
	switch {
	case l.answered == l.asked, l.lost == l.asked:
		return 0
	case l.heard:
		return time.Since(l.since) - overdue
	}
	return time.Since(l.since) - unheard
}

// room waits until there is room for a frame.
func (l *flowControl) room(ctx context.Context) {
	l.mu.Lock()
	heard := l.heard
	l.mu.Unlock()
	if heard {
		l.wait(ctx)
	}
}

// settle asks nothing any more and waits until all is answered.
func (l *flowControl) settle(ctx context.Context) {
	l.mu.Lock()
	l.quiet = true
	l.mu.Unlock()
	l.wait(ctx)
}

// resume asks again.
func (l *flowControl) resume() {
	l.mu.Lock()
	l.quiet = false
	l.mu.Unlock()
}

// wait returns when no answer is to come, or it is overdue.
func (l *flowControl) wait(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	wake := func() { l.mu.Lock(); l.moved.Broadcast(); l.mu.Unlock() }
	defer context.AfterFunc(ctx, wake)()
	for ctx.Err() == nil {
		late := l.late()
		if late >= 0 {
			l.lost = l.asked
			return
		}
		t := time.AfterFunc(-late, wake)
		l.moved.Wait()
		t.Stop()
	}
}

// released waits until nothing of ours is under way before somebody else gets the
// terminal.
func (d *deck) released(next tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		d.link.settle(d.ctx)
		return next()
	}
}

// ttyWriter is the terminal's end for output.
type ttyWriter struct {
	*os.File
	link *flowControl
}

// Write writes, and asks where it is time to.
func (s ttyWriter) Write(output []byte) (int, error) {
	n, err := s.File.Write(output)
	if err != nil {
		return n, err
	}
	if q := s.link.ask(output); q != "" {
		_, err = s.File.WriteString(q)
	}
	return n, err
}
