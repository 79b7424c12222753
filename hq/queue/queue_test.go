package queue_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/store"
	"ferrus/store/memtemp"
)

func TestMain(m *testing.M) { os.Exit(memtemp.M{Tests: m}.Run()) }

// fixture is a project with a queue.
type fixture struct {
	*testing.T
	*project.Task
	q *queue.Queue
}

func newFixture(t *testing.T, toml ...string) *fixture {
	t.Helper()
	p := hqtest.NewProject(t, hqtest.Files{
		"ferrus.toml": "[checks]\ncommands = [\"true\"]\n" + strings.Join(toml, "\n"),
		".gitignore":  ".ferrus/\n"}, "one", "two")
	q, err := queue.OpenOrCreate(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{t, p, q}
}

func (f *fixture) ok(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// refused checks that an error contains each of the words.
func (f *fixture) refused(err error, words ...string) {
	f.Helper()
	if err == nil {
		f.Fatalf("got no error, want %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			f.Errorf("got %q, want %q in it", err, w)
		}
	}
}

func (f *fixture) add(texts ...string) {
	f.Helper()
	all := make([]queue.New, len(texts))
	for i, t := range texts {
		all[i].Text = t
	}
	_, err := f.q.Add(f.Context(), project.HumanActor(), all)
	f.ok(err)
}

// rows returns all items, in the form "#1 Queued is next".
func (f *fixture) rows() string {
	f.Helper()
	all, err := f.q.Rows(f.conditions())
	f.ok(err)
	var b strings.Builder
	for _, r := range all {
		b.WriteString(strings.TrimSpace(fmt.Sprintf("%s %s: %s", r.Name(), r.State, r.Why)) + "\n")
	}
	return b.String()
}

func (f *fixture) shows(want ...string) {
	f.Helper()
	if got := strings.TrimSpace(f.rows()); got != strings.Join(want, "\n") {
		f.Errorf("the queue is\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// conditions returns those of ferrus.toml, with enough memory.
func (f *fixture) conditions() queue.Conditions {
	c := queue.ConditionsOf(f.Task)
	c.Memory = ""
	return c
}

// reconcile runs ferrus's steps and starts the items that have a turn.
func (f *fixture) reconcile() {
	f.Helper()
	for {
		begin, err := f.q.Reconcile(f.Context(), f.conditions())
		f.ok(err)
		if len(begin) == 0 {
			return
		}
		f.ok(f.q.Start(f.Context(), begin[0]))
	}
}

// do executes a command on the current task.
func (f *fixture) do(c core.Command) {
	f.Helper()
	hqtest.Do(f, f.Task, c)
}

// conduct simulates a running HQ.
func (f *fixture) conduct() {
	f.Helper()
	lock, err := f.Store.TryLock(project.ConductorLock)
	f.ok(err)
	f.Cleanup(func() { lock.Close() })
}

func TestItemsGetTheirTurnOneAfterAnother(t *testing.T) {
	f := newFixture(t)
	f.conduct()
	f.add("# First\nwell", "# Second")
	f.shows("#1 Queued: is next", "#2 Queued: is next")
	f.reconcile()
	f.shows("#1 Running: Executing", "#2 Queued: #1 is running in your checkout")
	w := hqtest.World(t, f.Task)
	if w.Task.Title != "First" || w.Task.Item != 1 {
		t.Errorf("the task is %+v, want First of item #1", w.Task)
	}
	if text, err := f.q.Request(1); text != "" || err != nil {
		t.Errorf("the request is still stored: %q, %v", text, err)
	}
	f.do(core.Command{Kind: core.KindReset, By: project.HumanActor()})
	f.reconcile()
	f.shows("#1 Cancelled:", "#2 Running: Executing")
}

func TestTheOpenTaskIsTheFirstItem(t *testing.T) {
	f := newFixture(t)
	f.conduct()
	f.do(core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: "# Open"})
	f.add("# Next")
	f.shows("#1 Running: Executing", "#2 Queued: #1 is running in your checkout")
	f.reconcile()
	f.shows("#1 Running: Executing", "#2 Queued: #1 is running in your checkout")
}

// A held task gives up its turn, and no other task gets it while the held task's changes are in the
// checkout.
func TestATaskOnHoldKeepsTheCheckout(t *testing.T) {
	f := newFixture(t)
	f.conduct()
	f.add("# First", "# Second")
	f.reconcile()
	f.do(core.Command{Kind: core.KindHold, By: project.HumanActor(), Text: core.HoldStop})
	f.reconcile()
	f.shows("#1 Parked: needs you: on hold (stop), resume it", "#2 Queued: the project is on hold (stop)")
	f.do(core.Command{Kind: core.KindResume, By: project.HumanActor()})
	f.reconcile()
	f.shows("#1 Running: Executing", "#2 Queued: #1 is running in your checkout")
}

// blocked fails the test unless exactly these commands free the tasks that only you can let start: each of them needs
// you, and is in the inbox.
func (f *fixture) blocked(commands ...string) {
	f.Helper()
	rows, err := f.q.Rows(f.conditions())
	f.ok(err)
	var needs, asked []string
	for _, r := range rows {
		if _, command := r.Unblock(); r.Needs {
			needs = append(needs, command)
		}
	}
	for _, item := range queue.Asks(rows, nil) {
		asked = append(asked, item.Run)
	}
	if !slices.Equal(needs, commands) || !slices.Equal(asked, commands) {
		f.Errorf("these need you: %q, and in the inbox: %q; want %q", needs, asked, commands)
	}
}

func TestDependencies(t *testing.T) {
	f := newFixture(t)
	f.conduct()
	ctx, by := t.Context(), project.HumanActor()
	_, err := f.q.Add(ctx, by, []queue.New{
		{Text: "# B", After: []queue.Ref{{Title: "C"}}}, {Text: "# C"},
		{Text: "# D", After: []queue.Ref{{N: 1}, {N: 2}}}})
	f.ok(err)
	f.shows("#1 Queued: waits for #2", "#2 Queued: is next", "#3 Queued: waits for #1")
	f.ok(f.q.Cancel(ctx, by, 2))
	f.shows("#1 Queued: waits for #2, which was cancelled: edit or cancel it", "#2 Cancelled:",
		"#3 Queued: waits for #2, which was cancelled: edit or cancel it")
	f.blocked("ferrus task edit 1 --after none", "ferrus task edit 3 --after 1")
	none := []int{}
	const third = "#3 Queued: waits for #2, which was cancelled: edit or cancel it"
	f.ok(f.q.Edit(ctx, by, 1, queue.Changes{After: &none}))
	f.refused(f.q.Edit(ctx, by, 1, queue.Changes{After: &[]int{3}}), "#1 waits for #3, which waits for #1")
	f.refused(f.q.Edit(ctx, by, 1, queue.Changes{After: &[]int{1}}), "#1 waits for itself")
	f.refused(f.q.Edit(ctx, by, 1, queue.Changes{After: &[]int{9}}), "there is no #9")
	f.refused(f.q.Edit(ctx, by, 9, queue.Changes{After: &none}), "there is no #9")
	f.refused(f.q.Edit(ctx, by, 1, queue.Changes{Text: new("# X"), After: &[]int{9}}), "there is no #9")
	f.refused(f.q.Edit(ctx, by, 1, queue.Changes{Text: new("# D"), After: &[]int{3}}), "#1 waits for #3")
	if text, err := f.q.Request(1); err != nil || text != "# B" {
		t.Errorf("the text of #1 is %q, %v; want # B: an edit that was refused changes nothing", text, err)
	}
	f.ok(f.q.Move(ctx, by, 3, 1))
	f.ok(f.q.Hold(ctx, by, 1))
	f.shows(third, "#1 Parked: held by you", "#2 Cancelled:")
	f.reconcile()
	f.ok(f.q.Resume(ctx, by, 1))
	f.reconcile()
	f.shows(third, "#1 Running: Executing", "#2 Cancelled:")
	f.refused(f.q.Hold(ctx, by, 1), "has started")
	f.ok(f.q.Cancel(ctx, by, 1))
	if w := hqtest.World(t, f.Task); w.State != "Idle" {
		t.Errorf("the cancelled item's task is %s, want Idle", w.State)
	}
}

func TestWhatIsNotAdded(t *testing.T) {
	f := newFixture(t)
	add := func(all ...queue.New) error {
		_, err := f.q.Add(t.Context(), project.HumanActor(), all)
		return err
	}
	f.ok(add(queue.New{Text: "# One"}))
	before, err := os.ReadFile(filepath.Join(f.Dir, ".ferrus/queue/state.json"))
	f.ok(err)
	f.refused(add(), "no task")
	f.refused(add(queue.New{Text: " \n"}), "no text")
	f.refused(add(queue.New{Text: "Tea\nin a caf\xe9"}), "Tea", "line 2 has the byte 0xe9")
	f.refused(add(queue.New{Text: "Two"}, queue.New{Text: "\x1b[31m\x07\n\x00"}), "task 2 of 2", "no title")
	f.refused(add(queue.New{Text: "# \x1b[31m\x07\nanother line\n"}), "no title")
	_, err = queue.ParseFile("# One\n\n# \x01\x02\nanother line\n")
	f.refused(err, "line 3", "no title")
	f.refused(add(queue.New{Text: "# One"}), `"One" is already #1`)
	f.refused(add(queue.New{Text: "# Two"}, queue.New{Text: "Two\nmore"}), `two tasks have the title "Two"`)
	f.refused(add(queue.New{Text: "Big\n" + strings.Repeat("x", 16<<20)}), "Big", "more than the 1048576 allowed")
	f.refused(add(make([]queue.New, 10_000)...), "holds at most 1000 tasks", "would have 10001")
	f.refused(add(queue.New{Text: "Two", After: []queue.Ref{{N: 7}}}), "there is no #7")
	f.refused(add(queue.New{Text: "Two", After: []queue.Ref{{Title: "Two"}}}),
		`"Two" cannot be added: "Two" waits for itself`)
	f.refused(add(queue.New{Text: "Two", After: []queue.Ref{{Title: "Three"}}}), `no task has that title`)
	f.refused(add(queue.New{Text: "Two", After: []queue.Ref{{Title: "Three"}}},
		queue.New{Text: "Three", After: []queue.Ref{{Title: "Two"}}}), `"Two" waits for "Three", which waits for "Two"`)
	f.refused(add(queue.New{Text: "Two", Touches: make([]string, 51)}), "51 patterns, more than the 50 allowed")
	f.refused(add(queue.New{Text: "Two", Touches: []string{strings.Repeat("x/", 101)}}), "202 bytes, more than the 200")
	f.refused(add(queue.New{Text: "Two", Needs: make([]string, 51)}), "51 labels, more than the 50 allowed")
	f.refused(add(queue.New{Text: "Two", Needs: []string{"g\x1bpu"}}), `"g\x1bpu", which is no label`)
	many := make([]string, 51)
	f.refused(f.q.Edit(t.Context(), project.HumanActor(), 1, queue.Changes{Touches: &many}), "#1 touches 51 patterns")
	if after, err := os.ReadFile(filepath.Join(f.Dir, ".ferrus/queue/state.json")); err != nil ||
		string(after) != string(before) {
		t.Errorf("refused commands changed the queue: %v", err)
	}
}

// If an item's task cannot be started, ferrus tries three times and then holds the item until you
// resume it.
func TestAnItemThatCannotBegin(t *testing.T) {
	f := newFixture(t)
	f.conduct()
	f.add("# First", "# Second")
	toml := filepath.Join(f.Dir, "ferrus.toml")
	good, err := os.ReadFile(toml)
	f.ok(err)
	f.ok(os.WriteFile(toml, []byte("[checks\n"), 0o600))
	for range 3 {
		begin, err := f.q.Reconcile(t.Context(), f.conditions())
		if err != nil || len(begin) != 1 || begin[0].N != 1 {
			t.Fatalf("%+v, %v have a turn; want #1", begin, err)
		}
		f.refused(f.q.Start(t.Context(), begin[0]), "start #1", "ferrus.toml")
	}
	if rows := f.rows(); !strings.Contains(rows, "#1 Parked: cannot start: ") ||
		!strings.Contains(rows, "ferrus.toml") {
		t.Errorf("the queue is\n%s\nwant #1 parked with an error in ferrus.toml", rows)
	}
	f.ok(os.WriteFile(toml, good, 0o600))
	f.ok(f.q.Cancel(t.Context(), project.HumanActor(), 2))
	f.ok(f.q.Resume(t.Context(), project.HumanActor(), 1))
	f.reconcile()
	f.shows("#1 Running: Executing", "#2 Cancelled:")
}

// Agents can only add items: moving, holding and cancelling is up to you.
func TestAgentsDoNotOrder(t *testing.T) {
	f := newFixture(t)
	f.add("# One", "# Two")
	by := core.Actor{Role: machine.Executor, ID: "executor:one:1"}
	for what, err := range map[string]error{
		"move": f.q.Move(t.Context(), by, 2, 1), "hold": f.q.Hold(t.Context(), by, 1),
		"cancel": f.q.Cancel(t.Context(), by, 1),
	} {
		if r := machine.AsRefusal(err); r == nil || r.Code != machine.NotYourRole {
			t.Errorf("%s by an executor: %v, want a refusal as not its role", what, err)
		}
	}
}

func TestDamageIsReported(t *testing.T) {
	f := newFixture(t)
	f.add("# One")
	state := filepath.Join(f.Dir, ".ferrus/queue/state.json")
	data, err := os.ReadFile(state)
	f.ok(err)
	damaged := new(*store.DamagedError)
	f.ok(os.WriteFile(state, []byte(strings.Replace(string(data), "One", "Two", 1)), 0o600))
	if _, err := f.q.Rows(queue.Conditions{}); !errors.As(err, damaged) {
		t.Errorf("an edited state: %v, want a DamagedError", err)
	}
	f.ok(os.Remove(state))
	if _, err := queue.Open(f.Task); !errors.As(err, damaged) {
		t.Errorf("opening a queue without its state: %v, want a DamagedError", err)
	}
	if _, err := queue.OpenOrCreate(t.Context(), f.Task); !errors.As(err, damaged) {
		t.Errorf("creating a queue without its state: %v, want a DamagedError", err)
	}
}

func TestThereIsNoQueueBeforeItsFirstUse(t *testing.T) {
	p := hqtest.NewProject(t, nil)
	if _, err := queue.Open(p); !errors.Is(err, store.ErrNone) {
		t.Errorf("Open without a queue: %v, want ErrNone", err)
	}
	if _, err := os.Stat(filepath.Join(p.Dir, ".ferrus/queue")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Open created the directory: %v", err)
	}
}
