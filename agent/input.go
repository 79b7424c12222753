package agent

import (
	"errors"
	"io"
	"sync"
)

// ErrUnread reports that an agent has left too much input unread.
var ErrUnread = errors.New("send input: the agent is not reading")

// maxUnread limits the input that is kept for an agent that does not read.
const maxUnread = 1 << 20

// input queues what is typed, so that typing never waits for a program that does not read.
type input struct {
	more chan struct{} // of size 1: the queue is not empty, or has ended

	mu    sync.Mutex // guards the rest
	queue []byte
	size  int // queued and being written
	ended bool
}

func newInput() *input { return &input{more: make(chan struct{}, 1)} }

// add queues all of p or nothing.
func (in *input) add(p []byte) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.ended {
		return errors.New("send input: the session is over")
	}
	if in.size+len(p) > maxUnread {
		return ErrUnread
	}
	in.queue, in.size = append(in.queue, p...), in.size+len(p)
	notify(in.more)
	return nil
}

func (in *input) end() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.ended = true
	notify(in.more)
}

func (in *input) drain() (queue []byte, ended bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	queue, in.queue = in.queue, nil
	in.size = len(queue)
	return queue, in.ended
}

// deliver writes the queue until the terminal is closed. An error means that the terminal has
// ended, which its reader reports.
func (in *input) deliver(terminal io.Writer) {
	for {
		queue, ended := in.drain()
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
