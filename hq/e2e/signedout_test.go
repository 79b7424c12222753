//go:build e2e

package e2e

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ferrus/hq/clients/model"
)

// TestSignedOut makes the vendor's server refuse each client's key; the client retries as often as
// it usually does. Ferrus names the problem, holds the task after two sessions, and status agrees.
func TestSignedOut(t *testing.T) {
	for _, name := range tried() {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, setup{supervisor: name, executor: name})
			for i, e := range b.env {
				if strings.HasPrefix(e, "CLAUDE_CODE_MAX_RETRIES=") {
					b.env[i] = "UNUSED=1"
				}
			}
			b.patience = 8 * time.Minute
			b.server.SetFault(model.Unauthorized)
			began := time.Now()
			out := &lockedText{}
			stop := b.printing(out, "run", model.TaskText)
			b.until("nothing says so", func() bool { return strings.Contains(out.String(), signedOut) })
			t.Logf("%s: reported after %.1f s", name, time.Since(began).Seconds())
			b.agree("status", "inbox")
			b.until("the task is not held", func() bool { return b.world().Hold != nil })
			t.Logf("%s: on hold after %.1f s", name, time.Since(began).Seconds())
			b.agree("status", "inbox")
			stop()
			t.Log(out.String())
		})
	}
}

// TestTroubleWhileAsking makes the vendor's server refuse the requests of each client that asks
// ferrus for permission over a protocol: ferrus names the problem.
func TestTroubleWhileAsking(t *testing.T) {
	for _, name := range asking {
		if strings.HasSuffix(name, "-acp") {
			continue // another name for the same client
		}
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, setup{supervisor: name, executor: name, permissions: "ask",
				more: "[session]\nmax_consecutive_errors = 1\ngrace_secs = 1\n"})
			args := []string{"run", model.TaskText}
			for _, trouble := range troubles {
				if trouble.fault == model.Well || trouble.name == keyless ||
					slices.Contains(unsaid[name], trouble.name) {
					continue
				}
				b.server.SetFault(trouble.fault)
				began := time.Now()
				limited := trouble.fault == model.Spent || trouble.fault == model.Later
				explained := func(out string) bool {
					return strings.Contains(out, trouble.what) ||
						limited && strings.Contains(out, "has reached its usage limit")
				}
				if code, out := b.runUntil(explained, args...); !explained(out) {
					t.Errorf("%s: exit %d, want the words %q:\n%s\n%s", trouble.name, code, trouble.what, out,
						b.evidence())
				}
				t.Logf("%s: after %.1f s", trouble.name, time.Since(began).Seconds())
				b.resume()
				args = []string{"run"}
			}
		})
	}
}

// agree checks that the commands report that the client is not logged in.
func (b *fixture) agree(commands ...string) {
	b.t.Helper()
	for _, command := range commands {
		if _, out := b.run(command); !strings.Contains(out, "not logged in") {
			b.t.Errorf("ferrus %s does not report the missing login:\n%s", command, out)
		}
	}
}

// lockedText is a program's output, for concurrent use.
type lockedText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
