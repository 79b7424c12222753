package gate

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ferrus/agent/process"
	"ferrus/agent/sandbox"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/store/memtemp"
)

// TestMain plays the hidden command gate when it is called like that.
func TestMain(m *testing.M) {
	sandbox.Main(os.Args[1:])
	if len(os.Args) < 3 || os.Args[1] != "gate" {
		os.Exit(memtemp.M{Tests: m}.Run())
	}
	ticket := uint64(0)
	if os.Args[2] == "--standby" {
		ticket = AwaitTicket(os.Stdin)
	} else if _, err := fmt.Sscan(os.Args[3], &ticket); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if ticket == 0 {
		return
	}
	p, err := project.Open(os.Getenv(project.ProjectEnv))
	if err == nil {
		err = Run(context.Background(), p, ticket, Options{})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fixture is a project in a git repository, with a task in hand.
type fixture struct {
	testing.TB
	*project.Task
	out string // a directory for what commands say that is not part of the tree
}

// newFixture makes a project whose gate runs the commands; $OUT is lab.out.
func newFixture(t testing.TB, commands ...string) *fixture {
	t.Helper()
	l := &fixture{TB: t, out: t.TempDir()}
	quoted := ""
	for _, c := range commands {
		quoted += strconv.Quote(strings.ReplaceAll(c, "$OUT", l.out)) + ", "
	}
	l.Task = hqtest.NewProject(t, hqtest.Files{"main.go": "package main\n", "ferrus.toml": "[checks]\ncommands = [" +
		quoted + "]\ntimeout_secs = 60\n[lease]\nttl_secs = 6\nheartbeat_interval_secs = 2\n" +
		"[limits]\nmax_check_retries = 2\n[sandbox]\nmode = \"off\"\n"}) // Commands write to $OUT.
	l.do(core.Command{Kind: "create_task", By: project.HumanActor(), Text: "do it"})
	l.do(core.Command{Kind: "claim", By: hqtest.Executor()})
	return l
}

func (l *fixture) ok(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

func (l *fixture) write(file, content string) {
	l.Helper()
	l.ok(os.WriteFile(file, []byte(content), 0o644))
}

func (l *fixture) do(c core.Command) core.Result { l.Helper(); return hqtest.Do(l, l.Task, c) }

// check asks for a gate and returns its ticket.
func (l *fixture) check() uint64 {
	l.Helper()
	return l.do(core.Command{Kind: "check", By: hqtest.Executor()}).Ticket
}

func (l *fixture) world() core.World { l.Helper(); return hqtest.World(l, l.Task) }

// run runs a ticket to its verdict.
func (l *fixture) run(ticket uint64) Record {
	l.Helper()
	l.ok(Run(l.Context(), l.Task, ticket, Options{}))
	r, err := Read(l.Task, ticket)
	l.ok(err)
	return r
}

// events returns the journal's words since the task was claimed.
func (l *fixture) events() string {
	l.Helper()
	lines, err := l.Store.Journal(0)
	l.ok(err)
	var words []string
	for _, line := range lines {
		if line.Seq > 2 {
			words = append(words, line.Event)
		}
	}
	return strings.Join(words, " ")
}

// until waits for a condition.
func (l *fixture) until(what string, holds func() bool) { l.Helper(); hqtest.Until(l, what, holds) }

// pid waits for a command to write its number to a file of lab.out.
func (l *fixture) pid(name string) int {
	l.Helper()
	var pid int
	l.until(name, func() bool {
		data, _ := os.ReadFile(filepath.Join(l.out, name))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(data)))
		return pid > 0 && strings.HasSuffix(string(data), "\n")
	})
	return pid
}

func lives(pid int) bool {
	identity, err := process.Identify(pid)
	alive, _ := process.Alive(identity)
	return err == nil && alive
}

// runner starts a process that runs the ticket.
func (l *fixture) runner(ticket uint64) *exec.Cmd {
	l.Helper()
	cmd := exec.Command(os.Args[0], "gate", "--ticket", strconv.FormatUint(ticket, 10))
	cmd.Env = append(os.Environ(), project.ProjectEnv+"="+l.Dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	l.ok(cmd.Start())
	l.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}
