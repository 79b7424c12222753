package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ferrus/machine/flow"
	"ferrus/store"
	"ferrus/store/longtest"
)

// A workflow survives a kill of its conductor in every visit of every phase, with a task or without: the next one
// continues there. Every phase follows the previous one, and nothing runs twice.
func TestKillInEveryPhase(t *testing.T) {
	longtest.OnlyCI(t)
	type trial struct {
		kind               flow.Type
		request, workspace string
	}
	for _, c := range longtest.Draw(t, 3, []trial{
		{flow.Feature, "", "here"}, {flow.Feature, "", "worktree"}, {flow.Debug, "hotfix", "here"},
		{flow.Debug, "", "here"}, {flow.Refactor, "polish", "worktree"}, {flow.Refactor, "", "here"},
		{flow.Oneshot, "", "worktree"}, {flow.Oneshot, "Publish it.", "here"},
	}) {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			p := newTrial(t)
			p.checkFast(c.workspace)
			p.setUp()
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			over := make(chan struct{})
			var doubled []string
			var watching sync.WaitGroup
			watching.Go(func() { doubled = p.processes.watch(over) })
			visits := p.killInPhases(ctx, "demo", "--headless", "--dir", p.dir, "--workflow", string(c.kind),
				"--request", c.request)
			p.awaitEmpty(ctx)
			close(over)
			watching.Wait()
			if len(doubled) > 0 {
				t.Errorf("twice at a time: %v", doubled)
			}
			if last := visits[len(visits)-1]; last.To != string(flow.Completed) {
				t.Errorf("the workflow ended in %s", last.To)
			}
			for i, v := range visits[1:] {
				if v.From != visits[i].To {
					t.Errorf("%s to %s came after %s", v.From, v.To, visits[i].To)
				}
			}
			if t.Failed() {
				t.Logf("%s", p.output.String())
			}
		})
	}
}

// checkFast makes the checks take no time: they find the fault that the demo begins with. Work is in a workspace.
func (p *trial) checkFast(workspace string) {
	name := filepath.Join(p.dir, "ferrus.toml")
	text, err := os.ReadFile(name)
	if err != nil {
		p.Fatal(err)
	}
	const fast = `commands = ["! grep -q 'attempt := 0' retry.go 2>/dev/null"]`
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "commands = ") {
			lines[i] = fast
		}
	}
	lines = append(lines, fmt.Sprintf("[hq]\nworkspace = %q\n", workspace))
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		p.Fatal(err)
	}
	if out, err := exec.Command("git", "-C", p.dir, "commit", "-qam", "Check fast").CombinedOutput(); err != nil {
		p.Fatalf("%v: %s", err, out)
	}
}

// killInPhases runs ferrus again and again until it ends by itself, and kills it once in every visit of a phase.
// It returns the visits.
func (p *trial) killInPhases(ctx context.Context, args ...string) []store.Entry {
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	for killed := 0; ; {
		c := p.command(args...)
		c.Stdout, c.Stderr = &p.output, &p.output
		c.WaitDelay = time.Second
		if err := c.Start(); err != nil {
			p.Fatal(err)
		}
		ended := make(chan error, 1) // one end
		go func() { ended <- c.Wait() }()
		for alive := true; alive; {
			select {
			case <-ctx.Done():
				p.Fatalf("it did not end; the last visits are %v", p.visits())
			case <-ended:
				if c.ProcessState.ExitCode() != -1 {
					if code := c.ProcessState.ExitCode(); code != 0 {
						p.Fatalf("ferrus %s ended with %d:\n%s", args[0], code, p.output.String())
					}
					return p.visits()
				}
				alive = false
			case <-ticks.C:
				if now := len(p.visits()); now > killed {
					killed = now
					_ = c.Process.Kill()
				}
			}
		}
	}
}

// visits returns the entries of the workflow's journal that began a visit of a phase.
func (p *trial) visits() (all []store.Entry) {
	names, _ := filepath.Glob(filepath.Join(p.dir, ".ferrus", "workflows", "w-*", "journal.jsonl"))
	for _, name := range names {
		data, _ := os.ReadFile(name)
		for line := range strings.Lines(string(data)) {
			var e store.Entry
			if json.Unmarshal([]byte(line), &e) == nil && (e.From != e.To || e.Seq == 1) {
				all = append(all, e)
			}
		}
	}
	return all
}
