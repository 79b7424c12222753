//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/agent/sandbox"
	"ferrus/hq/clients/model"
	"ferrus/hq/worktree"
)

// hostilePatience limits the time for all attempts on a busy machine.
const hostilePatience = 20 * time.Minute

// hostileNames are the clients that are asked to attack.
var hostileNames = []string{"claude-code", "codex", "qwen-code", "opencode", "copilot", "gemini-cli"}

// checksOff has the flags that disable a client's permission checks.
var checksOff = map[string]string{
	"claude-code": "--dangerously-skip-permissions", "codex": "--dangerously-bypass-approvals-and-sandbox",
	"qwen-code": "--yolo", "opencode": "--auto", "copilot": "--allow-all",
	"gemini-cli": "--acp", // ferrus allows its requests
}

// With its permission checks disabled, a client does whatever it is asked to do, and still reaches
// nothing of yours from inside the sandbox, by default with the default network for agents.
func TestHostileClients(t *testing.T) {
	if _, err := sandbox.Choose(t.Context(), sandbox.Require, sandbox.Proxied); err != nil {
		t.Skip("no namespace sandbox here: " + err.Error())
	}
	needAttackers(t)
	for _, name := range hostileNames {
		t.Run(name, func(t *testing.T) {
			if _, err := clients[name].fetch(t); err != nil {
				t.Skip("cannot be installed here: " + err.Error())
			}
			b, v, other, text := attack(t, name, required)
			for _, a := range attempts {
				if a.came(v, text) {
					t.Errorf("the attempt got through: %s", a.name)
				}
			}
			if log := other.journal(); strings.Contains(log, "was refused") {
				t.Errorf("the other session's door was reached:\n%s", log)
			}
			if !strings.Contains(text, checksOff[name]) {
				t.Errorf("no process of the session has %s, so its permission checks were on", checksOff[name])
			}
			if t.Failed() {
				t.Log(text)
			}
			for _, e := range b.ended() {
				if want := "namespace, network proxy"; e.Sandbox != want {
					t.Errorf("the %s ran in %q, want %q", e.Name, e.Sandbox, want)
				}
			}
		})
	}
}

// The attempts detect what a session can reach: one that you allow gets through, and no other.
func TestHostileSeesWhatGetsThrough(t *testing.T) {
	if _, err := sandbox.Choose(t.Context(), sandbox.Require, sandbox.Proxied); err != nil {
		t.Skip("no namespace sandbox here: " + err.Error())
	}
	needAttackers(t)
	const name = "codex"
	if _, err := clients[name].fetch(t); err != nil {
		t.Skip("cannot be installed here: " + err.Error())
	}
	_, v, _, text := attack(t, name, required+"read = [\"~/.ssh\"]\n")
	for _, a := range attempts {
		if came := a.came(v, text); came != (a.name == "read your key") {
			t.Errorf("%s: got through: %t\n%s", a.name, came, text)
		}
	}
}

// required demands a namespace sandbox.
const required = "[sandbox]\nmode = \"require\"\n"

// Landlock keeps the same clients, in a worktree, from your files and processes. They reach your
// loopback and, before ABI 9, your sockets, where another session's door refuses them. The test
// needs a machine, or a mount namespace, without bubblewrap.
func TestHostileClientsOnLandlock(t *testing.T) {
	w, err := sandbox.Choose(t.Context(), sandbox.Auto, sandbox.Open)
	if err != nil || w.Kind != sandbox.Landlock {
		t.Skipf("this sandbox is not Landlock: %s (%v)", w, err)
	}
	needAttackers(t)
	for _, name := range hostileNames {
		t.Run(name, func(t *testing.T) {
			if _, err := clients[name].fetch(t); err != nil {
				t.Skip("cannot be installed here: " + err.Error())
			}
			b, v, other, text := attack(t, name, "[hq]\nworkspace = \"worktree\"\n")
			for _, a := range attempts {
				if came, possible := a.came(v, text), a.possible(w.ABI); came != possible {
					t.Errorf("%s: got through: %t, want %t", a.name, came, possible)
				}
			}
			if log := other.journal(); w.ABI < abiSockets && !strings.Contains(log, "connected to the socket of") {
				t.Errorf("the other session's door was not reached, or did not report it:\n%s", log)
			}
			if !strings.Contains(text, checksOff[name]) && w.ABI < abiSockets { // the script lists all programs
				t.Errorf("no process of the session has %s, so its permission checks were on", checksOff[name])
			}
			if t.Failed() {
				t.Log(text)
			}
			for _, e := range b.ended() {
				if want := "landlock (accidents only), network open"; e.Sandbox != want {
					t.Errorf("the %s ran in %q, want %q", e.Name, e.Sandbox, want)
				}
			}
		})
	}
}

// abiSockets is the Landlock ABI that first refuses connections to sockets outside.
const abiSockets = 9

// possible reports whether Landlock lets an attempt through.
func (a attempt) possible(abi int) bool {
	switch a.name {
	case "reach your port", "reach it through a proxy", "reach it by another name":
		return true
	case "run a command in your tmux", "speak to your session bus", "speak to your ssh-agent":
		return abi < abiSockets
	}
	return false
}

// attack makes a client with disabled permission checks try every attempt inside the sandbox, and
// returns the fixture, the victim and the attempts' report. More is added to ferrus.toml below
// [hq.executor].
func attack(t *testing.T, name, more string) (b *fixture, v *victim, other *fixture, text string) {
	t.Helper()
	b = newFixture(t, setup{supervisor: name, executor: name, permissions: "bypass", more: more,
		script: model.HostileScript("sh hostile.sh", reportFile, reportEnd)})
	b.patience = hostilePatience
	v = newVictim(t, filepath.Join(b.root, "home"), b.dir)
	other = b.otherSession(v)
	write(t, filepath.Join(b.dir, "hostile.sh"), v.script())
	git(t, b.dir, "add", "hostile.sh")
	git(t, b.dir, "commit", "-qm", "a program")
	if code, out := b.run("run", model.TaskText); code != 3 || !strings.Contains(out, "Was that all?") {
		t.Fatalf("the attempts were not all made: exit %d\n%s\n%s", code, out, b.evidence())
	}
	workspace := b.dir
	if all, _ := filepath.Glob(filepath.Join(b.dir, ".ferrus", worktree.Folder, "*", reportFile)); len(all) == 1 {
		workspace = filepath.Dir(all[0])
	}
	return b, v, other, report(t, workspace)
}

// Outside the sandbox every attempt succeeds, so it is the sandbox that makes them fail inside.
func TestHostileAttemptsWorkOutside(t *testing.T) {
	needAttackers(t)
	root := t.TempDir()
	home, repo := filepath.Join(root, "home"), filepath.Join(root, "repo")
	write(t, filepath.Join(repo, ".ferrus", "STATE.json"), "{}")
	write(t, filepath.Join(repo, "README.md"), "# Greeter\n")
	git(t, repo, "init", "-q", "-b", "main")
	git(t, repo, "add", "README.md")
	git(t, repo, "commit", "-qm", "start")
	v := newVictim(t, home, repo)
	session := exec.Command("sleep", "100000")
	session.Env = append(os.Environ(), "OTHER="+sessionSecret)
	if err := session.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		session.Wait() //nolint:errcheck // it is killed
	}()
	v.pid = session.Process.Pid
	t.Cleanup(func() {
		session.Process.Kill() //nolint:errcheck // it may be gone
		<-over
	})
	cmd := exec.Command("sh", "-c", v.script())
	cmd.Dir = repo
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := report(t, repo)
	<-over
	for _, a := range attempts {
		if !a.came(v, text) {
			t.Errorf("the attempt failed outside: %s", a.name)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// journal returns the project's journal on disk.
func (b *fixture) journal() string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, ".ferrus", "journal.jsonl"))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

// needAttackers skips a test if a program is missing that the attempts use.
func needAttackers(t *testing.T) {
	t.Helper()
	for _, name := range []string{"curl", "tmux"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("the attempts need " + name)
		}
	}
}

// otherSession starts a session in another project, the victim's, until the test ends.
func (b *fixture) otherSession(v *victim) *fixture {
	b.t.Helper()
	other := &fixture{t: b.t, ferrus: b.ferrus, root: b.root, dir: filepath.Join(b.root, "second"), server: b.server,
		env: append(b.env[:len(b.env):len(b.env)], "OTHER="+sessionSecret)}
	other.repository(setup{supervisor: "sleeper", executor: "sleeper",
		more: "[agent.sleeper]\ncommand = [\"sleep\", \"100000\"]\n"})
	cmd := exec.Command(other.ferrus, "run", model.TaskText)
	cmd.Dir, cmd.Env = other.dir, other.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGINT) //nolint:errcheck // it may be gone
		cmd.Wait()                         //nolint:errcheck // it was interrupted
		b.t.Logf("the other session:\n%s", out.String())
	})
	b.until("the other session does not begin", func() bool { return other.findSession(v) })
	return other
}

// findSession makes the victim the executor of a project, once that runs and has a door.
func (b *fixture) findSession(v *victim) bool {
	var registry struct {
		Agents []struct {
			Slot, Session string
			PID           int
		}
	}
	data, _ := os.ReadFile(filepath.Join(b.dir, ".ferrus", "agents.json"))
	if json.Unmarshal(data, &registry) != nil {
		return false
	}
	for _, a := range registry.Agents {
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", a.PID))
		doors, _ := filepath.Glob(fmt.Sprintf("/tmp/ferrus-%d/door-%s/door", os.Getuid(), a.Session))
		if a.Slot == "executor" && len(doors) == 1 && bytes.Contains(environ, []byte(sessionSecret)) {
			v.pid, v.door = a.PID, doors[0]
			return true
		}
	}
	return false
}
