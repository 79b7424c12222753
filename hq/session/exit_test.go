package session

import (
	"syscall"
	"testing"

	"ferrus/agent"
	"ferrus/machine"
	"ferrus/machine/session"
)

// The exit of a program that ferrus stopped is not shown as a failure of the program.
func TestDescribeExit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		exit  agent.Exit
		cause machine.Kind
		want  string
	}{
		{agent.Exit{}, "", "done"},
		{agent.Exit{Code: 1}, "", "exit 1"},
		{agent.Exit{Signal: syscall.SIGKILL}, "", "ended by SIGKILL"},
		{agent.Exit{Code: -1}, "", "exit unknown"},
		{agent.Exit{}, session.Dismissed{}.Kind(), "done"},
		{agent.Exit{Code: 1}, session.Dismissed{}.Kind(), "stopped"},
		{agent.Exit{Signal: syscall.SIGTERM}, session.Superseded{}.Kind(), "stopped"},
		{agent.Exit{Code: 1}, session.TimedOut{}.Kind(), "ended: its time was up"},
		{agent.Exit{Signal: syscall.SIGKILL}, session.ServerLost{}.Kind(), "ended by SIGKILL"},
	} {
		if got := describeExit(c.exit, c.cause); got != c.want {
			t.Errorf("%+v, %s: %q, want %q", c.exit, c.cause, got, c.want)
		}
	}
}
