package merge

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/agent/sandbox"
	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/store/longtest"
	"ferrus/store/memtemp"
)

func TestMain(m *testing.M) {
	sandbox.Main(os.Args[1:])
	switch {
	case filepath.Base(os.Args[0]) == "gh":
		os.Exit(playGH(os.Args[1:]))
	case len(os.Args) > 1 && os.Args[1] == "play-publish":
		os.Exit(playPublish())
	}
	remove, err := installGH()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer remove()
	if dir := os.Getenv(mergeEnv); dir != "" {
		if err := mergeIn(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	code := memtemp.M{Tests: m}.Run()
	remove()
	os.Exit(code)
}

// fixture is a project with its queue, whose checks are a script of the repository: it fails where a
// file names what must not be there beside it.
type fixture struct {
	*testing.T
	*project.Task
	q *queue.Queue
	m *Merger
	o Options
}

// script fails if a file "clash-x" is there twice, "red" is there, or a "flaky" file is there for the first time.
const script = `
test ! -e red || exit 1
for one in not-with-*; do
	test -e "$one" || continue
	test ! -e "file-${one#not-with-}" || { echo "$one"; exit 1; }
done
if test -e flaky; then
	mkdir -p "$(cat flaky)"
	test -e "$(cat flaky)/ran" || { touch "$(cat flaky)/ran"; exit 1; }
fi
`

func newFixture(t *testing.T, toml ...string) *fixture {
	t.Helper()
	p := hqtest.NewProject(t, hqtest.Files{
		"ferrus.toml": "[checks]\ncommands = [\"sh check.sh\"]\n[hq]\nworkspace = \"worktree\"\n" +
			"[sandbox]\nmode = \"off\"\n[limits]\nmax_parallel_tasks = 100\n" + strings.Join(toml, "\n"),
		".gitignore": ".ferrus/\n", "check.sh": script, "shared.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n"}, "one", "two")
	q, err := queue.OpenOrCreate(t.Context(), p)
	hqtest.Must(t, err)
	f := &fixture{T: t, Task: p, q: q, m: New(p, q), o: Options{Batch: 4}}
	t.Cleanup(func() { f.m.Close() })
	return f
}

// sample returns the first step that a test stops at, and how far the next one is: every step with
// FERRUS_LONG, else a few that are drawn anew in each run.
func sample(t *testing.T, every int) (first, distance int) {
	t.Helper()
	if longtest.On() {
		return 0, 1
	}
	first = rand.IntN(every)
	t.Logf("steps %d, %d and so on; FERRUS_LONG=1 has them all", first, first+every)
	return first, every
}

// skipShort skips a test that takes more than a second.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: it makes several tasks and runs their gates")
	}
}

func (f *fixture) ok(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) doc() queue.Document {
	f.Helper()
	s, err := f.q.Load()
	f.ok(err)
	return s.World
}

func (f *fixture) item(n int) queue.Item {
	f.Helper()
	d := f.doc()
	at := d.Index(n)
	if at < 0 {
		f.Fatalf("there is no #%d", n)
	}
	return d.Items[at]
}

func (f *fixture) merge() queue.Merge {
	f.Helper()
	d := f.doc()
	return d.MergeOf("main")
}

// reconcile takes the steps of the queue, and begins what has its turn.
func (f *fixture) reconcile() {
	f.Helper()
	c := queue.ConditionsOf(f.Task)
	c.Memory = ""
	for {
		begin, err := f.q.Reconcile(f.Context(), c)
		f.ok(err)
		if len(begin) == 0 {
			return
		}
		for _, i := range begin {
			f.ok(f.q.Start(f.Context(), i))
		}
	}
}

// work is the change of a task: the content of files by their names; "-" removes one.
type work map[string]string

// tasks begins one task for each change, in the order of the arguments, and approves all.
func (f *fixture) tasks(all ...work) {
	f.Helper()
	var texts []queue.New
	first := f.doc().Last + 1
	for i := range all {
		texts = append(texts, queue.New{Text: fmt.Sprintf("# Task %d\n", first+i)})
	}
	_, err := f.q.Add(f.Context(), project.HumanActor(), texts)
	f.ok(err)
	f.reconcile()
	for i, w := range all {
		f.approve(first+i, w)
	}
	f.reconcile()
}

func (f *fixture) of(n int) *project.Task {
	f.Helper()
	of, err := f.q.Task(f.item(n))
	f.ok(err)
	return of
}

// dir returns the worktree of a task.
func (f *fixture) dir(n int) string {
	f.Helper()
	of := f.of(n)
	return of.Workspace(hqtest.World(f, of))
}

// approve brings a change in the worktree of a task to Complete.
func (f *fixture) approve(n int, w work) {
	f.Helper()
	f.submit(n, w)
	hqtest.Do(f, f.of(n), core.Command{Kind: "approve", By: project.HumanActor()})
}

// submit brings a change in the worktree of a task to Reviewing.
func (f *fixture) submit(n int, w work) {
	f.Helper()
	of, dir := f.of(n), f.dir(n)
	for name, text := range w {
		if text == "-" {
			f.ok(os.Remove(filepath.Join(dir, name)))
			continue
		}
		hqtest.Write(f, dir, name, text)
	}
	by := hqtest.Executor()
	hqtest.Do(f, of, core.Command{Kind: "claim", By: by})
	ticket := hqtest.Do(f, of, core.Command{Kind: "check", By: by}).Ticket
	tree, err := of.Work(hqtest.World(f, of)).Tree(f.Context())
	f.ok(err)
	hqtest.Do(f, of, core.Command{Kind: "checked", By: project.FerrusActor(), Ticket: ticket,
		Gate: &core.GateResult{Verdict: checks.Pass, Tree: tree.Hash}})
	hqtest.Do(f, of, core.Command{Kind: "submit", By: by,
		Text: fmt.Sprintf("## Summary\nIt is done: %d.\n\n## How to verify manually\nLook.\n", n)})
}

// stage stages items as the human.
func (f *fixture) stage(all ...int) {
	f.Helper()
	for _, n := range all {
		f.ok(Stage(f.Context(), f.q, f.item(n), project.HumanActor(), ""))
	}
}

// complete runs the merge until it waits for something else than a gate.
func (f *fixture) complete() {
	f.Helper()
	if _, err := f.run(); err != nil {
		f.Fatal(err)
	}
}

// run is complete, and returns why it ended.
func (f *fixture) run() (next Next, err error) {
	f.Helper()
	for range 200 {
		if next, err = f.m.Advance(f.Context(), f.o); err != nil || len(next.Prove)+len(next.Slow) == 0 {
			return next, err
		}
		for _, n := range next.Slow {
			if err := f.m.Continue(f.Context(), n, f.o); err != nil {
				return next, err
			}
		}
		for _, target := range next.Prove {
			if err := f.m.Prove(f.Context(), target, f.o); err != nil {
				return next, err
			}
		}
	}
	f.Fatal("the merge did not reach a stable state")
	return next, err
}

// restart is what a process that starts after a kill finds.
func (f *fixture) restart() {
	f.Helper()
	f.ok(f.m.Close())
	var err error
	f.q, err = queue.Open(f.Task)
	f.ok(err)
	f.m = New(f.Task, f.q)
	f.o.stop = nil
}

// advance is one process that is killed before its n-th step; done reports that it was not.
func (f *fixture) kill(n int) (done bool) {
	f.Helper()
	steps := 0
	f.o.stop = func() bool { steps++; return steps > n }
	_, err := f.run()
	if err != nil && !errors.Is(err, errStopped) {
		f.Fatal(err)
	}
	return err == nil
}

func (f *fixture) git(args ...string) string {
	f.Helper()
	out, err := git.In(f.Dir).Output(f.Context(), args...)
	f.ok(err)
	return out
}

// has reports whether main has a file.
func (f *fixture) has(name string) bool {
	return git.In(f.Dir).Do(f.Context(), "cat-file", "-e", "main:"+name) == nil
}

// states returns the items as "#1 Landed".
func (f *fixture) states() string {
	f.Helper()
	var all []string
	for _, i := range f.doc().Items {
		all = append(all, i.Name()+" "+string(i.State))
	}
	return strings.Join(all, ", ")
}

func (f *fixture) shows(want string) {
	f.Helper()
	if got := f.states(); got != want {
		f.Errorf("the queue is %s, and should be %s\n%+v", got, want, f.merge())
	}
}

// gates counts the gates that the merge ran, and the trees that they ran on.
func (f *fixture) gates() (runs, trees int) {
	f.Helper()
	lines, err := f.journal()
	f.ok(err)
	seen := map[string]bool{}
	for _, l := range lines {
		if strings.HasPrefix(l, "merge_gate ") {
			_, tree, _ := strings.Cut(l, "tree ")
			runs, seen[tree] = runs+1, true
		}
	}
	return runs, len(seen)
}

// redRuns counts how often each red tree was run.
func (f *fixture) redRuns() map[string]int {
	f.Helper()
	red := map[string]int{}
	for _, v := range f.merge().Verdicts {
		if v.Failed > 0 {
			red[v.Tree[:12]] = v.Failed
		}
	}
	return red
}

// journal returns the lines of the queue's journal as "event why".
func (f *fixture) journal() (all []string, err error) {
	entries, err := f.q.Journal(0)
	for _, e := range entries {
		all = append(all, e.Event+" "+e.Why)
	}
	return all, err
}

// proven demands that the checks passed on the tree of main, as the merge remembers it, or it is still the
// first commit.
func (f *fixture) proven(first, when string) {
	f.Helper()
	head := f.git("rev-parse", "main")
	if head == first {
		return
	}
	tree, m := f.git("rev-parse", "main^{tree}"), f.merge()
	submitted := slices.ContainsFunc(f.doc().Items, func(i queue.Item) bool {
		of, err := f.q.Task(i)
		if err != nil {
			return false
		}
		w := hqtest.World(f, of)
		return w.Submission != nil && w.Submission.Tree == tree
	})
	passed := func(v queue.Verdict) bool { return v.Tree == tree && v.Passed > 0 }
	if !submitted && !slices.ContainsFunc(m.Verdicts, passed) {
		f.Errorf("%s: main is at %.12s, tree %.12s, which nothing has proven", when, head, tree)
	}
}
