package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/machine"
)

const staged = "# Stages\n\n- [ ] #1.0 First\n  - ID: m1.0\n- [ ] #1.1 Second\n  - ID: m1.1\n  - Depends on: " +
	"m1.2\n- [ ] #1.2 Third\n  - ID: m1.2\n  - Depends on: m1.0\n"

// drafted is a task of the selected milestone, brought to Reviewing.
func (l *fixture) drafted(name, id string) {
	l.Helper()
	planner := core.Actor{Role: machine.Supervisor, ID: "supervisor:x:3", Session: "p", Mode: core.ModeTask}
	if _, err := l.SelectMilestone(l.Context(), HumanActor(), name, id); err != nil {
		l.Fatal(err)
	}
	s := l.world().World.Selection
	s.PendingTaskSpec, s.PendingTaskMilestone = name, id
	l.do(core.Command{Kind: "select", By: FerrusActor(), Select: &s})
	l.do(core.Command{Kind: "create_task", By: planner, Text: "# Do it"})
	l.resubmit()
}

// last is why the newest line was written.
func (l *fixture) last() string {
	l.Helper()
	lines, err := l.Store.Journal(0)
	if err != nil || len(lines) == 0 {
		l.Fatal(lines, err)
	}
	return lines[len(lines)-1].Why
}

func (l *fixture) readFile(name string) string {
	l.Helper()
	data, err := os.ReadFile(filepath.Join(l.Dir, name))
	if err != nil {
		l.Fatal(err)
	}
	return string(data)
}

func TestApprovalTicksTheMilestone(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t)
	written, err := l.WriteSpec(staged)
	if err != nil {
		t.Fatal(err)
	}
	l.drafted(written.Path, "m1.0")
	l.do(core.Command{Kind: "approve", By: HumanActor()})
	if got := l.readFile(written.Path); got != strings.Replace(staged, "[ ] #1.0", "[x] #1.0", 1) {
		t.Errorf("the file holds\n%s", got)
	}
	s := l.world()
	if w := s.World; w.SelectedMilestone != "m1.2" || !w.TaskTicked || w.TaskMilestone != "m1.0" || w.NeedsTick() {
		t.Errorf("selected %+v: m1.1 waits for m1.2", w.Selection)
	}
	if got := l.last(); got != "m1.0 First is ticked; next is m1.2 Third" {
		t.Errorf("journal says %q", got)
	}
	if err := l.TickMilestone(t.Context()); err != nil || l.world().Seq != s.Seq {
		t.Errorf("ticked twice: %v", err)
	}
	l.drafted(written.Path, "m1.2")
	l.do(core.Command{Kind: "approve", By: HumanActor()})
	l.drafted(written.Path, "m1.1")
	l.do(core.Command{Kind: "approve", By: HumanActor()})
	if got := l.last(); got != "m1.1 Second is ticked; that was the last one" ||
		l.world().World.SelectedMilestone != "" {
		t.Errorf("journal says %q, %+v", got, l.world().World.Selection)
	}
}

// The approving process may be killed before the box is ticked, or after it and before
// the state says so.
func TestTickAfterACrash(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	for _, ticked := range []bool{false, true} {
		l := newFixture(t)
		written, err := l.WriteSpec(staged)
		if err != nil {
			t.Fatal(err)
		}
		l.drafted(written.Path, "m1.0")
		state := l.world()
		tree, err := l.Repo().Tree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		cfg, _ := l.Config()
		if err := l.commit(t.Context(), cfg, core.Command{Kind: "approve", By: HumanActor(), Seq: state.Seq,
			Facts: core.Facts{Tree: tree.Hash}}); err != nil {
			t.Fatal(err)
		}
		if !l.world().World.NeedsTick() {
			t.Fatal("nothing is left to do")
		}
		if ticked {
			if _, err := l.Specs().Tick(written.Path, "m1.0"); err != nil {
				t.Fatal(err)
			}
		}
		l.do(core.Command{Kind: "create_task", By: HumanActor(), Text: "another"})
		if w := l.world().World; !strings.Contains(l.readFile(written.Path), "[x] #1.0") ||
			w.SelectedMilestone != "m1.2" || w.TaskMilestone != "" || w.TaskTicked {
			t.Errorf("ticked %v: %+v, want the next milestone selected, and the box ticked:\n%s",
				ticked, w.Selection, l.readFile(written.Path))
		}
	}
}

func TestTickOfWhatIsGone(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	for why, edit := range map[string]func(file string) error{
		"is gone":          os.Remove,
		"no longer has it": func(file string) error { return os.WriteFile(file, []byte("# Empty\n"), 0o644) },
		"has to be edited first": func(file string) error {
			return os.WriteFile(file, []byte(staged+"- [ ] #9 x\nID: m1.0\n"), 0o644)
		},
	} {
		l := newFixture(t)
		written, err := l.WriteSpec(staged)
		if err != nil {
			t.Fatal(err)
		}
		l.drafted(written.Path, "m1.0")
		l.write(l.Dir, ".gitignore", ".ferrus/\ndocs/\n") // or the submission would be void
		l.refused(core.Command{Kind: "approve", By: HumanActor()})
		l.resubmit()
		if err := edit(filepath.Join(l.Dir, written.Path)); err != nil {
			t.Fatal(err)
		}
		if r := l.do(core.Command{Kind: "approve", By: HumanActor()}); r.Status != "approved" {
			t.Errorf("the result is %+v, want approved", r)
		}
		if got := l.last(); !strings.HasPrefix(got, "m1.0 is not ticked: ") || !strings.Contains(got, why) ||
			!l.world().World.TaskTicked {
			t.Errorf("journal says %q, want %q", got, why)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	written, err := l.WriteSpec(staged)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, id, want string }{
		{written.Path, "m9", "no longer has a milestone with the ID m9"},
		{"docs/specs/no.md", "m1.0", "is gone"},
		{"../x.md", "m1.0", "escapes"},
	} {
		before := l.world().Seq
		if _, err := l.SelectMilestone(t.Context(), HumanActor(), c.name, c.id); err == nil ||
			!strings.Contains(err.Error(), c.want) || l.world().Seq != before {
			t.Errorf("%+v: %v; want %v", c, err, c.want)
		}
	}
	if _, err := l.SelectMilestone(t.Context(), HumanActor(), written.Path, "m1.0"); err != nil {
		t.Error(err)
	}
	if _, err := l.SelectMilestone(t.Context(), HumanActor(), "", ""); err != nil ||
		l.world().World.SelectedSpec != "" {
		t.Errorf("selection %+v, %v; want none", l.world().World.Selection, err)
	}
}
