package needs

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/conductor/notice"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/store"
)

// newWatch returns a watch over a new project, and a configuration whose command no test runs: every need has to wait
// for an hour.
func newWatch(t *testing.T) (*Watch, config.Config) {
	p := hqtest.NewProject(t, nil)
	p.Heads = store.Heads(filepath.Join(t.TempDir(), "heads"))
	cfg := config.Config{}
	cfg.HQ.Notify.OnNeed, cfg.HQ.Notify.After = []string{"no-such-command"}, time.Hour
	return restarted(t, p), cfg
}

// restarted returns the watch of the next conductor.
func restarted(t *testing.T, p *project.Task) *Watch {
	loop := session.NewLoop(t.Context())
	loop.Start(func() {})
	t.Cleanup(loop.Close)
	return New(p, loop, &notice.List{})
}

func inbox(items ...advice.InboxItem) func() []advice.InboxItem {
	return func() []advice.InboxItem { return items }
}

// A need waits until it is due, and needs that are delegated or yours do not count.
func TestANeedWaitsUntilItIsDue(t *testing.T) {
	t.Parallel()
	n, cfg := newWatch(t)
	old := advice.InboxItem{ID: "old", Since: time.Now().Add(-30 * time.Minute)}
	n.Reconcile(cfg, &core.World{}, inbox(
		advice.InboxItem{ID: "new"}, old, advice.InboxItem{ID: "delegated", Delegated: true},
		advice.InboxItem{ID: "yours", Yours: true}), false)
	if len(n.notified) != 0 || len(n.since) != 2 || !n.since["old"].Equal(old.Since) {
		t.Errorf("notified of %v, waiting since %v; want 2 needs that wait", n.notified, n.since)
	}
	if n.timer == nil {
		t.Error("nothing wakes the loop when the next need is due")
	}
	n.Reconcile(cfg, &core.World{}, inbox(), false)
	if len(n.since) != 0 || n.timer != nil {
		t.Errorf("with an empty inbox %v wait, timer %v; want none", n.since, n.timer)
	}
}

// A need from before the clock was set back waits from now on, and not until the clock is there again.
func TestANeedAfterTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	n, cfg := newWatch(t)
	before := time.Now()
	later := advice.InboxItem{ID: "later", Since: before.Add(time.Hour)}
	n.Reconcile(cfg, &core.World{}, inbox(later), false)
	if since := n.since["later"]; since.Before(before) || since.After(time.Now()) {
		t.Errorf("it waits since %v, want now", since)
	}
	n.since["later"] = before.Add(time.Hour)
	if since := n.began(later); since.After(time.Now()) {
		t.Errorf("it waits since %v after the clock was set back meanwhile, want now", since)
	}
}

// The command runs once for a need, also after a restart, and again if the need comes back.
func TestANeedIsRecordedUntilItIsGone(t *testing.T) {
	t.Parallel()
	n, cfg := newWatch(t)
	one, two := advice.InboxItem{ID: "one"}, advice.InboxItem{ID: "two"}
	n.Reconcile(cfg, &core.World{}, inbox(), false)
	n.notified["one"], n.notified["two"] = time.Now(), time.Now()
	n.save()
	next := restarted(t, n.project)
	next.Reconcile(cfg, &core.World{}, inbox(one, two), true) // all at once: a need not recorded would run the command
	if len(next.notified) != 2 || len(next.since) != 0 {
		t.Errorf("after a restart notified of %v, waiting since %v; want both as before", next.notified, next.since)
	}
	next.Reconcile(cfg, &core.World{}, inbox(two), false)
	next = restarted(t, n.project)
	next.Reconcile(cfg, &core.World{}, inbox(one, two), false)
	if _, done := next.notified["one"]; done || len(next.notified) != 1 || next.since["one"].IsZero() {
		t.Errorf("notified of %v, waiting since %v; want that the first need waits again", next.notified, next.since)
	}
}

// What needs you in a task of the queue has another id than the same in another task, and its commands name the task.
// What the queue asks is about its own tasks, or none.
func TestANeedNamesItsTask(t *testing.T) {
	t.Parallel()
	n, cfg := newWatch(t)
	main := core.World{}
	main.Task = &core.Task{ID: "t-1-one", Title: "One"}
	question := advice.InboxItem{ID: "question:4", Options: []string{"ferrus answer <text>"}}
	n.Reconcile(cfg, &main, inbox(), false)
	got := n.needOf(question)
	if got.Task != "t-1-one" || got.ID != question.ID || got.Options[0] != "ferrus answer <text>" {
		t.Errorf("of the project's own task: %+v", got)
	}
	question.About = &advice.About{}
	if got := n.needOf(question); got.Task+got.Title != "" {
		t.Errorf("about no task: %+v", got)
	}
	question.About = &advice.About{Task: "t-2-two", Title: "Two"}
	if got := n.needOf(question); got.Task != "t-2-two" || got.Title != "Two" {
		t.Errorf("about another task: %+v", got)
	}
	of, err := n.project.MakeTask(t.Context(), "t-3-three")
	if err != nil {
		t.Fatal(err)
	}
	n = restarted(t, of)
	n.Reconcile(cfg, &core.World{}, inbox(), false)
	question.About = nil
	got = n.needOf(question)
	if want := "ferrus answer --task t-3-three <text>"; got.ID != "t-3-three/question:4" || got.Options[0] != want {
		t.Errorf("of a task in the queue: %+v, want the option %s", got, want)
	}
}

// A command that you do not trust does not run, which is shown once; the last trusted one stays.
func TestAnUntrustedCommandDoesNotReplaceATrustedOne(t *testing.T) {
	t.Parallel()
	n, cfg := newWatch(t)
	n.project.Trusts = &project.TrustStore{File: filepath.Join(t.TempDir(), "trust.json")}
	cfg.Widening = []string{"on_need: no-such-command"}
	hqtest.Must(t, n.project.Trusts.Trust(n.project.Dir, project.GateDefinition(cfg)))
	n.Reconcile(cfg, &core.World{}, inbox(), false)
	other := cfg
	other.HQ.Notify.OnNeed, other.Widening = []string{"silence"}, []string{"on_need: silence"}
	for range 2 {
		n.Reconcile(other, &core.World{}, inbox(), false)
	}
	if len(n.argv) != 1 || n.argv[0] != "no-such-command" {
		t.Errorf("the command is %q, want the trusted one", n.argv)
	}
	if all := n.notices.All; len(all) != 1 || !strings.Contains(all[0].Text, "notify you with on_need: ") {
		t.Errorf("the notices are %+v, want one about on_need", all)
	}
	n.Reconcile(config.Config{}, &core.World{}, inbox(), false)
	if n.argv != nil {
		t.Errorf("the command is %q after you removed it, want none", n.argv)
	}
}

func TestNeedOf(t *testing.T) {
	t.Parallel()
	item := advice.InboxItem{ID: "question:4", Kind: advice.ItemQuestion, Text: "Which?",
		Options: []string{"ferrus answer"}}
	n, cfg := newWatch(t)
	item.Since = time.Now().Add(-90 * time.Second)
	n.Reconcile(cfg, &core.World{Task: &core.Task{ID: "t-1", Title: "Retry"}}, inbox(), false)
	got := n.needOf(item)
	if got.ID != item.ID || got.Kind != string(item.Kind) || got.Project != n.project.Dir || got.Task != "t-1" ||
		got.Title != "Retry" || got.Text != "Which?" || len(got.Options) != 1 || got.AgeSecs != 90 {
		t.Errorf("the need is %+v, want the question of t-1, 90 seconds old", got)
	}
	item = advice.InboxItem{ID: "hold", Since: time.Now().Add(time.Hour)}
	n.Reconcile(cfg, &core.World{}, inbox(), false)
	if got := n.needOf(item); got.AgeSecs != 0 || got.Task != "" {
		t.Errorf("the need is %+v, want no task, and an age of 0 though the clock was set back", got)
	}
}
