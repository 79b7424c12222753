package tty

import (
	"bytes"
	"context"
	"os"
	"sync"
	"time"
)

// flowControl counts the questions that went to a terminal and the answers that came
// back; see the package's doc for what follows from them.
type flowControl struct {
	mu       sync.Mutex
	changed  *sync.Cond // of answered; its lock is mu
	sent     int        // guarded by mu: bytes since the last question
	asked    int        // guarded by mu: questions so far
	answered int        // guarded by mu: answers so far
	lost     int        // guarded by mu: the number of the question whose answer counts as lost
	askedAt  time.Time  // guarded by mu: of the last question
	heard    bool       // guarded by mu: an answer has come before
	quiet    bool       // guarded by mu: no more questions, until resume
}

func newFlowControl() *flowControl {
	f := &flowControl{}
	f.changed = sync.NewCond(&f.mu)
	return f
}

const (
	window = 8 << 10 // bytes that may be under way
	// question asks the terminal what it is (DA1).
	question = "\x1b[c"
	// firstAnswer is how long a terminal that has never answered gets.
	firstAnswer = 2 * time.Second
	// nextAnswer is how long one that has answered gets; then the answer counts as lost.
	nextAnswer = 3 * time.Second
	// lateAnswer is how long after a question input is still taken for its answer.
	lateAnswer = 10 * time.Second
)

// queries are what Bubble Tea and the screen ask the terminal: modes, keys, and the
// colour of the background. Our question behind them tells when they are
// answered.
var queries = [][]byte{[]byte("$p"), []byte("\x1b[?u"), []byte("\x1b]11;?")}

// ask returns the question to send behind output, or nothing.
func (f *flowControl) ask(output []byte) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent += len(output)
	if f.quiet || f.sent < window && !hasQuery(output) {
		return ""
	}
	f.asked, f.sent, f.askedAt = f.asked+1, 0, time.Now()
	return question
}

func hasQuery(output []byte) bool {
	for _, q := range queries {
		if bytes.Contains(output, q) {
			return true
		}
	}
	return false
}

// takeAnswer counts an answer, and reports whether it was asked for.
func (f *flowControl) takeAnswer() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.answered == f.asked {
		return false
	}
	f.answered++
	f.heard = true
	f.changed.Broadcast()
	return true
}

// expectsAnswer reports whether input may be an answer.
func (f *flowControl) expectsAnswer() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.answered < f.asked && time.Since(f.askedAt) < lateAnswer
}

// pending reports whether [flowControl.wait] would wait.
func (f *flowControl) pending() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.overdue() < 0
}

// overdue returns by how much the answer is late: less than 0 while there is time
// for it, and 0 when none is to come. The caller holds mu.
func (f *flowControl) overdue() time.Duration {
	switch {
	case f.answered == f.asked, f.lost == f.asked:
		return 0
	case f.heard:
		return time.Since(f.askedAt) - nextAnswer
	}
	return time.Since(f.askedAt) - firstAnswer
}

func (f *flowControl) awaitRoom(ctx context.Context) {
	f.mu.Lock()
	heard := f.heard
	f.mu.Unlock()
	if heard {
		f.wait(ctx)
	}
}

func (f *flowControl) drain(ctx context.Context) {
	f.mu.Lock()
	f.quiet = true
	f.mu.Unlock()
	f.wait(ctx)
}

func (f *flowControl) resume() {
	f.mu.Lock()
	f.quiet = false
	f.mu.Unlock()
}

// wait returns when every answer has come or is overdue, or ctx is done.
func (f *flowControl) wait(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	wake := func() { f.mu.Lock(); f.changed.Broadcast(); f.mu.Unlock() }
	defer context.AfterFunc(ctx, wake)()
	for ctx.Err() == nil {
		late := f.overdue()
		if late >= 0 {
			f.lost = f.asked
			return
		}
		t := time.AfterFunc(-late, wake)
		f.changed.Wait()
		t.Stop()
	}
}

// writer is the output of a program. It stays a file, because Bubble Tea asks files
// whether they are terminals.
type writer struct {
	*os.File
	flow  *flowControl
	wrote func([]byte) // see [Terminal.Wrote]
}

// Write writes output, and the question where it is time for one.
func (w writer) Write(output []byte) (int, error) {
	if _, err := w.File.Write(withoutMargins(output)); err != nil {
		return 0, err
	}
	if w.wrote != nil {
		w.wrote(output)
	}
	if q := w.flow.ask(output); q != "" {
		if _, err := w.File.WriteString(q); err != nil {
			return 0, err
		}
	}
	return len(output), nil
}
