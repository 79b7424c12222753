package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func journalOf(first, last int) string {
	var b strings.Builder
	for i := first; i <= last; i++ {
		fmt.Fprintf(&b, `{"seq":%d,"event":"step","why":"%s","data":{}}`+"\n", i, strings.Repeat("x", i%300))
	}
	return b.String()
}

// counted counts the bytes that are read.
type counted struct {
	*bytes.Reader
	read int
}

func (c *counted) ReadAt(p []byte, offset int64) (int, error) {
	n, err := c.Reader.ReadAt(p, offset)
	c.read += n
	return n, err
}

func TestLongJournalIsNotReadWhole(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it reads or writes large files")
	}
	const lines = 20_000
	data := journalOf(1, lines)
	file := &counted{Reader: bytes.NewReader([]byte(data))}
	end, err := readTail(file, int64(len(data)))
	if err != nil || end.newest.Seq != lines || end.end != int64(len(data)) {
		t.Fatalf("%+v, %v", end, err)
	}
	for _, after := range []uint64{0, 1, 77, lines / 2, lines - 1, lines, lines + 1} {
		start, err := findOffset(file, int64(len(data)), after)
		if err != nil {
			t.Fatal(err)
		}
		if n := 1 << 20; after > 0 && file.read > n {
			t.Fatalf("%d bytes were read of %d", file.read, len(data))
		}
		got, err := scan(io.NewSectionReader(file, start, int64(len(data))-start), start, after)
		if want := max(0, lines-int(after)); err != nil || len(got) != want || want > 0 && got[0].Seq != after+1 {
			t.Fatalf("%d lines after %d, %v", len(got), after, err)
		}
		file.read = 0
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	whole := journalOf(1, 3)
	for name, c := range map[string]struct {
		data string
		seq  uint64
		end  int
	}{
		"empty":            {"", 0, 0},
		"whole":            {whole, 3, len(whole)},
		"torn":             {whole + `{"seq":4,`, 3, len(whole)},
		"torn with an end": {whole + `{"seq":4,` + "\n", 3, len(whole)},
		"zeros":            {whole + strings.Repeat("\x00", 5000) + "}\n", 3, len(whole)},
		"only torn":        {`{"seq":1`, 0, 0},
		"a long line": {whole + `{"seq":4,"why":"` + strings.Repeat("y", 3<<20) + `","data":{}}` + "\n", 4,
			len(whole) + 3<<20 + 29},
		"long torn": {whole + strings.Repeat("y", 1<<20), 3, len(whole)},
	} {
		got, err := readTail(strings.NewReader(c.data), int64(len(c.data)))
		if err != nil || got.newest.Seq != c.seq || got.end != int64(c.end) {
			t.Errorf("%s: seq %d ends at %d, %v", name, got.newest.Seq, got.end, err)
		}
	}
	if _, err := readTail(zeros{}, 1<<40); err == nil {
		t.Error("a file of zeros was read to its beginning")
	}
}

// zeros is a file without an end.
type zeros struct{}

func (zeros) ReadAt(p []byte, _ int64) (int, error) { clear(p); return len(p), nil }

// damageJournal makes three events, changes the journal, and updates twice.
func damageJournal(t *testing.T, change func(lines []string) string) (*Dir[world], error) {
	t.Helper()
	d, project := newStore(t)
	for i := range 3 {
		update(t, d, Call{ID: fmt.Sprint(i)}, func(tx *Tx[world]) error {
			tx.SetText("TASK.md", fmt.Sprint(i))
			return step(tx)
		})
	}
	data, err := os.ReadFile(d.Path(journalName))
	if err == nil {
		err = os.WriteFile(d.Path(journalName), []byte(change(strings.SplitAfter(string(data), "\n"))), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if d, err = newDir[world](filepath.Join(project, ".ferrus")); err != nil { // one that has seen nothing
		t.Fatal(err)
	}
	before := snapshot(t, project)
	for range 2 {
		if _, err = d.Update(context.Background(), Call{}, step); err != nil {
			same(t, before, snapshot(t, project))
			return d, err
		}
	}
	return d, nil
}

func TestJournalIsFinished(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it writes many states")
	}
	for name, c := range map[string]struct {
		change func(lines []string) string
		lines  int
	}{
		"unchanged":          {func(l []string) string { return strings.Join(l, "") }, 5},
		"without the newest": {func(l []string) string { return l[0] + l[1] }, 5},
		"with a torn newest": {func(l []string) string { return l[0] + l[1] + l[2][:40] }, 5},
		"with zeros": {func(l []string) string {
			return l[0] + l[1] + strings.Repeat("\x00", len(l[2])-1) + "\n"
		}, 5},
		"with a hole": {func(l []string) string {
			return l[0] + l[1] + l[2][:30] + strings.Repeat("\x00", 40)
		}, 5},
	} {
		d, err := damageJournal(t, c.change)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		lines := d.lines(t)
		if err := sameAsFolded(d, lines); err != nil || len(lines) != c.lines {
			t.Errorf("%s: %d lines, %v", name, len(lines), err)
		}
	}
}

func TestDamagedJournal(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it writes many states")
	}
	for name, change := range map[string]func(lines []string) string{
		"two lines missing": func(l []string) string { return l[0] },
		"ahead": func(l []string) string {
			return strings.Join(l, "") + strings.Replace(l[2], `"seq":3`, `"seq":4`, 1)
		},
		"of others":          func(l []string) string { return journalOf(1, 3) },
		"one more":           func(l []string) string { return strings.Join(l, "") + `{"seq":4,"at"` },
		"with other zeros":   func(l []string) string { return l[0] + l[1] + strings.Repeat("\x00", 99) + "\n" },
		"moved away":         func(l []string) string { return "" },
		"replaced by a text": func(l []string) string { return "shopping list\n" },
		"the newest twice":   func(l []string) string { return strings.Join(l, "") + l[2] },
		"another newest": func(l []string) string {
			return l[0] + l[1] + strings.Replace(l[2], "step", "stop", 1)
		},
		"another one before": func(l []string) string {
			return l[0] + strings.Replace(l[1], "step", "stop", 1) + l[2]
		},
		"swapped":              func(l []string) string { return l[0] + l[2] + l[1] },
		"swapped at the start": func(l []string) string { return l[1] + l[0] },
	} {
		var damaged *DamagedError
		d, err := damageJournal(t, change)
		if !errors.As(err, &damaged) || damaged.File != d.Path(journalName) || damaged.Fix != fixRepair {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := d.Repair(context.Background(), nil); err != nil { // what it says helps
			t.Fatal(err)
		}
		update(t, d, Call{}, step)
		if err := sameAsFolded(d, d.lines(t)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestJournalWithAnOddLine(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it writes many states")
	}
	d, _ := newStore(t)
	update(t, d, Call{}, step)
	for odd, want := range map[string]string{
		"\n" + journalOf(2, 2): "byte", strings.Repeat("x", lineLimit+1) + "\n" + journalOf(2, 2): "byte",
		"torn": "", "odd\nodd\n": "",
	} {
		lines, err := scan(strings.NewReader(journalOf(1, 1)+odd), 0, 0)
		if (err == nil) != (want == "") || err == nil && len(lines) != 1 {
			t.Errorf("%.10q: %d lines, %v", odd, len(lines), err)
		}
	}
}

// A reader sees an event whose line is not yet in the file.
func TestJournalKnowsTheNewest(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	for range 3 {
		update(t, d, Call{}, step)
	}
	lines := d.lines(t)
	end := int64(0)
	for _, line := range lines[:2] {
		data, err := marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		end += int64(len(data)) + 1
	}
	if err := os.Truncate(d.Path(journalName), end); err != nil {
		t.Fatal(err)
	}
	for after := range uint64(5) {
		lines, err := d.Journal(after)
		if want := max(0, 3-int(after)); err != nil || len(lines) != want {
			t.Errorf("%d lines after %d, %v", len(lines), after, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(
		[]byte(
			`{"schema_version":2,"seq":1,"updated_at":"2026-01-01T00:00:00Z","owner_pid":1,"docs":{"A":{"file":"docs/1"}},"last":{"line":{}}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := parse(data)
		if err != nil {
			return
		}
		doc.lastEntry()
		if folded, err := fold(doc.members); err == nil {
			if _, err := fingerprint(folded); err != nil {
				t.Error(err)
			}
		}
		decodeState[world](doc)
	})
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte(journalOf(1, 3)), uint64(1))
	f.Add([]byte("\n\x00{}\n{\"seq\":1,\"data\":null}"), uint64(0))
	f.Fuzz(func(t *testing.T, data []byte, after uint64) {
		if got, err := readTail(bytes.NewReader(data), int64(len(data))); err != nil || got.end > int64(len(data)) {
			t.Errorf("%+v, %v", got, err)
		}
		if lines, err := scan(bytes.NewReader(data), 0, after); err == nil {
			Fold(lines)
		}
		start, err := findOffset(bytes.NewReader(data), int64(len(data)), after)
		if err != nil || start > int64(len(data)) {
			t.Errorf("%d, %v", start, err)
		}
	})
}

// A patch that was made from two objects turns the first into the second.
func FuzzDifference(f *testing.F) {
	f.Add([]byte(`{"a":{"b":1,"c":[null]},"d":2}`), []byte(`{"a":{"c":[{}]},"d":{"e":3}}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		before, after := objectOf(a), objectOf(b)
		if before == nil || after == nil {
			return
		}
		want, err := marshal(after)
		if err != nil {
			t.Fatal(err)
		}
		got, err := marshal(merge(before, any(difference(before, after))))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s, not %s, %v", got, want, err)
		}
	})
}

// objectOf returns an object as the store has it: without nulls.
func objectOf(data []byte) map[string]any {
	v, err := decode(data)
	object, ok := v.(map[string]any)
	if err != nil || !ok {
		return nil
	}
	members, err := worldMembers(object)
	if err != nil {
		return nil
	}
	v, err = decode(joinObject(members))
	if err != nil {
		return nil
	}
	return v.(map[string]any)
}
