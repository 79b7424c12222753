package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/hq/advice"
	"ferrus/store/longtest"
)

// TestProjectsOpenAnotherHQ goes from one project's HQ to another's, and back to the first, which
// is not opened a second time from there.
func TestProjectsOpenAnotherHQ(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir, env := echoProject(t, "")
	other := filepath.Join(filepath.Dir(dir), "web")
	if err := os.CopyFS(other, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(other, ".ferrus")); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"ferrus init --yes", "ferrus trust --yes"} {
		words := strings.Fields(line)
		c := exec.Command(words[0], words[1:]...)
		c.Dir, c.Env = other, env
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	h := &user{openWith(t, dir, 120, 40, env), nil}
	h.WaitFor("No task yet")
	h.do(
		step{keys: "/projects{send}", sees: []string{"╭ projects on this machine", "app (this one)", "  web"}},
		step{keys: "\x1b[B", sees: []string{"▸ web"}, then: "\r", ends: []string{" ferrus  web  "}},
		step{keys: "/projects{send}", sees: []string{"╭ projects on this machine"}},
		step{keys: "\x1b[B", sees: []string{"▸ app"}, then: "\r",
			ends: []string{"is open below this one: /quit returns to it"}},
		step{keys: "/quit{send}", sees: []string{" ferrus  app  ", "Back in app"}},
	)
	h.Type("\x03\x03")
	h.WaitExit(0)
}

// TestProjectsAreInColumns checks that the list has one width for each column, no column that is
// empty for every project, and says why a project cannot be read.
func TestProjectsAreInColumns(t *testing.T) {
	t.Parallel()
	question := []advice.InboxItem{{Kind: "question"}, {Kind: "question"}, {Kind: "hold"}}
	got := describeProjects([]projectSummary{
		{State: "AwaitingHuman", Needs: question, Task: "one"},
		{State: "Idle"},
		{State: "Executing", Conductor: 7, Task: "漢字"},
		{Problem: "it does not answer"},
	})
	want := []string{
		"AwaitingHuman           needs you: question, hold  one",
		"Idle",
		"Executing      HQ open                             漢字",
		"cannot be read: it does not answer",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the list is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
