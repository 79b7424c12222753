package store

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The quick reading of a journal gives the same entries as the careful one, and leaves a journal in
// any other form to the careful one.
func TestBriefEntriesAreThoseOfTheJournal(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 10, 15, 0, 123000000, time.UTC)
	var journal strings.Builder
	for seq, why := range []string{"", `a "quote", {a brace] and a \\`, "\x00\u2028 é\n", strings.Repeat(`\`, 5) + `"`} {
		line, err := json.Marshal(Entry{Seq: uint64(seq + 1), At: at.Add(time.Duration(seq) * time.Minute),
			Event: "checked", By: "ferrus", From: "Checking", To: "Addressing", Why: why,
			Data:     json.RawMessage(`{"a":[1,{"b":"}"}],"why":` + string(must(json.Marshal(why))) + `,"n":-1.5e3}`),
			StateSHA: "aa", Before: &Prefix{}, Prev: "bb"})
		if err != nil {
			t.Fatal(err)
		}
		journal.Write(append(line, '\n'))
	}
	dir := must(newDir[world](filepath.Join(t.TempDir(), ".ferrus")))
	const id = "t-20261120-101500-4f2a"
	file := filepath.Join(dir.Path("archive", id), "journal.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	good := journal.String()
	if briefs([]byte(good)) == nil {
		t.Error("a journal as ferrus writes it is not read quickly")
	}
	for name, text := range map[string]string{"good": good, "spaced": strings.ReplaceAll(good, `,"to"`, `, "to"`),
		"torn": good[:len(good)-20], "escaped": strings.ReplaceAll(good, `"checked"`, `"check\u0065d"`), "empty": "",
		"odd": "{}\n" + good, "damaged": good[:30] + "\n" + good} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want, wanted := dir.Archived(id)
		got, err := dir.ArchivedBrief(id)
		if (err == nil) != (wanted == nil) || len(got) != len(want) {
			t.Errorf("%s: %d entries (%v), not %d (%v)", name, len(got), err, len(want), wanted)
			continue
		}
		for i, g := range got {
			w := want[i]
			if !g.At.Equal(w.At) || g.Event != w.Event || g.To != w.To || string(g.Data) != string(w.Data) {
				t.Errorf("%s: entry %d is %+v, not %+v", name, i, g, w)
			}
		}
	}
	if got, err := dir.ArchivedBrief("t-20261120-101500-0000"); err != nil || len(got) != 0 {
		t.Errorf("a task without a journal: %v, %v", got, err)
	}
}
