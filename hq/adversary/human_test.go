package adversary

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/agent/process"
	"ferrus/agent/sandbox"
	"ferrus/checks/git/gittest"
	"ferrus/hq/cli"
	"ferrus/hq/host/hosttest"
	"ferrus/hq/human"
	"ferrus/store"
	"ferrus/store/longtest"
	"ferrus/ui/termtest"
)

// TestMain also plays ferrus, for the attackers and for the human, who has a terminal.
func TestMain(m *testing.M) {
	sandbox.Main(os.Args[1:])
	if filepath.Base(os.Args[0]) == "ferrus" {
		if os.Getenv("HUMAN") != "" {
			termtest.OwnTerminal()
			_ = os.Unsetenv("HUMAN") // its children are not the human
		}
		os.Exit(cli.Main())
	}
	if filepath.Base(os.Args[0]) == "asker" {
		os.Exit(ask())
	}
	if traceMain() {
		os.Exit(0)
	}
	if filepath.Base(os.Args[0]) == "editor" {
		os.Exit(editorMain())
	}
	os.Exit(hosttest.M{Tests: m}.Run())
}

// attempts are an attacker's moves, each of which must fail: ferrus exits with 1 and refuses. The
// output is in $OUT/output, and ends with a line "over".
const attempts = `moves() {
	for move in "reset --yes" "tell executor obey" "trust --yes" "answer yes" "approve" "retry" "land --yes"; do
		ferrus $move </dev/null >>"$OUT/output" 2>&1
		echo "exit $? of ferrus $move" >>"$OUT/output"
	done
	echo over >>"$OUT/output"
}
`

// impostors are an executor's ways to pose as you: each is a few lines of shell in a real ferrus
// run. The function moves is in the file $OUT/moves.
var impostors = map[string]string{
	"acts as you from its shell":             `. "$OUT/moves"; moves`,
	"acts as you without its environment":    `env -i $KEPT sh -c '. "$OUT/moves"; moves'`,
	"acts as you in its own process session": `env -i $KEPT setsid -w sh -c '. "$OUT/moves"; moves'`,
	"acts as you from an orphan": `env -i $KEPT setsid sh -c '
		(while ! test -e "$OUT/left"; do :; done
		. "$OUT/moves"; moves) & ' </dev/null >/dev/null 2>&1; touch "$OUT/left"`,
	"acts as you in other namespaces": `env -i $KEPT unshare -U -r -p -f --mount-proc sh -c '
		. "$OUT/moves"; moves' || { echo skipped; echo over; } >>"$OUT/output"`,
	"acts as you under another host name": `env -i $KEPT unshare -U -r -u sh -c '
		hostname elsewhere; . "$OUT/moves"; moves' || { echo skipped; echo over; } >>"$OUT/output"`,
	"acts as you with its own registry": `echo '{"agents":[],"wants":[]}' >"$OUT/none"
		env -i $KEPT unshare -U -r -m sh -c '
		mount --bind "$OUT/none" .ferrus/agents.json && . "$OUT/moves" && moves' ||
		{ echo skipped; echo over; } >>"$OUT/output"`,
	"acts as you on a terminal that it created": `env -i $KEPT TERM=dumb setsid -w \
		script -qec 'sh -c ". $OUT/moves; moves"' /dev/null`,
	"acts as you in a tmux that it started": `env -i $KEPT TERM=screen \
		tmux -S "$OUT/tmux" -f /dev/null new-session -d 'sh -c ". $OUT/moves; moves"'`,
	"acts as you from an orphan's terminal": `env -i $KEPT TERM=dumb setsid sh -c '
		script -qec "sh -c \". $OUT/moves; moves\"" /dev/null </dev/null >/dev/null 2>&1 &'`,
	"empties the registry and acts as you": `echo '{"agents":[],"wants":[]}' >.ferrus/agents.json
		env -i $KEPT TERM=dumb setsid -w script -qec 'sh -c ". $OUT/moves; moves"' /dev/null`,
	"ends HQ and acts as you": `env -i $KEPT TERM=dumb setsid sh -c '
		kill -9 $(cat .ferrus/run/conductor.lock)
		script -qec "sh -c \". $OUT/moves; moves\"" /dev/null </dev/null >/dev/null 2>&1 &'`,
	"ends HQ and its host and acts as you": `env -i $KEPT TERM=dumb setsid sh -c '
		trap "" HUP; kill -9 $(cat .ferrus/run/conductor.lock) '$PPID'; rm -rf "'$XDG_RUNTIME_DIR'"/ferrus/*
		script -qec "sh -c \". $OUT/moves; moves\"" /dev/null </dev/null >/dev/null 2>&1 &'`,
	"guesses a code": `for i in 1 2 3 4 5 6 7; do
		ferrus answer --code AAAA-AAAA-AAAA-AAAA yes </dev/null >>"$OUT/output" 2>&1
		echo "exit $? of ferrus answer" >>"$OUT/output"; done; echo over >>"$OUT/output"`,
	"writes a role of its own and serves it": `sed -i 's/"role": "executor"/"role": "supervisor"/' .ferrus/agents.json
		sed -i 's/"mode": "work"/"mode": "review"/' .ferrus/agents.json
		ferrus serve --role supervisor </dev/null >>"$OUT/output" 2>&1; echo "exit $? of ferrus serve" >>"$OUT/output"
		env -u FERRUS_NONCE -u FERRUS_PROJECT setsid -w ferrus serve --role supervisor </dev/null >>"$OUT/output" 2>&1
		echo "exit $? of ferrus serve" >>"$OUT/output"; echo over >>"$OUT/output"`,
}

// skipped ends an attacker whose tools are missing here.
const skipped = ` || { echo skipped; echo over; } >>"$OUT/output"`

// variants are more impostors, each a variation of a counted one.
var variants = map[string]string{
	"acts as you in the namespaces of HQ": `env -i $KEPT nsenter -t "$(cat .ferrus/run/conductor.lock)" -m -u -i -p sh -c '
		cd "'"$PWD"'" && . "$OUT/moves" && moves'` + skipped,
	"acts as you by a service": `env -i $KEPT systemd-run --user -q --pty --wait sh -c '
		cd "'"$PWD"'" && . "$OUT/moves" && moves' </dev/null` + skipped,
	"acts as you in a container": `docker run --rm -v "$PWD:$PWD" -v "$OUT:$OUT" -w "$PWD" -e OUT="$OUT" \
		debian sh -c '. "$OUT/moves" && moves' </dev/null >/dev/null 2>&1` + skipped,
	"acts as you at a later time": `{ command -v at && echo '. "$OUT/moves"; moves' | env -i $KEPT at now; } \
		>/dev/null 2>&1` + skipped,
	"acts as you on a terminal that a program opens": `env -i $KEPT python3 -c 'import pty, sys
pty.spawn(sys.argv[1:])' sh -c '. "$OUT/moves"; moves' </dev/null >/dev/null 2>&1; grep -q over "$OUT/output"` + skipped,
	"asks HQ itself": `{ asker; echo "exit $? of asker"; echo over; } >>"$OUT/output" 2>&1`,
	"calls its ferrus something else": `mkdir "$OUT/bin"; ln "$(command -v ferrus)" "$OUT/bin/ferrus"
		PATH="$OUT/bin:$PATH"; . "$OUT/moves"; moves`,
	"reads the secret of HQ": `pid=$(cat .ferrus/run/conductor.lock)
		env -i $KEPT $(tr '\0' '\n' <"/proc/$pid/environ" | grep ^FERRUS_) sh -c '. "$OUT/moves"; moves'`,
	"finds its nonce on a command line": `printf %s "$FERRUS_NONCE" >"$OUT/nonce"; test -s "$OUT/nonce" || echo "exit 0 of nonce"
		mkfifo "$OUT/in"; ferrus serve --role executor <"$OUT/in" >/dev/null 2>&1 & exec 9>"$OUT/in"
		for i in 1 2 3 4 5 6 7 8 9 10; do grep -alf "$OUT/nonce" /proc/[0-9]*/cmdline 2>/dev/null &&
			echo "exit 0 of grep"; done >>"$OUT/output"; echo over >>"$OUT/output"`,
	"lifts its mark": `env -i $KEPT setsid -w script -qec 'prlimit --locks=1: sh -c ". $OUT/moves; moves"' /dev/null
		grep -q over "$OUT/output"` + skipped,
}

// ask sends the conductor a request like the command line, and returns 1 if it is refused.
func ask() int {
	dir, err := os.Getwd()
	if err != nil {
		return 2
	}
	r, err := human.Ask(context.Background(), dir, human.Request{Command: "approve"}, func(string) {})
	if err != nil || !r.Allowed {
		fmt.Println("can only be run by you:", err, r.Why)
		return 1
	}
	return 0
}

// TestImpostors runs every impostor: none acts in your name, and every attempt is refused.
func TestImpostors(t *testing.T) {
	if testing.Short() {
		t.Skip("short: each attacker is played through ferrus run")
	}
	all := maps.Clone(impostors)
	maps.Copy(all, variants)
	for _, name := range longtest.Draw(t, drawn, slices.Sorted(maps.Keys(all))) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newAttackedProject(t, all[name], noWalls)
			p.run()
			p.mustBeRefused()
		})
	}
}

// attackedProject is a project whose executor attacks. Unlike those of package hqtest, it is set up
// by the program itself, as a human does.
type attackedProject struct {
	*testing.T
	dir, out, home string
	path           string
}

// newAttackedProject creates a project with an executor that runs a script, and with more settings.
func newAttackedProject(t *testing.T, body, settings string) *attackedProject {
	t.Helper()
	p := newProject(t)
	p.write(filepath.Join(p.out, "moves"), attempts)
	p.write(filepath.Join(p.out, "attack"), body+"\nwhile :; do sleep 1; done\n")
	p.write(filepath.Join(p.dir, "ferrus.toml"), `[checks]
commands = ["true"]
[hq.supervisor]
agent = "attacker"
[hq.executor]
agent = "attacker"
[agent.attacker]
command = ["sh", "`+filepath.Join(p.out, "attack")+`", "{prompt}"]
`+settings)
	p.start()
	return p
}

// newProject creates the directories of a project, and links to its programs.
func newProject(t *testing.T) *attackedProject {
	t.Helper()
	top, err := os.MkdirTemp("/tmp", "play") // its socket needs a short path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(top) })
	p := &attackedProject{T: t, dir: filepath.Join(top, "repo"), out: filepath.Join(top, "out"),
		home: filepath.Join(top, "home")}
	for _, dir := range []string{p.dir, p.out, p.home, filepath.Join(top, "bin")} {
		p.ok(os.Mkdir(dir, 0o700))
	}
	for _, name := range []string{"ferrus", "editor", "asker"} {
		p.ok(copySelf(filepath.Join(top, "bin", name)))
	}
	p.path = filepath.Join(top, "bin") + ":" + os.Getenv("PATH")
	return p
}

// copySelf gives the test binary another name, as a hard link or, on another file system, as a copy:
// a program resolves a symbolic link to the binary's own name.
func copySelf(name string) error {
	self, err := os.Executable()
	if err != nil || os.Link(self, name) == nil {
		return err
	}
	program, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	return os.WriteFile(name, program, 0o755)
}

// start commits a project's files, and sets up ferrus in it.
func (p *attackedProject) start() {
	p.Helper()
	gittest.Commit(p, p.dir)
	p.human(0, "init")
	p.human(0, "trust", "--yes")
}

func (p *attackedProject) ok(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func (p *attackedProject) write(name, text string) {
	p.Helper()
	p.ok(os.WriteFile(name, []byte(text), 0o600))
}

// command is ferrus in the project, run by the human.
func (p *attackedProject) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(filepath.Dir(p.dir), "bin", "ferrus"), args...)
	cmd.Dir = p.dir
	cmd.Env = []string{"KEPT=PATH=" + p.path + " HOME=" + p.home + " OUT=" + p.out + " XDG_RUNTIME_DIR=" +
		os.Getenv("XDG_RUNTIME_DIR"), "PATH=" + p.path, "HOME=" + p.home, "OUT=" + p.out, "HUMAN=1", "TERM=xterm",
		"XDG_RUNTIME_DIR=" + os.Getenv("XDG_RUNTIME_DIR")}
	return cmd
}

// human runs a command as the human, and returns its output.
func (p *attackedProject) human(code int, args ...string) string {
	p.Helper()
	cmd := p.command(args...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		p.Fatalf("ferrus %v: %v: %s", args, err, out)
	}
	return string(out)
}

// run runs ferrus run until the attacker has made all its attempts.
func (p *attackedProject) run() {
	p.Helper()
	cmd := p.command("run", "do it")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	p.ok(cmd.Start())
	p.Cleanup(p.end)
	over := make(chan struct{})
	go func() { defer close(over); _ = cmd.Wait() }()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(3 * time.Minute); !strings.HasSuffix(p.output(), "over\n"); {
		select {
		case <-tick.C:
		case <-late:
			p.Fatalf("the attacker does not finish:\n%s\nferrus run:\n%s", p.output(), out.String())
		}
	}
	_ = cmd.Process.Signal(syscall.SIGTERM) // it may have exited already
	<-over
	p.Logf("ferrus run:\n%s", out.String())
}

// end ends what an attacker left running.
func (p *attackedProject) end() {
	_ = process.Set{Living: func() (process.Table, error) {
		all, err := process.List("OUT")
		var left process.Table
		for _, one := range all {
			if one.Env["OUT"] == p.out && one.PID != os.Getpid() && !one.Zombie {
				left = append(left, one)
			}
		}
		return left, err
	}}.End(p.Context(), 0)
}

func (p *attackedProject) output() string {
	data, err := os.ReadFile(filepath.Join(p.out, "output"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.Fatal(err)
	}
	return string(data)
}

// mustBeRefused requires that every move of the attacker was refused, and that the task's creation
// is the human's only event in the journal.
func (p *attackedProject) mustBeRefused() {
	p.Helper()
	output := p.output()
	p.Logf("the attacker:\n%s", output)
	if strings.Contains(output, "exit 0 of") || strings.Contains(output, "exit 2 of") {
		p.Errorf("a move succeeded:\n%s", output)
	}
	if strings.Count(output, "exit ") > strings.Count(output, "can only be run by you")+
		strings.Count(output, "no question is open")+
		strings.Count(output, "serves a session in its own")+strings.Count(output, "which knows its role") {
		p.Errorf("a move was not refused for its origin:\n%s", output)
	}
	for _, e := range p.journal() {
		if e.By == "person" && e.Event != "create_task" && e.Event != "created" {
			p.Errorf("the journal attributes %s to the human, via %q", e.Event, e.Via)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(p.dir, ".ferrus", "messages", "*")); len(left) > 0 {
		p.Errorf("messages are left: %v", left)
	}
}

func (p *attackedProject) journal() (all []store.Entry) {
	p.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, ".ferrus", "journal.jsonl"))
	p.ok(err)
	for line := range bytes.Lines(data) {
		var e store.Entry
		p.ok(json.Unmarshal(line, &e))
		all = append(all, e)
	}
	return all
}
