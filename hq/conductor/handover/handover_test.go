package handover

import (
	"strings"
	"testing"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
)

var executorJob = core.Job{Slot: core.SlotExecutor, Mode: core.ModeWork}

// newReader returns a reader of a project whose task has changed a file, and the ID of the task.
func newReader(t *testing.T) (Reader, string) {
	p := hqtest.NewProject(t, hqtest.Files{"ferrus.toml": "[checks]\ncommands = [\"true\"]\n"})
	hqtest.Do(t, p, core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: "Retry the fetch\n\nWell."})
	hqtest.Write(t, p.Dir, "new.txt", "a new line\n")
	w := hqtest.World(t, p)
	return Reader{Project: p, World: &w}, w.Task.ID
}

// ended records an ended session of the task.
func (r Reader) ended(t *testing.T, session string, slot core.Slot, agent, exit string, accepted bool) {
	t.Helper()
	e := project.SessionRecord{Session: session, Slot: slot, Role: slot.Role(), AgentType: agent, Exit: exit,
		Task: r.World.Task.ID, Accepted: accepted}
	hqtest.Must(t, r.Project.AddEnded(e.EndedNow(time.Now(), nil)))
}

func TestFromAgent(t *testing.T) {
	t.Parallel()
	r, id := newReader(t)
	if got := r.FromAgent(t.Context(), executorJob, id, "codex"); got != "" {
		t.Errorf("before any session: %q, want nothing", got)
	}
	r.ended(t, "a", core.SlotExecutor, "qwen-code", "done", true)
	r.ended(t, "b", core.SlotExecutor, "claude-code", "done", true)
	r.ended(t, "c", core.SlotReviewer, "codex", "done", true)
	r.ended(t, "d", core.SlotExecutor, "claude-code", "hit a usage limit", true)
	r.World.Gate = &core.Gate{Verdict: "FAIL"}
	got := r.FromAgent(t.Context(), executorJob, id, "codex")
	for _, want := range []string{"The task: Retry the fetch.\n",
		"claude-code worked on it, in 2 sessions; the last one: hit a usage limit.\n",
		"The newest check gate: FAIL.\n", "Changed since the task started: 1 file.\n", "\nnew.txt +1 -0\n",
		"+a new line\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the handover lacks %q:\n%s", want, got)
		}
	}
	for name, empty := range map[string]string{
		"the same agent": r.FromAgent(t.Context(), executorJob, id, "claude-code"),
		"another task":   r.FromAgent(t.Context(), executorJob, "", "codex"),
		"a reviewer":     r.FromAgent(t.Context(), core.Job{Slot: core.SlotReviewer, Mode: core.ModeWork}, id, "codex"),
		"a free session": r.FromAgent(t.Context(), core.Job{Slot: core.SlotExecutor, Mode: core.ModeFree}, id, "codex"),
	} {
		if empty != "" {
			t.Errorf("%s gets a handover:\n%s", name, empty)
		}
	}
}

// A large patch does not fit into the prompt; the file's name and counts do.
func TestALargePatchIsLeftOut(t *testing.T) {
	t.Parallel()
	r, id := newReader(t)
	hqtest.Write(t, r.Project.Dir, "large.txt", strings.Repeat("a long line of text\n", maxDiff/10))
	r.ended(t, "a", core.SlotExecutor, "claude-code", "done", true)
	got := r.FromAgent(t.Context(), executorJob, id, "codex")
	if len(got) > maxDiff || !strings.Contains(got, "\nlarge.txt +1228 -0\n") ||
		!strings.Contains(got, "\nnew.txt +1 -0\n") {
		t.Errorf("the handover has %d bytes, want at most %d with both files:\n%.2000s", len(got), maxDiff, got)
	}
}

// Work by hand is described until a session of the executor has begun to work on it.
func TestFromHuman(t *testing.T) {
	t.Parallel()
	r, id := newReader(t)
	if got := r.FromHuman(t.Context(), executorJob, id); got != "" {
		t.Errorf("a task that was not adopted: %q, want nothing", got)
	}
	r.World.Task.Workspace = &core.Workspace{Adopted: &core.Adopted{Dir: "/by/hand", Branch: "fix"}}
	want := "It was started in /by/hand, on the branch fix. All its files are in " + r.Project.Worktree(id).Top() +
		" now"
	r.ended(t, "a", core.SlotExecutor, "codex", "crashed", false)
	r.ended(t, "b", core.SlotReviewer, "codex", "done", true)
	if got := r.FromHuman(t.Context(), executorJob, id); !strings.HasPrefix(got, want) {
		t.Errorf("FromHuman = %q, want %q", got, want)
	}
	r.ended(t, "c", core.SlotExecutor, "codex", "done", true)
	if got := r.FromHuman(t.Context(), executorJob, id); got != "" {
		t.Errorf("after a session that worked on it: %q, want nothing", got)
	}
}
