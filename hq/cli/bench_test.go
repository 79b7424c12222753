package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ferrus/checks/git/gittest"
	"ferrus/hq/benchtest"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

// BenchmarkScreen measures how long a change of the state by another process takes to reach HQ's
// screen in a terminal: from the start of the call that makes it, including its write, and from the
// call's end.
func BenchmarkScreen(b *testing.B) {
	dir := b.TempDir()
	b.Setenv("XDG_CONFIG_HOME", b.TempDir())
	toml := "[checks]\ncommands = [\"true\"]\n\n[hq]\nsupervisor = \"demo\"\nexecutor = \"demo\"\n"
	if err := os.WriteFile(filepath.Join(dir, "ferrus.toml"), []byte(toml), 0o600); err != nil {
		b.Fatal(err)
	}
	gittest.Run(b, dir, "init", "-q")
	if _, err := store.Create(b.Context(), dir, core.New(time.Now())); err != nil {
		b.Fatal(err)
	}
	p, err := project.OpenKept(dir, store.UserHeads(), agentNames()...)
	if err != nil {
		b.Fatal(err)
	}
	do := func(kind machine.Kind, text string) {
		if _, err := p.Do(b.Context(), store.Call{}, core.Command{Kind: kind, By: project.HumanActor(),
			Text: text}); err != nil {
			b.Fatal(err)
		}
	}
	x := open120(b, dir)
	x.WaitFor("● Idle")
	var whole, after []time.Duration
	for b.Loop() {
		do("hold", "stop") // so that nothing is started
		do("create_task", "# A task")
		x.WaitFor("● Executing")
		begin := time.Now()
		do("reset", "")
		done := time.Now()
		x.WaitFor("● Idle")
		whole, after = append(whole, time.Since(begin)), append(after, time.Since(done))
	}
	b.ReportMetric(benchtest.Milliseconds(whole, 0.5), "write+screen-p50-ms")
	b.ReportMetric(benchtest.Milliseconds(whole, 0.99), "write+screen-p99-ms")
	b.ReportMetric(benchtest.Milliseconds(after, 0.5), "screen-p50-ms")
	b.ReportMetric(benchtest.Milliseconds(after, 0.99), "screen-p99-ms")
}
