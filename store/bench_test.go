package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ferrus/hq/benchtest"
)

// BenchmarkTransition compares durable transitions with the unavoidable write, fsync, rename and
// fsync, in alternation on one disk.
func BenchmarkTransition(b *testing.B) {
	d, _ := newStore(b)
	dir, data := b.TempDir(), []byte(strings.Repeat("x", 4096))
	text := strings.Repeat("a line of text\n", 100)
	took := map[string][]time.Duration{}
	timed := func(name string, f func()) {
		start := time.Now()
		f()
		took[name] = append(took[name], time.Since(start))
	}
	for b.Loop() {
		timed("raw", func() { writeRaw(b, dir, data) })
		timed("event", func() { update(b, d, Call{}, step) })
		timed("text", func() {
			update(b, d, Call{}, func(tx *Tx[world]) error {
				tx.SetText("TASK.md", text+itoa(int(tx.Seq)))
				return step(tx)
			})
		})
		timed("renewal", func() {
			update(b, d, Call{}, func(tx *Tx[world]) error {
				now := time.Now()
				tx.World.Until = &now
				tx.Renew()
				return nil
			})
		})
	}
	median := func(name string) float64 { return float64(benchtest.Percentile(took[name], 0.5)) }
	b.ReportMetric(median("raw")/1e3, "raw-us")
	for _, name := range []string{"event", "text", "renewal"} {
		b.ReportMetric(median(name)/median("raw"), name+"/raw")
	}
}

func writeRaw(b *testing.B, dir string, data []byte) {
	name := filepath.Join(dir, "STATE.json.tmp")
	f, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := f.Write(data); err != nil {
		b.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	f.Close()
	if err := os.Rename(name, filepath.Join(dir, "STATE.json")); err != nil {
		b.Fatal(err)
	}
	folder, err := os.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkLoad(b *testing.B) {
	d, _ := newStore(b)
	for b.Loop() {
		if _, err := d.Load(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen compares what a server does with the store when it starts, in alternation, with a
// million lines and with one; HQ also reads the newest 500.
func BenchmarkOpen(b *testing.B) {
	projects := map[string]string{}
	for name, lines := range map[string]int{"empty": 0, "million": 1_000_000} {
		d, project := newStore(b)
		update(b, d, Call{}, step)
		if lines > 0 {
			lengthen(b, d, lines)
		}
		projects[name] = project
	}
	took := map[string][]time.Duration{}
	for b.Loop() {
		for name, project := range projects {
			start := time.Now()
			d := openStore(b, project)
			took[name] = append(took[name], time.Since(start))
			start = time.Now()
			newestLines(b, d)
			took[name+" journal"] = append(took[name+" journal"], time.Since(start))
		}
	}
	median := func(name string) float64 { return float64(benchtest.Percentile(took[name], 0.5)) }
	b.ReportMetric(median("million journal")/1e3, "newest-500-us")
	b.ReportMetric(median("empty")/1e3, "empty-us")
	b.ReportMetric(median("million")/median("empty"), "million/empty")
}

// BenchmarkVerify compares a process that verifies the record again, as HQ does before each gate, with one that does it
// for the first time: with 300 tasks in the archive.
func BenchmarkVerify(b *testing.B) {
	d, project := newStore(b)
	update(b, d, Call{}, step)
	for task := range 300 {
		for _, name := range []string{"TASK.md", "REVIEW.md", "SUBMISSION.md", "journal.jsonl", "checks/1.json"} {
			file := d.Path(archiveDir, fmt.Sprintf("t-%06x", task), name)
			err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700),
				os.WriteFile(file, bytes.Repeat([]byte("line of text\n"), 150), 0o600))
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	verify := func(d *Dir[world]) time.Duration {
		start := time.Now()
		if err := d.Verify(b.Context()); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	var first, again []time.Duration
	for b.Loop() {
		d := openStore(b, project)
		first = append(first, verify(d))
		again = append(again, verify(d))
	}
	b.ReportMetric(benchtest.Milliseconds(first, 0.5), "first-ms")
	b.ReportMetric(benchtest.Milliseconds(again, 0.5), "again-ms")
}

func openStore(b *testing.B, project string) *Dir[world] {
	d, err := Open[world](project)
	if err == nil {
		_, err = d.Load()
	}
	if err != nil {
		b.Fatal(err)
	}
	return d
}

func newestLines(b *testing.B, d *Dir[world]) {
	s, err := d.Load()
	if err == nil {
		_, err = d.Journal(max(s.Seq, 500) - 500)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkContention has 16 processes change one state as fast as they can. Every acknowledged
// change is in the journal exactly once: nothing is lost.
func BenchmarkContention(b *testing.B) {
	const writers, total = 16, 2000
	var seconds, worst float64
	for b.Loop() {
		d, project := newStore(b)
		start := time.Now()
		acked := contend(b, project, writers, total)
		seconds += time.Since(start).Seconds()
		for _, one := range acked {
			worst = max(worst, one.wait.Seconds())
		}
		missing(b, d, acked, total)
	}
	b.ReportMetric(float64(b.N*total)/seconds, "events/s")
	b.ReportMetric(1e3*worst, "worst-wait-ms")
	b.ReportMetric(0, "lost")
}

// answer is one change that was acknowledged to a writer.
type answer struct {
	call string
	wait time.Duration // since the same writer's previous one
}

func contend(b *testing.B, project string, writers, total int) map[uint64]answer {
	var all sync.WaitGroup
	var mu sync.Mutex // guards acked
	acked := map[uint64]answer{}
	for range writers {
		all.Go(func() {
			cmd, out := play(b, "STORE_WRITER="+project, fmt.Sprint("STORE_TOTAL=", total))
			for last := time.Now(); out.Scan(); last = time.Now() {
				var seq uint64
				var call string
				fmt.Sscan(out.Text(), &seq, &call) //nolint:errcheck // missing tells
				mu.Lock()
				acked[seq] = answer{call, time.Since(last)}
				mu.Unlock()
			}
			cmd.Wait() //nolint:errcheck // missing tells
		})
	}
	all.Wait()
	return acked
}

func missing(b *testing.B, d *Dir[world], acked map[uint64]answer, total int) {
	lines, err := d.Journal(0)
	if err != nil || len(lines) != total || len(acked) != total {
		b.Fatalf("%d lines, %d answers, %v", len(lines), len(acked), err)
	}
	for i, line := range lines {
		if line.Seq != uint64(i+1) || acked[line.Seq].call != line.Call {
			b.Fatalf("line %d is seq %d of call %s, and %s got that answer", i, line.Seq, line.Call,
				acked[line.Seq].call)
		}
	}
}

// lengthen gives a store older events, of which only the newest two are its own.
func lengthen(b *testing.B, d *Dir[world], lines int) {
	state, err := os.ReadFile(d.Path(stateName))
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
		fmt.Fprintf(&all, `{"seq":%d,"event":"step","by":"person","why":"%s","data":{}}`+"\n", seq,
			strings.Repeat("x", seq%300))
	}
	for name := range unfolded {
		delete(members, name)
	}
	data, err := json.Marshal(members)
	fmt.Fprintf(&all, `{"seq":%d,"event":"step","by":"person","data":%s,"state_sha":"%s"}`+"\n", lines, data, sha(data))
	err = errors.Join(err, os.WriteFile(d.Path(stateName), state, 0o600),
		os.WriteFile(d.Path(journalName), all.Bytes(), 0o600))
	if err != nil {
		b.Fatal(err)
	}
	update(b, d, Call{}, step)
}
