//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ferrus/hq/clients/model"
)

// TestOwnScreen continues a headless executor on its program's own screen, and back: each time it
// is another process, which remembers the conversation.
func TestOwnScreen(t *testing.T) {
	for _, name := range onOwnScreen() {
		t.Run(name, func(t *testing.T) {
			knows := name != "gemini-cli" // 0.61.0 does not load a conversation whose first turn has not ended
			var step stepped
			b := newFixture(t, setup{supervisor: name, executor: name, script: step.script})
			step.reached, step.over = make(chan bool, 9), t.Context()
			s := b.hq()
			s.typeLine("/task --now " + request)
			b.reached(s, &step, false, false)
			s.switchScreen()
			b.reached(s, &step, true, knows)
			if !knows {
				s.WaitFor("starts a new one: ")
			}
			s.Type("\x0f2" + leave + "\x0fs")
			b.reached(s, &step, false, knows)
			b.stop(s)
		})
	}
}

// switchScreen switches, once the client has saved its conversation.
func (s *screen) switchScreen() {
	s.Helper()
	for {
		s.typeLine("/screen executor")
		continues := false
		s.Wait("an answer to /screen", func() bool {
			continues = strings.Contains(s.ScreenText(), "The executor continues ")
			return continues || strings.Contains(s.ScreenText(), "yet; try again")
		})
		if continues {
			return
		}
		s.Type("\x15") // a refused line stays at the prompt
		s.WaitGone("yet; try again")
	}
}

// stepped is a loop whose executor waits for the test in the middle of each of its sessions.
type stepped struct {
	reached chan bool // whether the conversation continues an earlier one
	over    interface{ Done() <-chan struct{} }
}

func (s *stepped) script(c model.Conversation) model.Action {
	if !executes(c) {
		return model.LoopScript(c)
	}
	knows := slices.ContainsFunc(c.Before, func(text string) bool { return strings.Contains(text, "wait_for_task") })
	if !knows && !took(c) {
		return model.LoopScript(c)
	}
	s.reached <- knows
	<-s.over.Done()
	return model.Action{Text: "Done."}
}

// reached waits until the executor's session is in the middle of its work, and checks whether it
// has its own screen, and whether it remembers the conversation.
func (b *fixture) reached(screen *screen, s *stepped, own, knows bool) {
	b.t.Helper()
	var got bool
	select {
	case got = <-s.reached:
	case <-time.After(patience):
		b.t.Fatalf("the executor does not reach its work\n%s\n%s", screen.ScreenText(), b.evidence())
	}
	if got != knows || b.onOwnScreen("executor") != own {
		b.t.Errorf("remembers the conversation: %v, want %v; has its own screen: %v, want %v\n%s", got, knows,
			b.onOwnScreen("executor"), own, b.evidence())
	}
}

// onOwnScreen reports whether a slot's session has its program's own screen.
func (b *fixture) onOwnScreen(slot string) bool {
	b.t.Helper()
	files, _ := filepath.Glob(filepath.Join(b.dir, ".ferrus", "tasks", "*", "agents.json"))
	for _, file := range append(files, filepath.Join(b.dir, ".ferrus", "agents.json")) {
		var registry struct {
			Agents []struct {
				Slot        string
				Interactive bool
			}
		}
		data, _ := os.ReadFile(file)
		if json.Unmarshal(data, &registry) != nil {
			continue
		}
		for _, a := range registry.Agents {
			if a.Slot == slot {
				return a.Interactive
			}
		}
	}
	return false
}
