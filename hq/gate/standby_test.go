package gate

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ferrus/agent/process"
	"ferrus/checks"
	"ferrus/hq/project"
)

// standbys returns the runners of the project. The shell that starts one leads their session, and soon ends.
func standbys(l *fixture) (pids []int) {
	l.Helper()
	table, err := process.List(project.ProjectEnv)
	l.ok(err)
	for _, p := range table {
		if p.Env[project.ProjectEnv] == l.Dir && p.PID != p.Session && lives(p.PID) {
			pids = append(pids, p.PID)
		}
	}
	return pids
}

func TestStandbyRunsItsTicket(t *testing.T) {
	l := newFixture(t, "echo $PPID >>$OUT/parents")
	standby := StartStandby(l.Task)
	defer standby.Close()
	l.until("a runner that waits", func() bool { return len(standbys(l)) == 1 })
	waiting := standbys(l)
	ticket := l.check()
	standby.Run(ticket)
	l.ok(Ensure(l.Task)) // It has one already.
	_, done, err := Wait(t.Context(), l.Task, ticket, Waiting{})
	l.ok(err)
	if record, err := Read(l.Task, ticket); err != nil || !done || record.Verdict != checks.Pass {
		t.Errorf("the gate ends with %q, done %t, error %v, want a pass", record.Verdict, done, err)
	}
	parents, err := os.ReadFile(filepath.Join(l.out, "parents"))
	l.ok(err)
	if got := strings.Fields(string(parents)); !slices.Equal(got, []string{strconv.Itoa(waiting[0])}) {
		t.Errorf("the command ran below the processes %v, want the waiting runner, %d", got, waiting[0])
	}
}

func TestStandbyEndsWithoutATicket(t *testing.T) {
	l := newFixture(t, "true")
	standby := StartStandby(l.Task)
	l.until("a runner that waits", func() bool { return len(standbys(l)) == 1 })
	standby.Close() // The end of the process that started it closes the pipe too.
	l.until("no runner", func() bool { return len(standbys(l)) == 0 })
}

func TestNoStandbyBesidesAConductor(t *testing.T) {
	l := newFixture(t, "true")
	lock, err := l.Store.TryLock(project.ConductorLock)
	l.ok(err)
	defer lock.Close()
	if s := StartStandby(l.Task); s != nil {
		s.Close()
		t.Error("a runner is started although a conductor runs the gates")
	}
	var none *Standby // what a caller has then
	none.Run(1)
	none.Close()
}

func TestAStandbyThatDied(t *testing.T) {
	l := newFixture(t, "true")
	standby := StartStandby(l.Task)
	defer standby.Close()
	l.until("a runner that waits", func() bool { return len(standbys(l)) == 1 })
	for _, pid := range standbys(l) {
		p, err := os.FindProcess(pid)
		l.ok(err)
		l.ok(p.Kill())
	}
	l.until("no runner", func() bool { return len(standbys(l)) == 0 })
	ticket := l.check()
	standby.Run(ticket)
	_, done, err := Wait(t.Context(), l.Task, ticket, Waiting{}) // It starts another one.
	if l.ok(err); !done {
		t.Error("the gate does not end")
	}
}
