package agent

import (
	"errors"
	"io"
	"sync"
)

// ErrUnread says that an agent has left as much input unread as is kept for it.
var ErrUnread = errors.New("send input: the agent does not read")

// unread is how much input is kept for an agent that does not read.
const unread = 1 << 20

// input carries what is typed to a program that may not read it, so that nobody
// who types waits.
type input struct {
	more chan struct{} // of size 1: the queue is not empty, or has ended

	mu    sync.Mutex // guards the rest
	queue []byte
	size  int // queued and being written
	ended bool
}

func newInput() *input { return &input{more: make(chan struct{}, 1)} }

// add takes all of p or nothing.
func (in *input) add(p []byte) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.ended {
		return errors.New("send input: the session is over")
	}
	if in.size+len(p) > unread {
		return ErrUnread
	}
	in.queue, in.size = append(in.queue, p...), in.size+len(p)
	set(in.more)
	return nil
}

func (in *input) end() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.ended = true
	set(in.more)
}

func (in *input) take() (queue []byte, ended bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	queue, in.queue = in.queue, nil
	in.size = len(queue)
	return queue, in.ended
}

// deliver writes what is typed until the terminal is closed. An error is the end
// of the terminal, which the reader of it reports.
func (in *input) deliver(terminal io.Writer) {
	for {
		queue, ended := in.take()
		if ended {
			return
		}
		if len(queue) == 0 {
			<-in.more
			continue
		}
		if _, err := terminal.Write(queue); err != nil {
			in.end()
			return
		}
	}
}
