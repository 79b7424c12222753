package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkRaw is what no durable transition can be quicker than.
func BenchmarkRaw(b *testing.B) {
	dir := b.TempDir()
	data := []byte(strings.Repeat("x", 4096))
	for b.Loop() {
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
		d, err := os.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		if err := d.Sync(); err != nil {
			b.Fatal(err)
		}
		d.Close()
	}
}

func benchmarkUpdate(b *testing.B, change func(tx *Tx[world])) {
	d, err := Create(context.Background(), b.TempDir(), world{State: "Idle", By: map[string]int{}})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		_, err := d.Update(context.Background(), Call{}, func(tx *Tx[world]) error {
			tx.World.N++
			change(tx)
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRecord(b *testing.B) {
	benchmarkUpdate(b, func(tx *Tx[world]) { tx.Record("step", "ferrus", "", "") })
}

func BenchmarkRecordText(b *testing.B) {
	benchmarkUpdate(b, func(tx *Tx[world]) {
		tx.SetText("TASK.md", strings.Repeat("a line of text\n", 100)+string(rune('a'+tx.Seq%20)))
		tx.Record("step", "ferrus", "", "")
	})
}

func BenchmarkRenew(b *testing.B) {
	benchmarkUpdate(b, func(tx *Tx[world]) { tx.World.N--; tx.Renew() })
}

func BenchmarkLoad(b *testing.B) {
	d, err := Create(context.Background(), b.TempDir(), world{State: "Idle", By: map[string]int{}})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := d.Load(); err != nil {
			b.Fatal(err)
		}
	}
}
