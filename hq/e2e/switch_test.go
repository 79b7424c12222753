//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"ferrus/hq/clients/model"
	"ferrus/hq/core"
	"ferrus/machine/task"
)

// TestSwitch exhausts Claude Code's account in the middle of its work. Either the human gives the
// task to Codex in HQ, or ferrus.toml names Codex as the fallback. Codex gets a handover and
// completes the task.
func TestSwitch(t *testing.T) {
	t.Run("by hand", func(t *testing.T) {
		b, handed := exhausting(t, "")
		s := b.hq()
		s.typeLine("/task --now " + model.TaskText)
		s.WaitFor("usage limit")
		s.typeLine("/switch executor codex")
		s.WaitFor("executor asks: Which mark ends the last line?")
		s.typeLine("!")
		s.WaitFor("● Complete")
		b.stop(s)
		b.verifySwitched(handed)
	})
	t.Run("fallback", func(t *testing.T) {
		b, handed := exhausting(t, "fallback = [\"codex\"]\n")
		b.runScenario()
		b.verifySwitched(handed)
	})
	t.Run("with open comments", func(t *testing.T) {
		b, handed := exhausting(t, "fallback = [\"codex\"]\n")
		script := b.script
		b.script = func(c model.Conversation) model.Action {
			if strings.Contains(c.Prompt, "wait_for_review") {
				return c.Run("sleep 300") // the human acts first
			}
			if handed.Load() != "" {
				return model.Action{Text: "That is all."}
			}
			action := script(c)
			b.server.SetFault(model.Well) // its account lasts until the comments are sent
			return action
		}
		stop := b.running("run", model.TaskText)
		b.until("nothing is submitted\n"+b.evidence(), func() bool { return b.world().State == task.Reviewing })
		b.server.SetFaultAt("/v1/messages", model.Later)
		round := filepath.Join(b.root, "round.md")
		write(t, round, "Not yet.\n\n## greeting.txt:1\nSay whom you greet.\n\n## README.md\nName the file here.\n")
		if code, out := b.run("review", "--from", round); code != 0 {
			t.Fatalf("review: exit %d\n%s", code, out)
		}
		b.until("no other agent starts\n"+b.evidence(), func() bool { return handed.Load() != "" })
		prompt, _ := handed.Load().(string)
		t.Log(prompt)
		for _, words := range []string{"The task: Greet.", "The newest check gate: PASS",
			// In 2 sessions, if one had ended with the submission.
			"claude-code worked on it, in ", "; the last one: hit a usage limit",
			"greeting.txt +1 -0\n@@ -0,0 +1 @@\n+hello ferrus\n", "Comments that have no answer yet: 3 comments.",
			"on greeting.txt:1: Say whom you greet.", "on README.md: Name the file here."} {
			if !strings.Contains(prompt, words) {
				t.Errorf("the handover lacks %q", words)
			}
		}
		stop()
	})
}

// exhausting returns a loop in which the first executor's account is exhausted once it has written
// the file. The next executor's handover is kept.
func exhausting(t *testing.T, more string) (b *fixture, handed *atomic.Value) {
	handed = &atomic.Value{}
	handed.Store("")
	b = newFixture(t, setup{supervisor: "codex", executor: "claude-code", more: more,
		script: func(c model.Conversation) model.Action { return b.script(c) }})
	b.script = func(c model.Conversation) model.Action {
		if strings.Contains(c.Prompt, "worked on it") {
			handed.Store(c.Prompt)
		}
		action := model.LoopScript(c)
		if calls("check")(c, action) && handed.Load() == "" {
			b.server.SetFaultAt("/v1/messages", model.Later)
		}
		return action
	}
	return b, handed
}

// verifySwitched checks the executor's sessions and the handover.
func (b *fixture) verifySwitched(handed *atomic.Value) {
	b.t.Helper()
	var agents []string
	for _, e := range b.ended() {
		if e.Slot == core.SlotExecutor {
			agents = append(agents, e.Agent+": "+e.Exit)
		}
	}
	b.t.Log(agents)
	if len(agents) < 2 || !strings.HasPrefix(agents[0], "claude-code: hit a usage limit") ||
		!strings.HasPrefix(agents[1], "codex") {
		b.t.Errorf("the sessions were %q, want claude-code up to its limit and then codex", agents)
	}
	prompt, _ := handed.Load().(string)
	b.t.Log(prompt)
	for _, words := range []string{"The task: Greet.", "greeting.txt +",
		"claude-code worked on it, in 1 session; the last one: hit a usage limit"} {
		if !strings.Contains(prompt, words) {
			b.t.Errorf("the handover lacks %q", words)
		}
	}
}
