package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkTransition compares durable transitions with the write, fsync, rename
// and fsync that none can do without, by turns on one disk.
func BenchmarkTransition(b *testing.B) {
	d, _ := newStore(b)
	dir, data := b.TempDir(), []byte(strings.Repeat("x", 4096))
	text := strings.Repeat("a line of text\n", 100)
	took := map[string][]time.Duration{}
	measure := func(name string, f func()) {
		start := time.Now()
		f()
		took[name] = append(took[name], time.Since(start))
	}
	for b.Loop() {
		measure("raw", func() { writeRaw(b, dir, data) })
		measure("event", func() { update(b, d, Call{}, step) })
		measure("text", func() {
			update(b, d, Call{}, func(tx *Tx[world]) error {
				tx.SetText("TASK.md", text+itoa(int(tx.Seq)))
				return step(tx)
			})
		})
		measure("renewal", func() {
			update(b, d, Call{}, func(tx *Tx[world]) error { now := time.Now(); tx.World.Until = &now; tx.Renew(); return nil })
		})
	}
	median := func(name string) float64 {
		slices.Sort(took[name])
		return float64(took[name][len(took[name])/2])
	}
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

// BenchmarkOpen compares opening a store with a million lines with an empty one.
func BenchmarkOpen(b *testing.B) {
	for name, lines := range map[string]int{"empty": 0, "million": 1_000_000} {
		b.Run(name, func(b *testing.B) {
			d, project := newStore(b)
			update(b, d, Call{}, step)
			lengthen(b, d, lines)
			for b.Loop() {
				if _, err := Open[world](project); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// lengthen puts older lines before the newest one.
func lengthen(b *testing.B, d *Dir[world], lines int) {
	newest, err := os.ReadFile(d.Path(journalName))
	if err != nil {
		b.Fatal(err)
	}
	older := strings.Repeat(journalOf(1, 1000), lines/1000)
	if err := os.WriteFile(d.Path(journalName), append([]byte(older), newest...), 0o600); err != nil {
		b.Fatal(err)
	}
}
