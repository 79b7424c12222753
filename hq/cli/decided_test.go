package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/store"
	"ferrus/store/longtest"
	"ferrus/ui/termtest"
)

// twoScreens opens an HQ and another one that attaches to it.
func twoScreens(t *testing.T, dir string, env []string, shows string) (first, second *termtest.Terminal) {
	t.Helper()
	first = openWith(t, dir, 140, 40, env)
	first.WaitFor(shows)
	second = openWith(t, dir, 140, 40, env)
	second.WaitFor("watching")
	second.WaitFor(shows)
	return first, second
}

// TestTheFirstAnswerCounts answers one question in two HQs: the second one shows the first answer,
// and its own is refused.
func TestTheFirstAnswerCounts(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir := t.TempDir()
	createAskedTask(t, dir)
	first, second := twoScreens(t, dir, nil, "executor asks:")
	first.Type("Yes, to POST as well.")
	first.WaitFor("? Yes, to POST as well.")
	second.Type("No, only GET and HEAD.\r")
	first.WaitFor("Answered by you on pts/", ": No, only GET and HEAD.")
	first.WaitGone("executor asks:")
	first.Type("\r")
	first.WaitFor("Too late: answered by you on pts/", ": No, only GET and HEAD., at ")
	if shown := second.ScreenText(); strings.Contains(shown, "by you on") {
		t.Errorf("who answered is shown:\n%s", shown)
	}
	second.Type("/quit\r")
	second.WaitFor("stopped watching")
	second.WaitEnd()
	first.Type("\x03\x03\x03")
	first.WaitExit(0)
}

// TestTheFirstPermissionCounts answers a permission request in one of two HQs.
func TestTheFirstPermissionCounts(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir, env := echoProject(t, "")
	p, err := project.OpenKept(dir, headsIn(env), agentNames()...)
	if err != nil {
		t.Fatal(err)
	}
	e := &otherClient{t, p}
	first, second := twoScreens(t, dir, env, "No task yet")
	first.Type("/executor\r")
	first.Wait("a session", func() bool { return sessionIn(dir) != "" })
	ask := core.Command{Kind: core.KindAskPermission,
		By:     core.Actor{Role: "executor", ID: "executor:x:1", Session: sessionIn(dir), Mode: core.ModeWork},
		Wanted: &core.Wanted{Kind: core.PermitCommand, What: "make all", Key: "make all"}}
	n := e.command(ask).Ticket
	for _, x := range []*termtest.Terminal{first, second} {
		x.WaitFor("make all")
	}
	first.Type("\x1d") // out of the pane
	second.Type("/permit once\r")
	first.WaitFor("Permission by you on pts/", ": allowed once: run: make all")
	first.WaitGone("wants to run: make all")
	late := core.Command{Kind: core.KindPermit, By: project.HumanActor(), Ticket: n, Text: "never"}
	if _, err := p.Do(t.Context(), store.Call{}, late); err == nil ||
		!strings.Contains(err.Error(), "by you: allowed once") {
		t.Errorf("a later answer: %v", err)
	}
	second.Type("/quit\r")
	second.WaitFor("stopped watching")
	second.WaitEnd()
	first.Type("\x03\x03")
	first.WaitExit(0)
}

// sessionIn returns the session of the executor of a project; empty: none runs.
func sessionIn(dir string) string {
	var r project.Registry
	data, err := os.ReadFile(filepath.Join(dir, ".ferrus", "agents.json"))
	if err != nil || json.Unmarshal(data, &r) != nil {
		return ""
	}
	for _, one := range r.Agents {
		if one.Slot == core.SlotExecutor && one.Status == project.Running {
			return one.Session
		}
	}
	return ""
}

// TestTheFirstReviewCounts decides on a submission in one of two HQs: the other HQ and a shell
// learn who decided, and how.
func TestTheFirstReviewCounts(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	for _, c := range []struct{ first, words, late, rest string }{
		{"/reject Respect the context.", ": Respect the context.", "/approve", "; the task is Addressing"},
		{"/approve Well done.", ": Well done.", "/reject Respect the context.", "; comments on its diff"},
	} {
		dir, env := echoProject(t, "")
		p, err := project.OpenKept(dir, headsIn(env), agentNames()...)
		hqtest.Must(t, err)
		hqtest.Do(t, p, core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: "# Do it\n"})
		hqtest.Write(t, dir, "code.txt", "better\n")
		check := exec.Command("ferrus", "check")
		check.Dir, check.Env = dir, env
		if out, err := check.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		submitWork(t, p)
		late, first := twoScreens(t, dir, env, "Reviewing")
		late.Type("\x1d" + c.late) // out of the pane
		late.WaitFor(c.late)
		first.Type("\x1d" + c.first + "\r")
		word, _, _ := strings.Cut(c.first[1:], " ")
		decided := map[string]string{"reject": "ejected", "approve": "pproved"}[word] + " by you on pts/"
		late.WaitFor(decided, c.words)
		late.Type("\r")
		name, _, _ := strings.Cut(c.late, " ")
		late.WaitFor(name+" is not available: ", decided, c.words+", at ", c.rest)
		shell := openWith(t, dir, 140, 10, env, strings.Fields(c.late[1:])...)
		shell.WaitEnd()
		shell.WaitFor("too late: ", decided, c.words+", at ")
		first.Type("/quit\r")
		first.WaitFor("stopped watching")
		first.WaitEnd()
		late.Type("\x03\x03\x03")
		late.WaitExit(0)
	}
}
