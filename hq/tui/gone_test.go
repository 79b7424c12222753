package tui

import (
	"testing"

	"github.com/creack/pty"

	"ferrus/ui/termtest"
)

// TestATerminalThatIsGoneEndsHQ closes the terminal of an HQ that gets no
// signal, because the terminal is not its own.
func TestATerminalThatIsGoneEndsHQ(t *testing.T) {
	t.Parallel()
	h, command := prepare(t, "work")
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	command.Stdin, command.Stdout = slave, slave
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	_ = slave.Close()
	h.Terminal = termtest.Attach(t, command, master, 120, 40)
	h.WaitFor("2 executor  demo")
	_ = master.Close()
	h.WaitEnd() // or it continues without a terminal
	if code := command.ProcessState.ExitCode(); code != 0 {
		t.Errorf("the exit code is %d", code)
	}
	h.has(h.logged(), "detach")
}
