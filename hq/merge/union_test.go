package merge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/store/longtest"
)

// Neither a conflict, nor a union, nor the comparison for a reviewer runs a program that the repository names:
// no merge driver, no filter and no diff command.
func TestNoProgramOfTheRepositoryRuns(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	skipShort(t)
	f := newFixture(t)
	f.o.Union = []string{"CHANGES.md"}
	f.commit(work{"CHANGES.md": "# Changes\n", ".gitattributes": "* filter=x diff=x merge=x\nshared.txt merge=union\n"})
	ran := filepath.Join(t.TempDir(), "ran")
	run := gittest.Poison(t, f.Dir, ran)
	// What it says about hooks and signatures is tested where they run, in the sandbox.
	f.ok(os.RemoveAll(run + ".hooks"))
	for _, name := range []string{"config", "config.worktree"} {
		text, err := os.ReadFile(filepath.Join(f.Dir, ".git", name))
		f.ok(err)
		hqtest.Write(t, f.Dir, ".git/"+name, string(text)+"[commit]\n\tgpgSign = false\n")
	}
	safely := func(args ...string) {
		t.Helper()
		f.ok(git.Around(f.Dir).Do(t.Context(), args...))
	}
	f.tasks(work{"CHANGES.md": "# Changes\n- one\n"}, work{"CHANGES.md": "# Changes\n- two\n"},
		work{"shared.txt": shared("1=one", "9=nine")}, work{"shared.txt": shared("5=five")},
		work{"shared.txt": shared("5=FIVE")})
	f.stage(1, 2)
	f.complete()
	f.stage(4)
	f.complete()
	f.stage(5)
	f.complete()
	hqtest.Write(t, f.Dir, "shared.txt", shared("5=five", "7=seven"))
	safely("commit", "-q", "-a", "-m", "mine")
	f.stage(3)
	f.complete()
	f.reconcile()
	if output, err := os.ReadFile(ran); err == nil {
		t.Errorf("a program of the repository ran:\n%s", output)
	}
	if w := hqtest.World(t, f.of(3)); w.State != "Reviewing" {
		t.Errorf("#3 is %s", w.State)
	}
	data, err := os.ReadFile(filepath.Join(f.dir(5), "shared.txt"))
	f.ok(err)
	if w := hqtest.World(t, f.of(5)); w.State != "Addressing" || !strings.Contains(string(data), "<<<<<<<") {
		t.Errorf("#5 is %s: the attributes of the repository decided:\n%s", w.State, data)
	}
	if got, _, err := git.Around(f.Dir).Run(t.Context(), nil, "cat-file", "blob", "main:CHANGES.md"); err != nil ||
		got != "# Changes\n- one\n- two\n" {
		t.Errorf("the union is %q, %v", got, err)
	}
}

// [merge] union counts as you trusted it: an edit of ferrus.toml, as work that lands may bring, changes nothing
// until you trust that.
func TestUnionNeedsTrust(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "[merge]\nunion = [\"CHANGES.md\"]\n")
	f.Trusts = &project.TrustStore{File: filepath.Join(t.TempDir(), "trust.json")}
	if o := OptionsOf(f.Task); o.Union != nil {
		t.Errorf("untrusted: %q, want none", o.Union)
	}
	cfg, err := f.Config()
	f.ok(err)
	f.ok(f.Trusts.Trust(f.Dir, project.GateDefinition(cfg)))
	if o := OptionsOf(f.Task); len(o.Union) != 1 {
		t.Errorf("trusted: %q, want one", o.Union)
	}
	data, err := os.ReadFile(filepath.Join(f.Dir, "ferrus.toml"))
	f.ok(err)
	hqtest.Write(t, f.Dir, "ferrus.toml", strings.Replace(string(data), `"CHANGES.md"`, `"CHANGES.md", "*.go"`, 1))
	if o := OptionsOf(f.Task); o.Union != nil {
		t.Errorf("edited: %q, want none", o.Union)
	}
}

// Where the union makes the checks fail it is returned like anything else: a union is gated.
func TestAUnionIsGated(t *testing.T) {
	t.Parallel()
	skipShort(t)
	f := newFixture(t)
	f.o.Union = []string{"list"}
	f.commit(work{"list": "", "check.sh": script + "\ntest \"$(grep -c . list)\" -lt 2\n"})
	f.tasks(work{"list": "one\n"}, work{"list": "two\n"})
	f.stage(1, 2)
	f.complete()
	f.reconcile()
	f.shows("#2 Running, #1 Landed")
	if w := hqtest.World(t, f.of(2)); w.State != "Addressing" {
		t.Errorf("#2 is %s", w.State)
	}
}
