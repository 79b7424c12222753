package cli

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ferrus/agent/sandbox"
	"ferrus/hq/core"
	"ferrus/hq/demo"
	"ferrus/hq/host/hosttest"
	"ferrus/hq/project"
	"ferrus/store"
	"ferrus/store/exectest"
	"ferrus/store/longtest"
	"ferrus/ui/termtest"
)

var update = flag.Bool("update", false, "write the scripts' expected files anew")

// TestMain lets the test binary act as ferrus, and so as every agent.
func TestMain(m *testing.M) {
	// Without TEST_WALLS a script has no walls: its checks write outside their lane.
	if os.Getenv("TEST_WALLS") != "" || len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "sandbox-") {
		sandbox.Main(os.Args[1:])
	}
	if err := flag.Set("test.parallel", "6"); err != nil { // most wait for processes
		panic(err)
	}
	testscript.Main(hosttest.M{Tests: termtest.M{Tests: rememberedGo{m}}}, map[string]func(){
		"ferrus":    func() { fill(); idleMark = termtest.IdleMark; giveTerminal(); os.Exit(Main()) },
		"empty":     func() { os.Exit(empty()) },
		"demo-repo": func() { demoRepo(os.Args[1]) },

		"play-nats": func() { os.Exit(playNATS(os.Args[1], os.Args[2])) },
		"slowagent": func() { os.Exit(playSlowAgent(os.Args[1], os.Args[2])) },
	})
}

// noTerminal in the environment of a command leaves it without the human's terminal.
const noTerminal = "TEST_NO_TERMINAL"

// giveTerminal gives this process a terminal of its own, as the human's shell has one.
func giveTerminal() {
	if os.Getenv(noTerminal) == "" {
		termtest.OwnTerminal()
	}
}

// demoRepo makes the demo's repository without starting anything in it.
func demoRepo(dir string) {
	if err := demo.Scaffold(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup:     setup,
		Condition: condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"repo": repo, "remember": remember, "unchanged": unchanged, "code": code, "conduct": conduct,
			"alone": noProcess, "program": install, "onlyprograms": onlyPrograms, "await": await,
			"terminate": terminate, "freeport": freePort, "natsserver": natsServer,
		},
	})
}

// inShort are the scripts that -short skips.
var inShort = []string{"script-init", "script-state"}

// condition reports whether a line that begins with [root], [ci] or [long] applies.
func condition(name string) (bool, error) {
	switch name {
	case "walls":
		return exec.Command("/usr/bin/bwrap", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
			"--unshare-net", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
			"true").Run() == nil, nil
	case "root":
		return os.Getuid() == 0, nil
	case "long":
		return longtest.On(), nil
	case "ci":
		return longtest.CI(), nil
	}
	return false, fmt.Errorf("there is no condition %s", name)
}

// goEnv has what go needs to know when HOME is another directory.
var goEnv = sync.OnceValues(func() (env map[string]string, err error) {
	out, err := exec.Command("go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOPATH", "GOROOT", "GOVERSION").Output()
	if err == nil {
		err = json.Unmarshal(out, &env)
	}
	return env, err
})

// setup lets the real go and git work in a script's directory.
func setup(e *testscript.Env) error {
	if dir := filepath.Base(e.WorkDir); testing.Short() && !slices.Contains(inShort, dir) {
		e.T().Skip("short: it runs ferrus, for which " + strings.Join(inShort, " and ") + " stand")
	}
	env, err := goEnv()
	if err != nil {
		return err
	}
	for name, value := range env {
		e.Setenv(name, value)
	}
	ferrus, err := exec.LookPath("ferrus")
	if err != nil {
		return err
	}
	e.Setenv("FERRUS", ferrus)
	e.Setenv("NONCE", rand.Text()) // of a session, with which everything ends that carries it
	e.Setenv("HOME", e.WorkDir)
	e.Setenv("XDG_RUNTIME_DIR", os.Getenv("XDG_RUNTIME_DIR"))
	e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	e.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(e.WorkDir))
	e.Values["kept"] = map[string]string{}
	e.Values["code"] = 0
	return nil
}

// repo makes git repositories of directories.
func repo(ts *testscript.TestScript, neg bool, args []string) {
	for _, dir := range args {
		ts.Check(os.MkdirAll(ts.MkAbs(dir), 0o755))
		ts.Check(ts.Exec("git", "init", "--quiet", "--initial-branch=main", ts.MkAbs(dir)))
	}
}

// code runs a program and requires its exit code: code 2 ferrus run x.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code <n> program args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok { //nolint:errorlint // Exec returns it bare
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("the exit code is %d (%v), not %d", got, err, want)
	}
}

// remember (remember in a script) and unchanged compare a directory with what it was, byte for byte.
func remember(ts *testscript.TestScript, neg bool, args []string) {
	now, err := listing(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Value("kept").(map[string]string)[args[0]] = now
}

func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	before := ts.Value("kept").(map[string]string)[args[0]]
	now, err := listing(ts.MkAbs(args[0]))
	ts.Check(err)
	if before != now {
		ts.Fatalf("%s has changed:\n%s\nbefore:\n%s", args[0], now, before)
	}
}

// listing has a line for everything below a directory, with the contents of files, except a
// repository's own.
func listing(root string) (string, error) {
	var all []string
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, _ := filepath.Rel(root, name)
		if e.IsDir() && e.Name() == ".git" {
			return filepath.SkipDir
		}
		line := fmt.Sprintf("%s %v", below, e.Type())
		if e.Type().IsRegular() {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %x", sha256.Sum256(data))
		}
		all = append(all, line)
		return nil
	})
	slices.Sort(all)
	return strings.Join(all, "\n"), err
}

// conduct takes a project's conductor lock, as another HQ would.
func conduct(ts *testscript.TestScript, neg bool, args []string) {
	dir, err := store.Open[core.World](ts.MkAbs(args[0]))
	ts.Check(err)
	lock, err := dir.TryLock(project.ConductorLock)
	ts.Check(err)
	ts.Defer(func() { lock.Close() })
	ts.Setenv("HOLDER", strconv.Itoa(os.Getpid()))
}

// freePort sets a variable to a TCP port that nothing listens on: freeport PORT.
func freePort(ts *testscript.TestScript, neg bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	defer l.Close()
	ts.Setenv(args[0], strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
}

// terminate sends SIGTERM to the conductor of a project, once there is one.
func terminate(ts *testscript.TestScript, neg bool, args []string) {
	dir, err := store.Open[core.World](ts.MkAbs(args[0]))
	ts.Check(err)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(time.Minute); ; {
		pid, held, err := dir.Holder(project.ConductorLock)
		ts.Check(err)
		if held && pid > 1 {
			ts.Check(syscall.Kill(pid, syscall.SIGTERM))
			return
		}
		select {
		case <-tick.C:
		case <-end:
			ts.Fatalf("no conductor runs in %s", args[0])
		}
	}
}

// await waits until a file says something: await app/.ferrus/STATE.json Reviewing.
func await(ts *testscript.TestScript, neg bool, args []string) {
	want := regexp.MustCompile(args[1])
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	end := time.After(time.Minute)
	for {
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && want.Match(data) {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			ts.Fatalf("%s never said %s; it says\n%s", args[0], args[1], data)
		}
	}
}

// noProcess checks that no process works in the script's directory.
func noProcess(ts *testscript.TestScript, neg bool, args []string) {
	if left := termtest.ProcessIn(ts.Getenv("WORK")); left != "" {
		ts.Fatalf("left behind: %s", left)
	}
}

// install (program in a script) puts programs that do nothing into $WORK/bin.
func install(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		ts.Check(stub(ts.Getenv("WORK"), name))
	}
}

// stub makes a program that does nothing, in the folder bin of another.
func stub(work, name string) error {
	bin := filepath.Join(work, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	return exectest.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o755)
}

// onlyPrograms leaves only $WORK/bin on PATH, with ferrus and git in it.
func onlyPrograms(ts *testscript.TestScript, neg bool, args []string) {
	bin := ts.MkAbs(filepath.Join(ts.Getenv("WORK"), "bin"))
	ts.Check(os.MkdirAll(bin, 0o755))
	ts.Check(bare(bin))
	ts.Setenv("PATH", bin)
}

// bare makes a folder that can be a PATH without any agent.
func bare(bin string) error {
	for _, name := range []string{"ferrus", "git"} {
		at, err := exec.LookPath(name)
		if err != nil {
			return err
		}
		if err := os.Symlink(at, filepath.Join(bin, name)); err != nil {
			return err
		}
	}
	return nil
}
