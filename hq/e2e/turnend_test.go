//go:build e2e

package e2e

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ferrus/hq/clients/model"
	"ferrus/hq/core"
	"ferrus/hq/project"
)

// onOwnScreen returns the agents that run on their own screen: every client, and one that speaks
// the protocol.
func onOwnScreen() []string {
	return slices.Concat(slices.Sorted(maps.Keys(clients)), []string{"qwen-acp"})
}

// never keeps silence from ending a session, so only the client's own signal at the end of its turn
// does.
const never = "[session]\nidle_secs = 3000\ngrace_secs = 1\n"

// TestTurnEnds has an executor on its own screen end its turn before the work is done. Its session
// does not wait there for input: the next session does the work.
func TestTurnEnds(t *testing.T) {
	for _, name := range onOwnScreen() {
		t.Run(name, func(t *testing.T) {
			var stopped atomic.Bool
			b := newFixture(t, setup{supervisor: name, executor: name, interactive: true, more: never,
				script: func(c model.Conversation) model.Action {
					if executes(c) && took(c) && stopped.CompareAndSwap(false, true) {
						return model.Action{Text: "That is enough for now."}
					}
					return model.LoopScript(c)
				}})
			s := b.hq()
			s.typeLine("/task --now " + request)
			b.until("the executor's turn does not end\n"+b.evidence(), func() bool {
				return slices.ContainsFunc(b.ended(), func(e project.Ended) bool {
					return e.Slot == core.SlotExecutor && !e.Accepted
				})
			})
			s.WaitFor("executor asks: Which mark ends the last line?")
			b.stop(s)
		})
	}
}

// stop ends all sessions, and HQ.
func (b *fixture) stop(s *screen) {
	b.t.Helper()
	s.typeLine("/stop")
	s.WaitFor("Stop?")
	s.Type("y")
	b.quiet()
	s.Type(interrupt + interrupt)
	<-s.Ended
}

// executes reports whether a conversation belongs to a working executor.
func executes(c model.Conversation) bool {
	return strings.Contains(c.Prompt+strings.Join(c.User, "\n"), "wait_for_task")
}

// took reports whether a conversation's executor has its task.
func took(c model.Conversation) bool {
	return slices.ContainsFunc(c.Turns, func(t model.Turn) bool {
		return strings.Contains(t.Name, "wait_for_task") && t.Done
	})
}
