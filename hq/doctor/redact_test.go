package doctor

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzRedact gives redact arbitrary JSON: the output contains only ferrus's own words.
func FuzzRedact(f *testing.F) {
	f.Add(
		[]byte(
			`{"state":"SECRET","paused":["SECRET"],"task":{"title":"SECRET","SECRET":{"x":["SECRET"]}},` +
				`"last":{"line":{"why":"SECRET"}}}`))
	f.Add(
		[]byte(
			`{"claimed_by":"executor:SECRET:1","since":"SECRET","docs":{"TASK.md":{"file":"docs/SECRET"},` +
				`"SECRET.md":{}},"gate":null}`))
	f.Add([]byte(`["SECRET"]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		shown, err := redact(data)
		if err != nil {
			return
		}
		out, err := json.Marshal(shown)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(out, []byte("SECRET")) {
			t.Fatalf("the output contains a secret: %s", out)
		}
		for _, word := range strings.FieldsFunc(string(out), func(r rune) bool { return r != '"' && r < 0x80 }) {
			for _, r := range word {
				if r > 0x7f {
					t.Fatalf("the output contains %q, want ASCII only", word)
				}
			}
		}
	})
}

// FuzzKnown gives the ferrus.toml reader arbitrary text: the output contains only ferrus's own keys
// and short numbers.
func FuzzKnown(f *testing.F) {
	f.Add("[limits]\nmax_check_retries = 17 # SECRET\nSECRET = 1\n[hq.SECRET]\nmodel = \"SECRET\"\n")
	f.Add("[agent.\"SECRET\"]\ncommand = [\"SECRET\"]\n[checks]\ncommands = [\n\"SECRET=1\",\n]\ntimeout_secs = SECRET")
	f.Fuzz(func(t *testing.T, text string) {
		for _, line := range known(text) {
			if strings.Contains(line, "SECRET") || len(line) > 80 {
				t.Fatalf("the output has %q, want neither secrets nor long lines", line)
			}
		}
	})
}

func TestKnown(t *testing.T) {
	t.Parallel()
	got := strings.Join(known("checks.protect = true\n[limits]\nmax_check_retries = 17 # why\nmade_up = "+
		"3\n[hq.executor]\nmodel = \"x\"\n"), "; ")
	if want := "checks.protect = true; hq.executor.model = ...; limits.max_check_retries = 17"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
}
