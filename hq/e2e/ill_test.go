//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"ferrus/hq/clients/model"
)

// mute is ferrus's message about a client that says nothing itself.
const mute = "for 30 s: check its pane"

// signedOut is ferrus's message about a key that was refused.
const signedOut = "is not logged in, or its key is not accepted: run `"

// anything is the beginning of all messages about an executor.
const anything = "ferrus: the executor ("

// ills are a vendor server's faults, with ferrus's message for each client.
var ills = []struct {
	fault model.Fault
	words map[string]string
}{
	{model.Unauthorized, map[string]string{"claude-code": signedOut, "codex": signedOut, "qwen-code": signedOut}},
	{model.Limited, map[string]string{"claude-code": "the scripted quota is used up", "codex": "429",
		"qwen-code": anything}},
	{model.Broken, map[string]string{"claude-code": "the scripted server is broken", "codex": anything,
		"qwen-code": anything}},
	{model.Cut, map[string]string{"claude-code": anything, "codex": anything, "qwen-code": anything}},
	{model.Hanging, map[string]string{"claude-code": mute, "codex": mute, "qwen-code": mute}},
}

// TestIll makes the vendor's server fail while the executor works: the human sees what the client
// reported, the task waits, and once the server works again it completes.
func TestIll(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, setup{supervisor: "codex", executor: name,
				more: "[session]\nmax_consecutive_errors = 1\ngrace_secs = 1\n"})
			args := []string{"run", model.TaskText}
			for _, ill := range ills {
				b.server.SetFault(ill.fault)
				words := ill.words[name]
				code, out := b.runUntil(func(out string) bool { return strings.Contains(out, words) }, args...)
				if !strings.Contains(out, words) {
					t.Errorf("%s: exit %d, want the message %q:\n%s\n%s", ill.fault, code, words, out, b.evidence())
				}
				if w := b.world(); w.State != "Executing" || w.Task == nil || code == 0 {
					t.Fatalf("%s: exit %d, the task is %s\n%s", ill.fault, code, w.State, out)
				}
				t.Logf("%s: exit %d\n%s", ill.fault, code, out)
				b.resume()
				args = []string{"run"}
			}
			b.server.SetFault(model.Well)
			if code, out := b.run("run"); code != 3 || !strings.Contains(out, "Which mark ends the last line?") {
				t.Fatalf("the server works again, but the task does not continue: exit %d\n%s\n%s", code, out,
					b.evidence())
			}
			b.finish()
		})
	}
}

// resume clears the task's hold, if there is one.
func (b *fixture) resume() {
	b.t.Helper()
	if b.world().Hold == nil {
		return
	}
	if code, out := b.run("resume"); code != 0 {
		b.t.Fatalf("resume: exit %d\n%s", code, out)
	}
}
