package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestOddities(t *testing.T) {
	t.Parallel()
	d := newTasked(t)
	if all, err := d.CheckFiles(false); err != nil || len(all) > 0 {
		t.Fatalf("%+v, %v", all, err)
	}
	outside := t.TempDir()
	before, err := os.Stat(outside)
	err = errors.Join(err, os.Chmod(d.Path("docs"), 0o755), os.Chmod(d.Path(stateName), 0o666), os.Chmod(d.root, 0o750),
		os.Symlink(outside, d.Path("logs", "away")), os.MkdirAll(d.Path("run", "git", "objects"), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	for _, fix := range []bool{false, true} {
		all, err := d.CheckFiles(fix)
		var got []string
		for _, o := range all {
			got = append(got, fmt.Sprintf("%s %s %v", o.Name, o.Why, o.Worse))
		}
		want := ". has mode 0750, not 0700 false\nSTATE.json has mode 0666, not 0600 true\ndocs has mode 0755, not " +
			"0700 false\nlogs/away is a link, which ferrus did not make true"
		if strings.Join(got, "\n") != want || err != nil {
			t.Fatalf("%s, %v", strings.Join(got, "\n"), err)
		}
	}
	if all, err := d.CheckFiles(true); err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	if info, err := os.Stat(outside); err != nil || info.Mode() != before.Mode() {
		t.Fatalf("%v, %v", info, err)
	}
}

// The archive of a task has its lines, starting with the one that began it.
func TestArchiveHasTheTasksLines(t *testing.T) {
	t.Parallel()
	d := newTasked(t)
	if _, err := d.Update(context.Background(), Call{}, func(tx *Tx[tasked]) error {
		tx.Archive("t-1")
		tx.World.Task = map[string]any{"id": "t-2"}
		tx.Record("create", "person", "", "")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	got, err := d.Archived("t-1")
	if err != nil || len(got) != 4 || got[0].Seq != 3 || got[3].Seq != 6 {
		t.Fatalf("%+v, %v", got, err)
	}
	if got, err := d.Archived("t-9"); err != nil || len(got) > 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, bad := range []string{"../..", "a/../..", "", "a\x00", strings.Repeat("x", 10<<10)} {
		if _, err := d.Archived(bad); err == nil {
			t.Errorf("%.20q was read", bad)
		}
	}
	for seq := range uint64(10) {
		line, ok, err := d.ReadEntry(seq)
		if err != nil || ok != (seq > 0 && seq < 8) || ok && line.Seq != seq {
			t.Errorf("seq %d: %v %v", seq, ok, err)
		}
	}
}

func TestBackwards(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it plays random steps")
	}
	t.Parallel()
	for _, text := range []string{"", "\n", "a\n", "a\nb\n", "\n\n", strings.Repeat("x", 200_000) + "\n" + "y\n",
		journalOf(1, 3000)} {
		b := backwardReader{file: strings.NewReader(text), start: int64(len(text))}
		got := ""
		for {
			line, at, err := b.previous()
			if err != nil {
				break
			}
			if text[at:at+int64(len(line))] != string(line) {
				t.Fatalf("%.20q is not at %d", line, at)
			}
			got = string(line) + "\n" + got
		}
		if got != text {
			t.Errorf("%.40q came back as %.40q", text, got)
		}
	}
}

// A gap is reported once, not again for each line after it.
func TestGapIsReportedOnce(t *testing.T) {
	t.Parallel()
	d := newTasked(t)
	lines(func(l []string) []string { return append(l[:2:2], l[3:]...) })(t, d)
	e, err := d.Examine()
	if err != nil || len(e.Journal.Bad) != 1 || e.Journal.BadCount != 3 {
		t.Fatalf("%+v, %v", e.Journal, err)
	}
}
