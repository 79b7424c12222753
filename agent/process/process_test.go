package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// start runs a command in a session of its own.
func start(t *testing.T, dir string, env []string, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); _ = cmd.Wait() })
	return cmd
}

func TestIdentity(t *testing.T) {
	self, err := Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Identify(os.Getpid()); err != nil || *again != *self || self.Host == "" || self.Boot == "" ||
		self.Start == 0 {
		t.Errorf("Identify = %+v, then %+v, %v; want the same identity twice", self, again, err)
	}
	change := func(f func(*Identity)) *Identity { id := *self; f(&id); return &id }
	for _, c := range []struct {
		id           *Identity
		alive, known bool
	}{
		{self, true, true},
		{nil, false, false},
		{change(func(id *Identity) { id.Host = "elsewhere" }), false, false},
		{change(func(id *Identity) { id.Boot = "before" }), false, true},
		{change(func(id *Identity) { id.Start++ }), false, true},
		{change(func(id *Identity) { id.PID = 1 << 30 }), false, true},
	} {
		if alive, known := Alive(c.id); alive != c.alive || known != c.known {
			t.Errorf("%+v: alive %v, known %v", c.id, alive, known)
		}
	}
}

func TestAZombieIsGone(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	AwaitExit(pid)
	if _, err := Identify(pid); !errors.Is(err, ErrGone) {
		t.Errorf("a zombie is identified: %v", err)
	}
	if _, err := Name(pid); !errors.Is(err, ErrGone) {
		t.Errorf("a zombie has a name: %v", err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if Exists(pid) || Exists(0) || Exists(-1) || !Exists(os.Getpid()) {
		t.Error("processes exist otherwise than they do")
	}
}

func TestListReadsTheEnvironment(t *testing.T) {
	cmd := start(t, "", []string{"PROCESS_TEST=a=b", "PROCESS_OTHER=x"}, "sleep", "60")
	p := await(t, cmd.Process.Pid, "PROCESS_TEST", "PROCESS_NONE")
	if p.Env["PROCESS_TEST"] != "a=b" || len(p.Env) != 1 {
		t.Errorf("the environment is %v, want only PROCESS_TEST=a=b", p.Env)
	}
	if args := p.Args(); len(args) < 2 || filepath.Base(args[0]) != "sleep" || args[1] != "60" {
		t.Errorf("the arguments are %v, want sleep 60", args)
	}
	if p.Parent != os.Getpid() || p.Group != p.PID || !p.LeadsSession() {
		t.Errorf("the process is %+v, want our child that leads its session", p)
	}
	if name, err := Name(p.PID); err != nil || name != "sleep" {
		t.Errorf("Name = %q, %v; want sleep", name, err)
	}
}

// await lists processes until one runs its own program: before that it is a copy of
// its parent.
func await(t *testing.T, pid int, variables ...string) Process {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		all, err := List(variables...)
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := all.Find(pid); ok && len(p.Env) > 0 {
			return p
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d shows no environment", pid)
		}
	}
}

func TestWorkingIn(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "below")
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := start(t, below, nil, "sleep", "60")
	want := strconv.Itoa(cmd.Process.Pid) + " "
	for deadline := time.Now().Add(10 * time.Second); ; {
		all, err := WorkingIn(dir)
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("%q, %v", all, err)
		}
		if len(all) == 1 && strings.HasPrefix(all[0], want) {
			break
		}
	}
	if all, err := WorkingIn(t.TempDir()); err != nil || len(all) > 0 {
		t.Errorf("in another directory are %q, %v; want none", all, err)
	}
}

// mine is a family by the variable that its processes carry.
func mine(p Process) bool { return p.Env["MARK"] == "ours" }

func marked(p Process) Process { p.Env = map[string]string{"MARK": "ours"}; return p }

func pids(t Table) []int {
	var all []int
	for _, p := range t {
		all = append(all, p.PID)
	}
	return all
}

func TestFamily(t *testing.T) {
	table := Table{
		marked(Process{PID: 10, Parent: 1, Group: 10, Session: 10}),
		{PID: 11, Parent: 10, Group: 11, Session: 11},            // a descendant elsewhere
		{PID: 12, Parent: 1, Group: 10, Session: 10},             // the group of the root
		{PID: 13, Parent: 12, Group: 13, Session: 13},            // a descendant of that
		{PID: 14, Parent: 1, Group: 14, Session: 14},             // a stranger
		marked(Process{PID: 15, Parent: 1, Group: 15}),           // marked, on its own
		marked(Process{PID: 16, Parent: 10, Zombie: true}),       // ended
		marked(Process{PID: 17, Parent: 10, Group: 17}),          // apart
		{PID: 18, Parent: 17, Group: 10, Session: 10},            // and its own
		marked(Process{PID: os.Getpid(), Parent: 1, Group: 900}), // this process
	}
	family := Family{Mine: mine, Root: 10, Apart: func(p Process) bool { return p.PID == 17 }}
	if got := pids(table.Family(family)); !slices.Equal(got, []int{10, 11, 12, 13, 15}) {
		t.Errorf("the family is %v, want 10, 11, 12, 13 and 15", got)
	}
}

func TestTheNumberOfARootMayBeAStrangers(t *testing.T) {
	table := Table{{PID: 20, Parent: 1, Group: 20, Session: 20}, {PID: 21, Parent: 20, Group: 20, Session: 20}}
	if got := table.Family(Family{Mine: mine, Root: 20}); len(got) > 0 {
		t.Errorf("without a mark in it: %v", got)
	}
	if got := pids(table.Family(Family{Mine: mine, Root: 20, Held: true})); !slices.Equal(got, []int{20, 21}) {
		t.Errorf("while it is held: %v", got)
	}
}

// Where the system starts a program without its own session, the session is 0, as for all other
// programs there.
func TestNumberZeroTiesNobody(t *testing.T) {
	table := Table{marked(Process{PID: 10}), {PID: 11}, {PID: 12, Parent: 10}, {PID: 13, Group: 1, Session: 1}}
	for _, root := range []int{0, 1} {
		if got := pids(table.Family(Family{Mine: mine, Root: root, Held: true})); !slices.Equal(got, []int{10, 12}) {
			t.Errorf("the family of root %d is %v, want 10 and 12", root, got)
		}
	}
}

func TestEndEndsWhatIgnoresAndWhatGrows(t *testing.T) {
	cmd := start(t, "", []string{"MARK=" + t.Name()}, "sh", "-c",
		`trap '' TERM; while :; do (trap '' TERM; sleep 60) & sleep 0.05; done`)
	set := Set{Living: func() (Table, error) {
		all, err := List("MARK")
		return all.Family(Family{Mine: func(p Process) bool {
			return p.Env["MARK"] == t.Name()
		}, Root: cmd.Process.Pid}), err
	}}
	await(t, cmd.Process.Pid, "MARK")
	if gone, err := set.Gone(t.Context(), time.Millisecond); gone || err != nil {
		t.Errorf("gone before it was ended: %v", err)
	}
	if err := set.End(t.Context(), 50*time.Millisecond); err != nil {
		t.Error(err)
	}
	if left, err := set.Living(); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v; want none", left, err)
	}
}

func TestEndAsksFirst(t *testing.T) {
	var sent []syscall.Signal
	left := Table{{PID: 1 << 30}}
	set := Set{
		Living: func() (Table, error) { return left, nil },
		Signal: func(sig syscall.Signal) {
			if sent = append(sent, sig); sig == syscall.SIGKILL {
				left = nil
			}
		},
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if err := set.End(ended, time.Hour); err != nil || !slices.Equal(sent,
		[]syscall.Signal{syscall.SIGTERM, syscall.SIGCONT, syscall.SIGKILL}) {
		t.Errorf("End sent %v, %v; want SIGTERM, SIGCONT and SIGKILL", sent, err)
	}
	broken := Set{Living: func() (Table, error) { return nil, errors.New("no table") }}
	if err := broken.End(t.Context(), 0); err == nil {
		t.Error("the table cannot be read, but there is no error")
	}
}

func TestParsePS(t *testing.T) {
	out := "  501   1  501 0 Ss   Fri Nov 20 10:04:24 2026 /bin/agent -x MARK=abc HOME=/h\n" +
		"  502 501  501 501 Z    Fri Nov  6 10:04:25 2026 (agent)\nnonsense\n"
	all := parsePS(out, []string{"MARK"})
	if len(all) != 2 || all[0].Env["MARK"] != "abc" || all[0].Group != 501 || !all[0].LeadsSession() ||
		all[1].Parent != 501 || !all[1].Zombie || all[0].Same(all[1]) {
		t.Errorf("the processes are %+v, want two of the group, the second a zombie", all)
	}
}

func TestSessionIDIsShortAndOneWay(t *testing.T) {
	if got := SessionID("abc"); got != "ba7816bf8f01cfea" || SessionID("") != "" {
		t.Errorf("SessionID(abc) = %q, want ba7816bf8f01cfea, and none for no nonce", got)
	}
}

func FuzzParsePS(f *testing.F) {
	f.Add("1 2 3 0 S Mon Jan  2 15:04:05 2006 sh MARK=x\n")
	f.Add("1 2 3 4 Z x\n9 9")
	f.Add("a b c d e Mon Jan _2 15:04:05 2006")
	f.Fuzz(func(t *testing.T, out string) {
		all := parsePS(out, []string{"MARK"})
		if len(all) > strings.Count(out, "\n")+1 {
			t.Errorf("%d processes in %q", len(all), out)
		}
		all.Family(Family{Mine: func(Process) bool { return true }, Root: 1})
	})
}
