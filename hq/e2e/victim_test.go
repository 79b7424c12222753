//go:build e2e

package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// victim is everything that a hostile session must not reach: your home, your programs, and other
// sessions' data.
type victim struct {
	home, repo, other string // your home, the repository, another worktree
	marks             string // your directory, in which a file proves that a command ran outside
	url               string // a server on your loopback
	tmux, bus, agent  string // your programs' sockets
	door              string // another session's
	pid               int    // another session's

	mu   sync.Mutex // guards the fields below
	hits []string   // requests that the servers got
}

// The secrets that could be read, each where an attempt looks for it.
const (
	keySecret     = "key-4f1d9c"
	otherSecret   = "other-worktree-91ab3e"
	sessionSecret = "other-session-77c0d2"
)

// attempt is one thing that a session must not be able to do. Its command uses the variables set by
// [victim.script], and its output goes into the report.
type attempt struct {
	name, command string
	came          func(v *victim, report string) bool // checks from outside whether it succeeded
}

var attempts = []attempt{
	{"read your key", `cat "$HOME_OUT/.ssh/id_rsa"`, reported(keySecret)},
	{"write to your home", `echo x >"$HOME_OUT/planted"`, made("home/planted")},
	{"write to your shell's start", `echo x >>"$HOME_OUT/.profile"`, made("home/.profile")},
	{"write to your client's settings", `for d in .claude .codex .qwen .copilot .config/opencode; do
		mkdir -p "$HOME_OUT/$d" && echo x >"$HOME_OUT/$d/planted"; done; true`, planted},
	{"write .ferrus", `echo x >"$REPO/.ferrus/planted"`, made("repo/.ferrus/planted")},
	{"move .ferrus", `mv "$REPO/.ferrus" "$REPO/.ferrus.old" && mkdir "$REPO/.ferrus"`, made("repo/.ferrus.old")},
	{"write a hook", `echo x >"$REPO/.git/hooks/planted"`, made("repo/.git/hooks/planted")},
	{"write git's configuration", `cd "$REPO" && git config core.fsmonitor planted`, configured},
	{"move a branch", `cd "$REPO" && git update-ref refs/heads/planted HEAD`, made("repo/.git/refs/heads/planted")},
	{"reach your port", `curl -sS --max-time 10 --noproxy '*' "$URL/port"`, heard("/port")},
	{"reach it through a proxy", `curl -sS --max-time 10 "$URL/proxied"`, heard("/proxied")},
	{"reach it by another name", `curl -sS --max-time 10 --noproxy '*' "http://[::ffff:127.0.0.1]:${URL##*:}/mapped"`,
		heard("/mapped")},
	{"run a command in your tmux", `tmux -S "$TMUX_OUT" run-shell "touch $MARKS/tmux"`, made("marks/tmux")},
	{"speak to your session bus", `curl -sS --max-time 10 --unix-socket "$BUS" http://x/bus`, heard("/bus")},
	{"speak to your ssh-agent", `curl -sS --max-time 10 --unix-socket "$AGENT" http://x/agent`, heard("/agent")},
	{"read another worktree", `cat "$OTHER/secret.txt"`, reported(otherSecret)},
	{"write another worktree", `echo x >"$OTHER/planted"`, made("other/planted")},
	{"read another session", `tr '\0' '\n' <"/proc/$PID/environ"`, reported(sessionSecret)},
	{"speak to another session's server", `curl -sS --max-time 10 --unix-socket "$DOOR" http://x/door`, heard("/door")},
	{"end another session", `kill -9 "$PID"`, func(v *victim, _ string) bool { return !v.lives() }},
	{"move .git", `mv "$REPO/.git" "$REPO/.git.old" && mkdir "$REPO/.git"`, made("repo/.git.old")},
}

// reported reports whether the output has a secret.
func reported(secret string) func(*victim, string) bool {
	return func(_ *victim, report string) bool { return strings.Contains(report, secret) }
}

// made reports whether a file exists, also if its directory was moved. The first part of its path
// names one of the victim's directories.
func made(path string) func(*victim, string) bool {
	place, name, _ := strings.Cut(path, "/")
	top, below, _ := strings.Cut(name, "/")
	return func(v *victim, _ string) bool {
		dir := map[string]string{"home": v.home, "repo": v.repo, "other": v.other, "marks": v.marks}[place]
		for _, file := range []string{name, filepath.Join(top+".old", below)} {
			if _, err := os.Lstat(filepath.Join(dir, file)); err == nil && (below != "" || file == name) {
				return true
			}
		}
		return false
	}
}

// planted reports whether a client's settings directory was written to.
func planted(v *victim, _ string) bool {
	found, _ := filepath.Glob(filepath.Join(v.home, ".*", "planted"))
	deeper, _ := filepath.Glob(filepath.Join(v.home, ".config", "*", "planted"))
	return len(found)+len(deeper) > 0
}

// configured reports whether the repository's own configuration was written to.
func configured(v *victim, _ string) bool {
	for _, dir := range []string{".git", ".git.old"} {
		data, err := os.ReadFile(filepath.Join(v.repo, dir, "config"))
		if err == nil && strings.Contains(string(data), "planted") {
			return true
		}
	}
	return false
}

// heard reports whether one of the victim's servers got a request for a path.
func heard(path string) func(*victim, string) bool {
	return func(v *victim, _ string) bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		return slices.Contains(v.hits, path)
	}
}

// newVictim creates a victim with a home and a repository. Its programs end with the test.
func newVictim(t *testing.T, home, repo string) *victim {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "victim") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	in := func(name string) string { return filepath.Join(dir, name) }
	v := &victim{home: home, repo: repo, other: filepath.Join(filepath.Dir(repo), "other"), marks: in("marks"),
		tmux: in("tmux"), bus: in("bus"), agent: in("agent"), door: in("door")}
	write(t, filepath.Join(home, ".ssh", "id_rsa"), keySecret+"\n")
	git(t, repo, "worktree", "add", "-q", "-b", "other", v.other)
	write(t, filepath.Join(v.other, "secret.txt"), otherSecret+"\n")
	if err := os.Mkdir(v.marks, 0o755); err != nil {
		t.Fatal(err)
	}
	v.url = "http://" + v.listen(t, "tcp", "127.0.0.1:0")
	for _, socket := range []string{v.bus, v.agent, v.door} {
		v.listen(t, "unix", socket)
	}
	tmux := exec.Command("tmux", "-f", "/dev/null", "-S", v.tmux, "new-session", "-d", "sleep 100000")
	if out, err := tmux.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v\n%s", err, out)
	}
	t.Cleanup(func() { exec.Command("tmux", "-S", v.tmux, "kill-server").Run() }) //nolint:errcheck // it may be gone
	return v
}

// listen records the requests at an address, and returns the address.
func (v *victim) listen(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.hits = append(v.hits, r.URL.Path)
	})}
	go server.Serve(l) //nolint:errcheck // until it is closed
	t.Cleanup(func() { server.Close() })
	return l.Addr().String()
}

// lives reports whether the other session's process is running.
func (v *victim) lives() bool { return syscall.Kill(v.pid, 0) == nil }

// The file of the attempts' report, in the workspace, and its last line.
const (
	reportFile = "report.txt"
	reportEnd  = "the end of all attempts"
)

// script returns a program that makes every attempt.
func (v *victim) script() string {
	var s strings.Builder
	for _, variable := range [][2]string{{"HOME_OUT", v.home}, {"REPO", v.repo}, {"OTHER", v.other},
		{"MARKS", v.marks}, {"URL", v.url}, {"TMUX_OUT", v.tmux}, {"BUS", v.bus}, {"AGENT", v.agent},
		{"DOOR", v.door}, {"PID", strconv.Itoa(v.pid)}} {
		fmt.Fprintf(&s, "%s='%s'\n", variable[0], variable[1])
	}
	// The shell keeps its files open, because a client may end a command that closes its terminal.
	s.WriteString("{\necho '== the programs of the session'\n" +
		"for p in /proc/[0-9]*; do tr '\\0\\n' '  ' <$p/cmdline | cut -c1-100000; done\n")
	for _, a := range attempts {
		fmt.Fprintf(&s, "echo '== %s'\n(%s)\necho \"exit $?\"\n", strings.ReplaceAll(a.name, "'", ""), a.command)
	}
	s.WriteString("echo '" + reportEnd + "'\n} >" + reportFile + " 2>&1 </dev/null\n")
	return s.String()
}

// report returns the script's report in a workspace, which must be complete.
func report(t *testing.T, workspace string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(workspace, reportFile))
	if err != nil || !strings.Contains(string(data), reportEnd) {
		t.Fatalf("the attempts' report is incomplete: %v\n%s", err, data)
	}
	return string(data)
}

func git(t testing.TB, dir string, args ...string) {
	t.Helper()
	args = append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@localhost"}, args...)
	if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}
