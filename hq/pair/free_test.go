package pair

import (
	"errors"
	"os"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/pair"
	"ferrus/store"
)

// A working tree has one writer, whichever starts first.
func TestOneWriter(t *testing.T) {
	t.Parallel()
	create := core.Command{Kind: "create_task", By: project.HumanActor(), Text: "x"}
	t.Run("a pair keeps a task from beginning", func(t *testing.T) {
		t.Parallel()
		p := newProject(t)
		lock, err := p.Store.TryLock(project.PairLock)
		if err != nil {
			t.Fatal(err)
		}
		var paired *project.PairRunningError
		if err := CheckFree(t.Context(), p); !errors.As(err, &paired) || paired.PID != os.Getpid() {
			t.Errorf("CheckFree during a run: %v, want an error with this process", err)
		}
		_, err = p.Do(t.Context(), store.Call{}, create)
		var refusal *machine.Refusal
		if !errors.As(err, &refusal) || refusal.Failed[0].Guard != "pair-at-work" {
			t.Errorf("create_task: %v, want a refusal by pair-at-work", err)
		}
		lock.Close()
		if _, err := p.Do(t.Context(), store.Call{}, create); err != nil {
			t.Error(err)
		}
	})
	t.Run("a task keeps a pair from beginning", func(t *testing.T) {
		t.Parallel()
		p := newProject(t)
		r, cast := newRun(t, p, pair.Single, []reply{{edit: "good", says: "{DONE}"}}, nil)
		if _, err := p.Do(t.Context(), store.Call{}, create); err != nil {
			t.Fatal(err)
		}
		var occupied *RefusedError
		if err := r.Go(t.Context()); !errors.As(err, &occupied) || len(cast.prompts) != 0 {
			t.Errorf("got %v after the prompts %v, want that the tree is occupied, and no prompts", err, cast.prompts)
		}
		if err := p.CheckNoPair(); err != nil {
			t.Errorf("the lock is still held: %v", err)
		}
	})
}
