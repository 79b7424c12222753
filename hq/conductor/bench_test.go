package conductor_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"ferrus/agent"
	"ferrus/checks/git/gittest"
	"ferrus/hq/benchtest"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
)

// newBenched returns a project without a task.
func newBenched(b *testing.B) *project.Task {
	b.Helper()
	dir := b.TempDir()
	gittest.Run(b, dir, "init", "-q")
	if err := os.WriteFile(dir+"/ferrus.toml", []byte("[checks]\ncommands = [\"true\"]\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	if _, err := store.Create(b.Context(), dir, core.New(time.Now())); err != nil {
		b.Fatal(err)
	}
	p, err := project.Open(dir, agent.Names()...)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func selectOn(b testing.TB, p *project.Task, n int) uint64 {
	b.Helper()
	r, err := p.Do(b.Context(), store.Call{}, core.Command{
		Kind: "select", By: project.HumanActor(), Select: &core.Selection{SelectedSpec: fmt.Sprint("spec", n)},
	})
	if err != nil {
		b.Fatal(err)
	}
	return r.Seq
}

// BenchmarkReload is from the rename of a new STATE.json, by another process, to the
// conductor's view of it. The rename is somewhere in the last write, so the time
// from that write's return is the least, and that from its begin the most.
func BenchmarkReload(b *testing.B) {
	p := newBenched(b)
	c, err := conductor.Start(b.Context(), p, conductor.Options{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	other, err := project.Open(p.Dir, agent.Names()...)
	if err != nil {
		b.Fatal(err)
	}
	var most, write []time.Duration
	for n := 0; b.Loop(); n++ {
		begin := time.Now()
		seq := selectOn(b, other, n)
		write = append(write, time.Since(begin))
		for c.View().State.Seq < seq {
			<-c.Updates()
		}
		most = append(most, time.Since(begin))
	}
	b.ReportMetric(benchtest.Milliseconds(write, 0.5), "write-p50-ms")
	b.ReportMetric(benchtest.Milliseconds(most, 0.5), "write+view-p50-ms")
	b.ReportMetric(benchtest.Milliseconds(most, 0.99), "write+view-p99-ms")
	if err := c.Close(false); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkStart compares the start of a conductor, to its first view, where the
// journal has a million lines with one where it has one, by turns.
func BenchmarkStart(b *testing.B) {
	projects := map[string]*project.Task{"empty": newBenched(b), "million": newBenched(b)}
	for _, p := range projects {
		selectOn(b, p, 1)
	}
	lengthen(b, projects["million"], 1_000_000)
	took := map[string][]time.Duration{}
	for b.Loop() {
		for name, p := range projects {
			begin := time.Now()
			again, err := project.Open(p.Dir, agent.Names()...)
			if err != nil {
				b.Fatal(err)
			}
			c, err := conductor.Start(b.Context(), again, conductor.Options{}, nil)
			if err != nil {
				b.Fatal(err)
			}
			c.View()
			took[name] = append(took[name], time.Since(begin))
			if err := c.Close(false); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(benchtest.Milliseconds(took["empty"], 0.5), "empty-ms")
	b.ReportMetric(
		benchtest.Milliseconds(took["million"], 0.5)/benchtest.Milliseconds(took["empty"], 0.5), "million/empty",
	)
}

// lengthen gives a project so many older events: only the newest two are its own.
func lengthen(b *testing.B, p *project.Task, lines int) {
	b.Helper()
	state, err := os.ReadFile(p.Store.Path("STATE.json"))
	if err != nil {
		b.Fatal(err)
	}
	members := map[string]any{}
	if err := json.Unmarshal(state, &members); err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"last", "head"} {
		delete(members, name)
	}
	members["seq"] = lines
	if state, err = json.Marshal(members); err != nil {
		b.Fatal(err)
	}
	var all bytes.Buffer
	for seq := 1; seq < lines; seq++ {
		fmt.Fprintf(
			&all, `{"seq":%d,"event":"step","by":"person","why":"%s","data":{}}`+"\n", seq,
			strings.Repeat("x", seq%300),
		)
	}
	for _, name := range []string{"updated_at", "owner_pid", "lease_until", "last_heartbeat"} {
		delete(members, name)
	}
	data, err := json.Marshal(members)
	fmt.Fprintf(
		&all, `{"seq":%d,"event":"step","by":"person","data":%s,"state_sha":"%x"}`+"\n", lines, data,
		sha256.Sum256(data),
	)
	err = errors.Join(err, os.WriteFile(p.Store.Path("STATE.json"), state, 0o600),
		os.WriteFile(p.Store.Path("journal.jsonl"), all.Bytes(), 0o600))
	if err != nil {
		b.Fatal(err)
	}
	selectOn(b, p, 2)
}
