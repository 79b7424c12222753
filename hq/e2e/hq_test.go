//go:build e2e

package e2e

import (
	"os/exec"
	"testing"
)

// request is a task as a person types it into a supervisor's own screen.
const request = "Write the file `greeting.txt`; its first line is `hello ferrus`, please"

// hq opens HQ in the bench's repository.
func (b *bench) hq() *screen {
	b.t.Helper()
	command := exec.Command(b.ferrus)
	command.Dir, command.Env = b.dir, b.env
	s := open(b.t, command, 160, 50)
	s.see("no session yet")
	return s
}

// Keys of HQ.
const (
	firstPane = "\x0f1" // the leader and the pane's number
	leave     = "\x1d"
	interrupt = "\x03"
)

// TestHQ is a person before HQ: /task starts the supervisor in its own screen,
// the request is typed there by hand, the executor works in its own screen too,
// the question is answered at HQ's prompt, and the task is complete.
func TestHQ(t *testing.T) {
	for i, supervisor := range names {
		executor := names[(i+1)%len(names)]
		t.Run(supervisor+"+"+executor, func(t *testing.T) {
			b := newBench(t, setup{supervisor: supervisor, executor: executor, interactive: true})
			s := b.hq()
			s.line("/task")
			s.see("What is the task?")
			s.keys(firstPane)
			s.ask(request, "create_task")
			s.keys(leave)
			s.see("executor asks: Which mark ends the last line?")
			s.line("!")
			s.see("● Complete")
			s.keys(interrupt + interrupt)
			<-s.ended
			b.verify()
		})
	}
}
