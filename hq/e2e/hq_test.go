//go:build e2e

package e2e

import (
	"os/exec"
	"testing"
)

// request is a task as a human types it on a supervisor's own screen.
const request = "Write the file `greeting.txt`; its first line is `hello ferrus`, please"

// hq opens HQ in the fixture's repository.
func (b *fixture) hq() *screen {
	b.t.Helper()
	command := exec.Command(b.ferrus)
	command.Dir, command.Env = b.dir, b.env
	s := open(b.t, command, 160, 50)
	s.WaitFor("No task yet")
	return s
}

// Keys of HQ.
const (
	leave     = "\x1d"
	interrupt = "\x03"
)

// TestHQ plays a human at HQ, with every agent on its own screen: the task completes, and
// afterwards no session stays at its prompt.
func TestHQ(t *testing.T) {
	play := func(supervisor, executor string) {
		t.Run(supervisor+"+"+executor, func(t *testing.T) {
			newFixture(t, setup{supervisor: supervisor, executor: executor, interactive: true}).byHand()
		})
	}
	for i, supervisor := range names {
		play(supervisor, names[(i+1)%len(names)])
	}
	for _, name := range players()[len(names):] {
		play(name, name)
	}
}

// byHand completes the task in HQ: /task starts the supervisor on its own screen, the request is
// typed there, the executor's question is answered at HQ's prompt, and once the task is complete no
// session is left.
func (b *fixture) byHand() {
	b.t.Helper()
	s := b.hq()
	s.typeLine("/task")
	s.WaitFor("What is the task?")
	s.WaitFor("Keys go to 1 supervisor")
	s.ask(request, "create_task")
	s.Type(leave)
	s.WaitFor("executor asks: Which mark ends the last line?")
	s.typeLine("!")
	s.WaitFor("● Complete")
	b.quiet()
	s.Type(interrupt + interrupt)
	<-s.Ended
	b.verify()
}
