package conductor_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/store"
	"ferrus/store/longtest"
)

// rests reports whether nothing lives, nothing waits and nothing asks you, although the
// task needs ferrus to act.
func rests(v conductor.View) bool {
	w := v.State.World
	if w.Hold != nil || v.Silent != nil || v.StateError != "" || w.GateRunning() || w.AwaitsApproval() {
		return false
	}
	switch w.State {
	case task.Idle, task.Complete, task.Failed, task.AwaitingHuman:
		return false
	}
	if w.IsClaimed() && !w.Claim.Managed {
		return false // until it is silent
	}
	for _, p := range v.Panes {
		if p.State == session.Running || p.State == "Spawning" || !p.Until.IsZero() {
			return false
		}
	}
	return true
}

// walker gives a conductor commands in a random order.
type walker struct {
	*fixture
	c      *conductor.Conductor
	agents *acting
	ran    []string // the commands, for the report of a failure
}

// commands returns what a human can do at any time; most are refused most of the time.
func (w *walker) commands() map[string]func() error {
	do := func(kind machine.Kind) func() error {
		return func() error {
			_, err := w.c.Do(w.Context(), core.Command{Kind: kind, Text: "# Work\n"})
			return err
		}
	}
	all := map[string]func() error{
		"/stop":   func() error { return w.c.Stop(w.Context()) },
		"/resume": func() error { _, err := w.c.Resume(w.Context()); return err },
		"/plan":   func() error { return w.c.Want(core.Request{Kind: core.ModePlan, Text: "plan"}) },
		"ferrus resume": func() error {
			_, err := w.p.Do(w.Context(), store.Call{}, core.Command{Kind: core.KindResume, By: project.HumanActor()})
			return err
		},
		"restart": func() error {
			w.closed(w.c.Close(false))
			w.conduct()
			return nil
		},
		"answer": func() error {
			if q := w.c.View().State.World.Question; q != nil {
				_, err := w.c.Do(w.Context(), core.Command{Kind: core.KindAnswer, Ticket: q.Ticket, Text: "This."})
				return err
			}
			return nil
		},
		"respond_consult": func() error {
			if q := w.c.View().State.World.Consult; q != nil {
				c := core.Command{Kind: core.KindRespondConsult, Ticket: q.Ticket, Text: "That."}
				_, err := w.c.Do(w.Context(), c)
				return err
			}
			return nil
		},
		"uninstall": func() error { return w.agents.install(false) },
		"install":   func() error { return w.agents.install(true) },
	}
	for _, mode := range []core.Mode{core.ModeTask, core.ModeSpec, core.ModeFree} {
		all["/"+string(mode)] = func() error { return w.c.Want(core.Request{Kind: mode, Text: "x"}) }
	}
	for _, kind := range []machine.Kind{
		core.KindCheck, core.KindCreateTask, core.KindReset, core.KindRetry, core.KindApprove, core.KindReject,
		core.KindCheckCancelled,
	} {
		all[string(kind)] = do(kind)
	}
	for _, slot := range core.Slots {
		all["/resume "+string(slot)] = func() error { return w.c.Start(slot) }
		all["/resume "+string(slot)+" --take"] = func() error { return w.c.TakeLease(w.Context(), slot) }
		all["/tell "+string(slot)] = func() error { _, err := w.c.SendMessage(slot, "hurry"); return err }
	}
	return all
}

// issue gives a command and waits until ferrus acts on it, or says why it does not.
func (w *walker) issue(name string) {
	w.Helper()
	w.ran = append(w.ran, name)
	err := w.commands()[name]()
	if err != nil && !machine.IsRefusal(err) {
		w.ran[len(w.ran)-1] += fmt.Sprintf(" (%v)", err)
	}
	w.wait(w.c, fmt.Sprintf("session, wait or question after %q", w.ran), func(v conductor.View) bool {
		return !rests(v)
	})
}

func newWalker(t *testing.T, parts func() string) *walker {
	t.Helper()
	s := newFixture(t, "none")
	s.edit("min_uptime_secs = 1", "max_consecutive_errors = 2")
	s.edit(`"test -f work.txt"]`, `"true"]
protect = false`) // Its executors change no file.
	cast := &acting{p: s.p, parts: parts}
	w := &walker{fixture: s, agents: cast}
	w.conduct()
	t.Cleanup(func() { w.closed(w.c.Close(false)) })
	return w
}

func (w *walker) conduct() {
	w.Helper()
	c, err := conductor.Start(w.Context(), w.p, conductor.Options{}.WithLauncher(w.agents), nil)
	if err != nil {
		w.Fatal(err)
	}
	w.c = c
}

func (w *walker) closed(err error) {
	w.Helper()
	if err != nil {
		w.Error(err)
	}
}

// A reviewer starts although /stop and /reset came before its task: a stop ends with what
// it stopped.
func TestReviewerStartsAfterStopAndReset(t *testing.T) {
	w := newWalker(t, func() string { return "hang" })
	for _, name := range []string{"create_task", "/stop", "reset"} {
		w.issue(name)
	}
	w.agents.parts = func() string { return "approve" }
	w.issue("create_task")
	w.wait(w.c, "Complete", complete)
}

// A slot whose agent was not installed starts once it is, whatever cleared its hold.
func TestSlotStartsAfterItsAgentIsInstalled(t *testing.T) {
	w := newWalker(t, func() string { return "approve" })
	w.issue("uninstall")
	w.issue("create_task")
	v := w.wait(w.c, "hold", held)
	if h := v.State.World.Hold; h.Reason != core.HoldAgent ||
		!strings.Contains(h.Cause, "cannot start: actor: not found") {
		t.Errorf("a program that is missing reads %q", h.Describe())
	}
	for _, name := range []string{"install", "reset", "create_task"} {
		w.issue(name)
	}
	w.wait(w.c, "Complete", complete)
}

// A stop during a workflow holds it, though no task is open: else its phase would start
// again, or rest without a word.
func TestStopHoldsAWorkflow(t *testing.T) {
	w := newWalker(t, func() string { return "hang" })
	if _, err := w.c.StartWorkflow(t.Context(), "feature", "a feature"); err != nil {
		t.Fatal(err)
	}
	w.wait(w.c, "a phase", func(v conductor.View) bool { return len(v.Panes) > 0 && !rests(v) })
	w.issue("/stop")
	if !held(w.c.View()) {
		t.Fatal("the workflow is stopped, and nothing says so")
	}
	w.issue("/resume")
	w.wait(w.c, "the phase again", func(v conductor.View) bool {
		return v.Panes[0].Session == 2 && (v.Panes[0].State == "Spawning" || v.Panes[0].State == session.Running)
	})
}

// The end of a workflow is announced, once. An end by a command here is not: its answer tells of it.
func TestTheEndOfAWorkflowIsAnnounced(t *testing.T) {
	for where, want := range map[string]int{"elsewhere": 1, "here": 0} {
		t.Run(where, func(t *testing.T) {
			w := newWalker(t, func() string { return "hang" })
			began, err := w.c.StartWorkflow(t.Context(), "feature", "a feature")
			if err != nil {
				t.Fatal(err)
			}
			w.wait(w.c, "a phase", func(v conductor.View) bool { return len(v.Panes) > 0 && !rests(v) })
			if where == "here" {
				_, err = w.c.Decide(t.Context(), "cancel", "not needed")
			} else {
				_, err = workflow.Open(w.p).Cancel(t.Context(), began.ID, "not needed")
			}
			if err != nil {
				t.Fatal(err)
			}
			v := w.wait(w.c, "the end", func(v conductor.View) bool { return v.Workflow.IsFinal() })
			found := 0
			for _, n := range v.Notices {
				if n.Text == "The feature workflow is cancelled: a feature" {
					found++
				}
			}
			if found != want {
				t.Errorf("an end %s is announced %d times: %+v", where, found, v.Notices)
			}
		})
	}
}

// A slot that gave up says what its program said last, and a new conductor shows that it had
// sessions.
func TestPanesOfARestart(t *testing.T) {
	w := newWalker(t, func() string { return "fail" })
	w.issue("create_task")
	v := w.wait(w.c, "hold", held)
	if v.State.World.Hold.Reason != core.HoldSessionLimit {
		t.Errorf("held for %s", v.State.World.Hold.Describe())
	}
	w.issue("restart")
	if panes := w.c.View().Panes; len(panes) != 1 || panes[0].Session < 2 || panes[0].Exit != "exit 7" {
		t.Errorf("the panes are %+v, want a later session after exit 7", panes)
	}
}

// A session that failed and changed the tree got somewhere: only the total limit ends such a
// row. One that changed nothing ends at the consecutive limit.
func TestAChangedTreeEndsARowOfErrors(t *testing.T) {
	for part, sessions := range map[string]int{"fail": 2, "edit and fail": 3} {
		t.Run(part, func(t *testing.T) {
			w := newWalker(t, func() string { return part })
			w.edit("max_consecutive_errors = 2", "max_consecutive_errors = 2\nmax_total_errors = 3")
			w.issue("create_task")
			v := w.wait(w.c, "hold", held)
			if h := v.State.World.Hold; h.Reason != core.HoldSessionLimit || v.Panes[0].Session != sessions {
				t.Errorf("held after %d sessions: %s", v.Panes[0].Session, h.Describe())
			}
		})
	}
}

// TestNothingRests: after any commands in any order, either something lives or waits for its
// time, or you are asked.
func TestNothingRests(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv("FERRUS_SEED"), 10, 64); err == nil {
		seed = given
	}
	t.Logf("FERRUS_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var mu sync.Mutex
	pick := func(n int) int { mu.Lock(); defer mu.Unlock(); return random.IntN(n) }
	parts := []string{"exit", "fail", "hang", "approve", "reject", "sit", "ask", "consult", "edit and fail"}
	w := newWalker(t, func() string { return parts[pick(len(parts))] })
	// Every command, and some more often: without them most of a walk would do nothing.
	names := slices.Sorted(maps.Keys(w.commands()))
	names = append(names, "create_task", "create_task", "install", "install", "answer", "reset")
	steps := 60
	if longtest.On() {
		steps = 1000
	}
	for range steps {
		w.issue(names[pick(len(names))])
	}
}
