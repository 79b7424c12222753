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
)

// strike is one kill: when the journal has so many lines, and a while after that,
// as soon as there is a process to kill.
type strike struct {
	part  string
	after int
	pause time.Duration
}

func (s strike) String() string { return fmt.Sprintf("%s after %d+%v", s.part, s.after, s.pause) }

// victims of each way to play.
var victims = map[string][]string{
	"demo": {"conductor", "conductor", "conductor", "serve", "executor", "reviewer", "consultant", "planner",
		"command", "host"},
	"screen": {"conductor", "conductor", "serve", "executor", "reviewer", "consultant", "command", "host"},
	"run":    {"conductor", "conductor", "conductor", "serve", "executor", "reviewer", "consultant", "command", "host"},
	"hand":   {"serve", "executor", "reviewer", "consultant", "gate", "gate", "command"},
}

// from and to are the lines of the undisturbed journal between which a part has a
// process to kill.
var from = map[string][2]int{
	"planner": {0, 1}, "executor": {1, 19}, "host": {1, 20}, "consultant": {5, 6}, "reviewer": {10, 21},
	"serve": {0, 20}, "conductor": {0, 21}, "command": {3, 18}, "gate": {3, 18},
}

func draw(rng *mathrand.Rand, way string) strike {
	part := victims[way][rng.IntN(len(victims[way]))]
	between, within := from[part], 250
	if part == "consultant" || part == "reviewer" || part == "planner" {
		within = 60 // they do not live longer
	}
	if way == "screen" && part != "conductor" {
		between[0] = max(between[0], 1) // HQ does not write a task by itself: it would wait for the human
	}
	return strike{part, between[0] + rng.IntN(between[1]-between[0]),
		time.Duration(rng.IntN(within)) * time.Millisecond}
}

// strike waits for its time and kills, unless the play is over before.
func (p *play) strike(over <-chan struct{}, s strike) {
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	due := time.Time{}
	for {
		if due.IsZero() && p.lines() >= s.after {
			due = time.Now().Add(s.pause)
		}
		if !due.IsZero() && time.Now().After(due) {
			if all := p.eyes.parts(s.part); len(all) > 0 {
				p.deaths.add(s.part)
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

// lines of the journal.
func (p *play) lines() int {
	data, err := os.ReadFile(filepath.Join(p.dir, ".ferrus", "journal.jsonl"))
	if err != nil {
		return 0
	}
	return bytes.Count(data, []byte("\n"))
}

// playThrough plays the story one way with some kills, and returns what was seen double.
func (p *play) playThrough(way string, strikes []strike) (doubled []string) {
	ctx, cancel := context.WithTimeout(p.Context(), limit)
	defer cancel()
	defer context.AfterFunc(ctx, p.stacks)()
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { doubled = p.eyes.watch(over) })
	for _, s := range strikes {
		watching.Go(func() { p.strike(over, s) })
	}
	ways[way](p, ctx)
	p.empty(ctx)
	close(over)
	watching.Wait()
	if ctx.Err() != nil {
		p.Errorf("no end within %v", limit)
	}
	return doubled
}

// stacks ends what still lives of a play that has no end, and keeps what each
// process was waiting for: it is in the output of who started it.
func (p *play) stacks() {
	for _, one := range p.eyes.living() {
		fmt.Fprintf(&p.stuck, "%v\n", one)
		_ = syscall.Kill(one.pid, syscall.SIGQUIT)
	}
}

// empty waits until no process of the play is left.
func (p *play) empty(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for {
		left := p.eyes.living()
		if len(left) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			p.Errorf("left behind: %v", left)
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

// tally is what all plays came to.
type tally struct{ kills, lost, doubled int }

// TestKill kills processes of the story with -9, and the story is the same.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it plays the demo in processes that are killed")
	}
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
		way := order[n%len(order)]
		strikes := []strike{draw(rng, way)}
		for len(strikes) < min(4, *kills-sum.kills) && (len(strikes) < 2 || rng.IntN(2) == 0) {
			strikes = append(strikes, draw(rng, way))
		}
		t.Run(fmt.Sprintf("%d-%s", n, way), func(t *testing.T) {
			p := newPlay(t)
			doubled := p.playThrough(way, strikes)
			answers := p.judge(doubled, &sum)
			t.Logf("killed: %s; %d answers found in the journal", strings.Join(p.deaths.all, ", "), answers)
			if t.Failed() {
				agents, _ := os.ReadFile(filepath.Join(p.root, "agents"))
				t.Logf("seed %d, play %d: %v\n%s\nno end saw:\n%s\n%s", *seed, n, strikes, p.output.String(),
					p.stuck.String(), agents)
			}
		})
	}
	t.Logf("%d kills: lost = %d, doubled = %d", sum.kills, sum.lost, sum.doubled)
}
