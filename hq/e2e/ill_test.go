//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"ferrus/hq/clients/model"
)

// mute is what ferrus says of a client that itself says nothing.
const mute = "for 30 s: check its pane"

// signedOut is what ferrus makes of a key that is not accepted.
const signedOut = "is not logged in, or its key is not accepted: run `"

// anything is the beginning of whatever ferrus tells of an executor.
const anything = "ferrus: the executor ("

// ills are faults of a vendor's server with what ferrus reports of each client.
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

// TestIll has the vendor's server be ill while the executor works: the human is
// told what the client said, the task waits, and when the server is well again it
// runs to its end.
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
					t.Errorf("%s: exit %d, without the message %q:\n%s\n%s", ill.fault, code, words, out, b.evidence())
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
				t.Fatalf("the server works again, and the task does not continue: exit %d\n%s\n%s", code, out,
					b.evidence())
			}
			b.finish()
		})
	}
}

// resume clears what holds the task, if anything does.
func (b *fixture) resume() {
	b.t.Helper()
	if b.world().Hold == nil {
		return
	}
	if code, out := b.run("resume"); code != 0 {
		b.t.Fatalf("resume: exit %d\n%s", code, out)
	}
}
