package chaos

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ferrus/store/longtest"
)

// killing is one kill: once the journal has the given number of entries, and after a pause, as soon
// as there is a process to kill.
type killing struct {
	part  string
	after int
	pause time.Duration
}

func (s killing) String() string { return fmt.Sprintf("%s after %d+%v", s.part, s.after, s.pause) }

// victims are the parts that are killed in each mode.
var victims = map[string][]string{
	"demo": {"conductor", "conductor", "conductor", "serve", "executor", "reviewer", "consultant", "planner",
		"command", "host"},
	"screen": {"conductor", "conductor", "serve", "executor", "reviewer", "consultant", "command", "host"},
	"run":    {"conductor", "conductor", "conductor", "serve", "executor", "reviewer", "consultant", "command", "host"},
	"hand":   {"serve", "executor", "reviewer", "consultant", "gate", "gate", "command"},
}

// killableBetween has the entries of the undisturbed journal between which a part has a process to
// kill.
var killableBetween = map[string][2]int{
	"planner": {0, 1}, "executor": {1, 19}, "host": {1, 20}, "consultant": {5, 6}, "reviewer": {10, 21},
	"serve": {0, 20}, "conductor": {0, 21}, "command": {3, 18}, "gate": {3, 18},
}

func drawKilling(rng *mathrand.Rand, mode string) killing {
	part := victims[mode][rng.IntN(len(victims[mode]))]
	between, within := killableBetween[part], 250
	if part == "consultant" || part == "reviewer" || part == "planner" {
		within = 60 // their processes do not live longer
	}
	if mode == "screen" && part != "conductor" {
		between[0] = max(between[0], 1) // HQ does not create a task by itself: it would wait for the human
	}
	return killing{part, between[0] + rng.IntN(between[1]-between[0]),
		time.Duration(rng.IntN(within)) * time.Millisecond}
}

// killAt waits for its time and kills, unless the trial ends first. A conductor is not killed once the task is
// complete: none follows that would clear away what it leaves.
func (p *trial) killAt(over <-chan struct{}, s killing) {
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	due := time.Time{}
	for {
		if due.IsZero() && p.countEntries() >= s.after {
			due = time.Now().Add(s.pause)
		}
		if !due.IsZero() && time.Now().After(due) {
			if all := p.processes.parts(s.part); len(all) > 0 {
				if s.part == "conductor" && p.isComplete() {
					return
				}
				p.killed.add(s.part)
				all[0].kill()
				return
			}
		}
		select {
		case <-over:
			return
		case <-ticks.C:
		}
	}
}

// countEntries returns the number of entries in the journal.
func (p *trial) countEntries() int {
	data, err := os.ReadFile(filepath.Join(p.dir, ".ferrus", "journal.jsonl"))
	if err != nil {
		return 0
	}
	return bytes.Count(data, []byte("\n"))
}

// run runs the task in one mode with some kills, and returns what existed twice at a time.
func (p *trial) run(mode string, planned []killing) (doubled []string) {
	ctx, cancel := context.WithTimeout(p.Context(), limit)
	defer cancel()
	defer context.AfterFunc(ctx, p.dumpStacks)()
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { doubled = p.processes.watch(over) })
	for _, s := range planned {
		watching.Go(func() { p.killAt(over, s) })
	}
	modes[mode](p, ctx)
	p.awaitEmpty(ctx)
	close(over)
	watching.Wait()
	if ctx.Err() != nil {
		p.Errorf("the trial did not end within %v", limit)
	}
	return doubled
}

// dumpStacks ends the remaining processes of a trial that hangs with SIGQUIT, which makes each one
// dump its goroutines to its parent's output.
func (p *trial) dumpStacks() {
	for _, one := range p.processes.living() {
		fmt.Fprintf(&p.hung, "%v\n", one)
		_ = syscall.Kill(one.pid, syscall.SIGQUIT)
	}
}

// awaitEmpty waits until no process of the trial is left.
func (p *trial) awaitEmpty(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for {
		left := p.processes.living()
		if len(left) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			p.Errorf("processes left behind: %v", left)
			return
		case <-ticks.C:
		}
	}
}

func nonce() string {
	random := make([]byte, 16)
	_, _ = rand.Read(random)
	return hex.EncodeToString(random)
}

// tally counts over all trials.
type tally struct{ kills, lost, doubled int }

// TestKill kills processes with SIGKILL, and the task still ends as without kills.
func TestKill(t *testing.T) {
	longtest.OnlyCI(t)
	if *seed == 0 {
		*seed = mathrand.Uint64()
	}
	t.Logf("seed %d", *seed)
	var sum tally
	order := []string{"demo", "run", "hand", "screen"}
	if *only != "" {
		order = []string{*only}
	}
	for n := 0; sum.kills < *kills && !t.Failed(); n++ {
		rng := mathrand.New(mathrand.NewPCG(*seed, uint64(n)))
		mode := order[(n+int(*seed%2))%len(order)] // two kills hit the demo or a run
		planned := []killing{drawKilling(rng, mode)}
		for len(planned) < min(4, *kills-sum.kills) && (len(planned) < 2 || rng.IntN(2) == 0) {
			planned = append(planned, drawKilling(rng, mode))
		}
		t.Run(fmt.Sprintf("%d-%s", n, mode), func(t *testing.T) {
			p := newTrial(t)
			doubled := p.run(mode, planned)
			answers := p.check(doubled, &sum)
			t.Logf("killed: %s; %d answers found in the journal", strings.Join(p.killed.all, ", "), answers)
			if t.Failed() {
				agents, _ := os.ReadFile(filepath.Join(p.root, "agents"))
				t.Logf("seed %d, trial %d: %v\n%s\nstill running at the limit:\n%s\n%s", *seed, n, planned,
					p.output.String(),
					p.hung.String(), agents)
			}
		})
	}
	t.Logf("%d kills: lost = %d, doubled = %d", sum.kills, sum.lost, sum.doubled)
}
