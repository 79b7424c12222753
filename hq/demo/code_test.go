package demo

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks/git"
	"ferrus/store/longtest"
)

// TestVersions runs the check commands of the demo on each stage of its story.
func TestVersions(t *testing.T) {
	longtest.Only(t)
	red, done := maps.Clone(jobs[1].broken), version{}
	empty := t.TempDir()
	red["fetch.go"] = fetch(empty, checks)
	for _, j := range jobs {
		maps.Copy(done, j.write(empty, "Yes, \"it\" does."))
	}
	put(t, empty, version{"fetch.go": red["fetch.go"]})
	done["fetch.go"] = fetch(empty, deadline)
	cases := []struct {
		name string
		code version
		fail string // what go test says; empty: it passes
	}{
		{"begun", begun, ""},
		{"broken", broken, "the service saw 4 requests, want 3"},
		{"fixed", fixed, ""},
		{"a red task of several", red, `GET "orders/7": got <nil> after 1 requests`},
		{"several tasks", done, ""},
		{"decided no", decided(Answer), ""},
		{"decided yes", decided("Yes, the service drops doubles.\nReally \"does\"."), ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, dir, initialFiles())
			put(t, dir, c.code)
			if out, err := tool(dir, "gofmt", "-l", "."); err != nil || out != "" {
				t.Errorf("gofmt: %s %v", out, err)
			}
			if out, err := tool(dir, "go", "vet", "./..."); err != nil {
				t.Errorf("go vet: %s", out)
			}
			out, err := tool(dir, "go", "test", "./...")
			if (err != nil) != (c.fail != "") || !strings.Contains(out, c.fail) {
				t.Errorf("go test: %v\n%s", err, out)
			}
		})
	}
}

func TestAnswerChangesTheCode(t *testing.T) {
	no, yes := decided(Answer), decided("yes please")
	for _, name := range []string{"repeat.go", "repeat_test.go"} {
		if no[name] == yes[name] {
			t.Errorf("%s is the same whatever the human says", name)
		}
	}
	for reply, want := range map[string]bool{"": false, "no": false, "Y": true, "yes, POST too": true, "Sure.": true,
		"not yet": false, "\n": false, "да": false} {
		if saysYes(reply) != want {
			t.Errorf("%q is read as %v", reply, !want)
		}
	}
	if hostile := decided("no\nfunc init() { panic(1) }")["repeat.go"]; strings.Contains(hostile, "\nfunc init") {
		t.Errorf("an answer becomes code:\n%s", hostile)
	}
}

func TestStagesDiffer(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, initialFiles())
	stages := []version{broken, fixed, decided(Answer)}
	for i, v := range stages {
		put(t, dir, v)
		for j, w := range stages {
			if w.in(dir) != (i == j) {
				t.Errorf("at stage %d the files look like stage %d", i, j)
			}
		}
	}
}

func TestScaffold(t *testing.T) {
	t.Setenv("GIT_DIR", "/nowhere") // A caller's environment must not lead git astray.
	dir := filepath.Join(t.TempDir(), "deep", "orders")
	for range 2 {
		if err := Scaffold(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "retry.go"), []byte(broken["retry.go"]), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Scaffold(dir); err != nil {
		t.Errorf("a story that has begun: %v", err)
	}
	os.Unsetenv("GIT_DIR")
	log, err := tool(dir, "git", "log", "--format=%an %s")
	if err != nil || log != "ferrus demo orders: call the service\n" {
		t.Errorf("log %q %v", log, err)
	}
	if status, _ := tool(dir, "git", "status", "--porcelain"); status != "?? retry.go\n" {
		t.Errorf("status %q", status)
	}
}

func TestScaffoldKeepsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, version{"thesis.txt": "years of work"})
	err := Scaffold(dir)
	if err == nil || !strings.Contains(err.Error(), "thesis.txt") {
		t.Errorf("got %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("holds %v", entries)
	}
}

func TestScaffoldGoesOnAfterACrash(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, version{"go.mod": "modu"})
	if err := git.In(dir).Do(t.Context(), "init", "--quiet"); err != nil {
		t.Fatal(err)
	}
	if err := Scaffold(dir); err != nil || !exists(dir) || !committed(dir) {
		t.Errorf("got %v", err)
	}
}

func TestCompare(t *testing.T) {
	cases := []struct{ before, after, want string }{
		{"", "", ""},
		{"", "a b", "+ a,+ b"},
		{"a b", "", "- a,- b"},
		{"a b c", "a x c", "- b,+ x"},
		{"a b", "z a b", "+ z"},
	}
	for _, c := range cases {
		got := strings.Join(compare(strings.Fields(c.before), strings.Fields(c.after)), ",")
		if got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

func put(t *testing.T, dir string, v version) {
	t.Helper()
	for name, text := range maps.All(v) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func tool(dir, name string, arguments ...string) (string, error) {
	command := exec.Command(name, arguments...)
	command.Dir = dir
	output, err := command.CombinedOutput()
	return string(output), err
}

// Two of the several tasks change the same line: whichever comes second keeps the change of the first, also
// out of the two sides of a conflict.
func TestJobsKeepEachOther(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, initialFiles())
	alone := fetch(dir, deadline)
	if strings.Contains(alone, checks) || !strings.Contains(alone, deadline) {
		t.Errorf("one alone:\n%s", alone)
	}
	put(t, dir, version{"fetch.go": alone})
	both := fetch(dir, checks)
	conflict := strings.Replace(begun["fetch.go"], "\treturn c.S", "<<<<<<< branch\n"+deadline+"=======\n"+checks+
		">>>>>>> work\n\treturn c.S", 1)
	for name, now := range map[string]string{"on top": alone, "in a conflict": conflict} {
		put(t, dir, version{"fetch.go": now})
		for _, part := range []string{checks, deadline} {
			want := both
			if name == "on top" && part == deadline {
				want = alone
			}
			if got := fetch(dir, part); got != want || strings.Contains(got, "<<<") {
				t.Errorf("%s:\n%s", name, got)
			}
		}
		if !exists(dir) {
			t.Errorf("%s: it is no longer the demo's repository", name)
		}
	}
}

// The file of tasks has a script for each, and as many as are asked for.
func TestJobsHaveTasks(t *testing.T) {
	if len(jobs) != MostTasks {
		t.Errorf("%d scripts", len(jobs))
	}
	for n := range MostTasks + 1 {
		if n == 0 {
			continue
		}
		all := strings.Split("\n"+Tasks(n), "\n# ")[1:]
		if len(all) != n {
			t.Fatalf("%d tasks of %d:\n%s", len(all), n, Tasks(n))
		}
		for i, text := range all {
			if j := jobOf("# " + text); j == nil || j.title != jobs[i].title {
				t.Errorf("task %d has no script: %s", i+1, text)
			}
		}
	}
	if jobOf(Text) != nil || AnswerTo(script("question.md")) != Answer ||
		AnswerTo(script("log_question.md")) != TasksAnswer {
		t.Error("the story of one task has a script or an answer of the other")
	}
}
