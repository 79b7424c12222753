package pair

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/machine/pair"
)

func TestWhereListAndIDs(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	var ids []string
	for range 3 {
		r, _ := newRun(t, p, pair.Single, nil, nil)
		ids = append(ids, r.Manifest.ID)
	}
	all, err := List(p)
	if err != nil || len(all) != 3 || ids[0] == ids[1] || ids[1] == ids[2] {
		t.Errorf("got %d runs with IDs %v, %v; want 3 different ones", len(all), ids, err)
	}
	for range 10 { // most of them in one second
		r, _ := newRun(t, p, pair.Single, nil, nil)
		ids = append(ids, r.Manifest.ID)
	}
	if all, err = List(p); err != nil {
		t.Fatal(err)
	}
	for i, m := range all {
		if want := ids[len(ids)-1-i]; m.ID != want {
			t.Fatalf("run %d from the newest on is %s, want %s", i, m.ID, want)
		}
	}
	if err := p.Store.MkdirExclusive("runs/p-20261120-101500-0000"); err != nil {
		t.Fatal(err)
	}
	if all, err := List(p); err != nil || len(all) != len(ids) {
		t.Errorf("with a run that was never written: %d runs, %v; want %d", len(all), err, len(ids))
	}
	for _, start := range []string{t.TempDir(), p.Dir, "/"} {
		if dir, err := Locate(start, ids[1]); err != nil || dir != p.Dir {
			t.Errorf("Locate from %s: %q, %v; want %q", start, dir, err, p.Dir)
		}
	}
	for _, id := range []string{"", "1", "p-20261120-101500-zzzz", "../x", "p-20200101-000000-0000"} {
		if _, err := Locate(p.Dir, id); !errors.Is(err, ErrNoRun) {
			t.Errorf("Locate(%q): %v, want ErrNoRun", id, err)
		}
		if _, err := Open(p, id); !errors.Is(err, ErrNoRun) {
			t.Errorf("Open(%q): %v, want ErrNoRun", id, err)
		}
	}
	if err := os.RemoveAll(filepath.Join(p.Dir, ".ferrus", "runs", ids[0])); err != nil {
		t.Fatal(err)
	}
	if _, err := Locate("/", ids[0]); !errors.Is(err, ErrNoRun) || !strings.Contains(err.Error(), p.Dir) {
		t.Errorf("Locate elsewhere: %v, want ErrNoRun with the project's directory", err)
	}
}

// Agents may edit ferrus.toml, but that changes neither the gate nor the reviewer.
func TestTheConfigurationIsPinned(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it writes many states")
	}
	t.Parallel()
	p := newProject(t)
	agent := func(says string) string {
		return "command = [\"sh\", \"-c\", \"echo $(printf '%s' \\\"$1\\\" | grep -o '" + says +
			" [0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]' | head -n 1)" +
			map[bool]string{true: ": no", false: ""}[says == "FAIL"] + "\", \"x\", \"{prompt}\"]\n"
	}
	file := filepath.Join(p.Dir, "ferrus.toml")
	write(t, file, toml+"[agent.mine]\n"+agent("DONE")+"[agent.yours]\n"+agent("FAIL"))
	r, err := Create(t.Context(), p, Options{
		Task: "Write it.", Primary: "mine", Secondary: "yours", Mode: pair.Review, MaxIterations: 5,
		Words: pair.DefaultWords,
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Watch = func(e Event) {
		if e.Entry != nil && e.Entry.Event == "done" {
			red := strings.Replace(toml, "! grep -q bug work.txt", "false", 1)
			write(t, file, red+"[agent.mine]\n"+agent("DONE")+"[agent.yours]\n"+agent("PASS"))
		}
	}
	var failed *FailedError
	if err := r.Go(t.Context()); !errors.As(err, &failed) || failed.Reason != pair.GivenUp ||
		failed.Why != "an agent failed the run: no" {
		t.Errorf("got %v, want that the reviewer failed the run", err)
	}
	if states, events := journey(t, r); states != "working reviewing failed" || events != "started done gated fail" {
		t.Errorf("the states are %s and the events %s, want a failed run after a gate", states, events)
	}
}

// A flood of output takes bounded memory, and its last line is still read.
func TestPageKeepsTheEnd(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it prints 4 MB")
	}
	shown := 0
	p := &page{lines: func(string) { shown++ }}
	for range 2000 {
		if _, err := p.Write([]byte(strings.Repeat("some words of an agent\r\n", 100))); err != nil {
			t.Fatal(err)
		}
	}
	for _, part := range []string{
		"\x1b[32mgreen\x1b[0m\r\n", strings.Repeat("x", 3*pageLimit), "\r\nthe ", "end\r\n\r\n", "DONE 3fa9c1",
	} {
		if _, err := p.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	p.finish()
	if text := p.String(); len(text) > 2*pageLimit || !strings.HasSuffix(text, "\nthe end\n\nDONE 3fa9c1") {
		t.Errorf("the page has %d bytes and ends with %q, want a bounded one with the last line",
			len(text), text[max(0, len(text)-60):])
	}
	if shown < 200_000 {
		t.Errorf("%d lines were shown, want all 200000", shown)
	}
}

// Only the human can accept a change to what the checks depend on, tree by tree.
func TestAlarmsAreForTheHuman(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs agents")
	}
	t.Parallel()
	p := newProject(t)
	r, c := newRun(t, p, pair.Review, []reply{{edit: "good", says: "{DONE}"}}, []reply{{says: "{PASS}"}})
	write(t, filepath.Join(p.Dir, ".gitignore"), ".ferrus/\n*_test.go\n")
	var needs *NeedsHuman
	if err := r.Go(t.Context()); !errors.As(err, &needs) || !needs.Accept ||
		!strings.Contains(needs.Why, ".gitignore") {
		t.Fatalf("got %v, want that .gitignore needs acceptance", err)
	}
	if prompt := c.prompts["other"][0]; !strings.Contains(prompt, "<alarms>\n.gitignore") {
		t.Errorf("the reviewer's prompt lacks the alarm: %s", prompt)
	}
	if err := r.Go(t.Context()); !errors.As(err, &needs) {
		t.Fatalf("got %v, want that the change still needs acceptance", err)
	}
	if r.Manifest.State != "reviewing" || r.Manifest.Gates != 1 {
		t.Errorf("the run is %s after %d gates, want reviewing after 1", r.Manifest.State, r.Manifest.Gates)
	}
	// The acceptance is for that tree; another one needs its own.
	write(t, filepath.Join(p.Dir, ".gitignore"), ".ferrus/\n*.py\n")
	c.replies = map[string][]reply{"one": {{says: "{DONE}"}}, "other": {{says: "{PASS}"}}}
	r.Accept = true
	if err := r.Go(t.Context()); !errors.As(err, &needs) {
		t.Fatalf("got %v, want that the new tree needs acceptance", err)
	}
	if err := r.Go(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, events := journey(t, r); events != "started done gated pass gated done gated pass gated" {
		t.Errorf("the events are %q, want %q", events, "started done gated pass gated done gated pass gated")
	}
}

// Secrets from the environment, and words that look like keys, reach no file of a run and not the
// other agent.
func TestSecretsAreNotKept(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs agents")
	}
	const secret, key = "correct-horse-battery", "sk-0123456789abcdefghij"
	t.Setenv("SOME_TOKEN", secret)
	p := newProject(t)
	agents := `
[agent.leak]
command = ["sh", "-c", "echo good >work.txt; echo $SOME_TOKEN; echo ` + key[:10] + `''` + key[10:] +
		`; printf '%s\n' \"$1\" | sed -n 's/^- .\\(DONE [0-9a-f]*\\).*/\\1/p'", "sh", "{prompt}"]
`
	write(t, filepath.Join(p.Dir, "ferrus.toml"), toml+agents)
	r, err := Create(t.Context(), p, Options{
		Task: "Write it.", Primary: "leak", Secondary: "other", Mode: pair.Review, MaxIterations: 1,
		Words: pair.DefaultWords,
	})
	if err != nil {
		t.Fatal(err)
	}
	other := &scriptedAgents{dir: p.Dir, replies: map[string][]reply{"other": {{says: "{REWORK}: hide " + secret}}}}
	r.Launcher = mixed{r.Manifest.Setup.local(p), other}
	var failed *FailedError
	if err := r.Go(t.Context()); !errors.As(err, &failed) || failed.Reason != pair.MaxIterations {
		t.Fatal(err)
	}
	if prompt := other.prompts["other"][0]; strings.Contains(prompt, secret) ||
		!strings.Contains(prompt, "[redacted]") {
		t.Errorf("the reviewer's prompt has a secret, or is not redacted:\n%s", prompt)
	}
	names, err := p.Store.List("runs/" + r.Manifest.ID)
	if err != nil || len(names) < 3 {
		t.Fatalf("the run's files are %v, %v; want at least 3", names, err)
	}
	for _, name := range names {
		text, err := p.Store.ReadFile("runs/" + r.Manifest.ID + "/" + name)
		if err != nil || strings.Contains(string(text), secret) || strings.Contains(string(text), key) {
			t.Errorf("%s contains a secret (%v):\n%s", name, err, text)
		}
	}
}
