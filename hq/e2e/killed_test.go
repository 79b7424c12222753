//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ferrus/hq/clients/model"
	"ferrus/hq/core"
)

// killedCase is the loop with one stop in it: the model falls silent where at says so, once, until
// the test releases it.
type killedCase struct {
	once    sync.Once
	reached chan struct{}
	on      chan struct{}
}

func newKilledCase() *killedCase {
	return &killedCase{reached: make(chan struct{}), on: make(chan struct{})}
}

func (s *killedCase) stop(at func(model.Conversation, model.Action) bool) func(model.Conversation) model.Action {
	return func(c model.Conversation) model.Action {
		action := model.LoopScript(c)
		if at(c, action) {
			s.once.Do(func() {
				close(s.reached)
				<-s.on
			})
		}
		return action
	}
}

// calls reports whether an action calls a ferrus tool.
func calls(tool string) func(model.Conversation, model.Action) bool {
	return func(_ model.Conversation, a model.Action) bool {
		name := a.Tool.Name
		return name == tool || strings.HasSuffix(name, "__"+tool) || strings.Contains(a.Program, "__"+tool+"(") ||
			a.Args["name"] == "mcp__ferrus__"+tool
	}
}

// TestKilled ends each client with SIGKILL between two of its calls: another session replaces it,
// and the loop completes. The killed session's usage counts, because its client recorded it.
func TestKilled(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			s := newKilledCase()
			b := newFixture(t, setup{supervisor: "codex", executor: name, script: s.stop(calls("check"))})
			b.interrupted(s, func() { b.kill(b.pid("executor")) })
			b.killedCounts()
		})
	}
}

// killedCounts checks that the killed executor's tokens are counted.
func (b *fixture) killedCounts() {
	b.t.Helper()
	for _, e := range b.ended() {
		if e.Slot == core.SlotExecutor && strings.Contains(e.Exit, "SIGKILL") {
			if e.Usage == nil || e.Usage.Silent || e.Usage.Input == 0 || e.Usage.Output == 0 {
				b.t.Errorf("the killed session's usage is %+v, want its tokens", e.Usage)
			}
			return
		}
	}
	b.t.Errorf("no session was killed: %+v", b.ended())
}

// TestServerKilled ends each executor's server with SIGKILL during one of its calls, while it waits
// for the response to its consultation.
func TestServerKilled(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			s := newKilledCase()
			b := newFixture(t, setup{supervisor: "codex", executor: name, script: s.stop(calls("respond_consult"))})
			b.interrupted(s, func() { b.kill(b.serving("executor", "wait_for_consult")) })
		})
	}
}

// interrupted runs the loop, calls harm where it stops, and runs it to its end. How a client
// handles a dead server is up to the client, so the model may complain.
func (b *fixture) interrupted(s *killedCase, harm func()) {
	b.t.Helper()
	b.lenient = true
	go func() {
		select {
		case <-s.reached:
			harm()
			close(s.on)
		case <-b.t.Context().Done():
			close(s.on)
		}
	}()
	b.runScenario()
	select {
	case <-s.reached:
	default:
		b.t.Error("the loop never reached the stop")
	}
}

func (b *fixture) kill(pid int) {
	if pid == 0 {
		b.t.Error("no process to kill")
		return
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		b.t.Errorf("kill %d: %v", pid, err)
	}
}

// pid returns the PID of the process that the conductor started for a slot.
func (b *fixture) pid(slot string) int {
	var registry struct {
		Agents []struct {
			Slot string
			PID  int
		}
	}
	data, err := os.ReadFile(filepath.Join(b.dir, ".ferrus", "agents.json"))
	if err == nil {
		err = json.Unmarshal(data, &registry)
	}
	if err != nil {
		b.t.Error(err)
	}
	for _, a := range registry.Agents {
		if a.Slot == slot {
			return a.PID
		}
	}
	return 0
}

// serving returns the PID of a role's server, once a tool call to it is in progress.
func (b *fixture) serving(role, tool string) int {
	for b.t.Context().Err() == nil {
		files, _ := filepath.Glob(filepath.Join(b.dir, ".ferrus", "run", "*.json"))
		for _, file := range files {
			var p struct {
				PID  int
				Tool string
			}
			data, _ := os.ReadFile(file)
			if json.Unmarshal(data, &p) != nil || p.Tool != tool {
				continue
			}
			command, _ := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/cmdline")
			if bytes.Contains(command, []byte(role)) {
				return p.PID
			}
		}
	}
	return 0
}
