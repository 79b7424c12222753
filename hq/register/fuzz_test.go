package register

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/agent"
)

// FuzzRecord takes back whatever a record says was made: nothing outside the
// project is named, and what it undoes can be written.
func FuzzRecord(f *testing.F) {
	for _, s := range []string{
		`null`, `{"files":[null]}`, `{"files":[{"name":"../x"}]}`, `{"files":[{"name":"a/b","dirs":["../.."]}]}`,
		`{"files":[{"name":"a","edits":[{"kind":"player","owners":["x"]}]}]}`,
		`{"files":[{"name":"f.json","before":"e30=",` +
			`"edits":[{"kind":"member","path":["a"],"key":"b","value":"1","owners":["executor:codex"]},` +
			`{"kind":"element","value":"2"}]}]}`,
		`{"files":[{"name":"f.toml","edits":[{"kind":"table","path":[],"key":"","value":"x"},` +
			`{"kind":"section"},{"kind":"line"},{"kind":"no"}]}]}`,
	} {
		f.Add([]byte(s), "{}")
	}
	dir, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		for _, name := range []string{"f.json", "f.toml"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, plan := range []func(Options) (*Plan, error){Remove, Add} {
			p, err := plan(Options{Dir: dir, Ferrus: "/opt/ferrus", Record: data})
			if err != nil {
				continue
			}
			for _, c := range p.Changes {
				if !filepath.IsLocal(c.File) {
					t.Errorf("it would change %s", c.File)
				}
			}
			for _, d := range p.empty {
				if !filepath.IsLocal(d) || strings.HasPrefix(d, "f.") {
					t.Errorf("it would remove %s", d)
				}
			}
			_ = p.Format()
		}
	})
}

// FuzzJSON holds that what was there is there, and that remove is exact.
func FuzzJSON(f *testing.F) {
	for _, files := range nasty {
		for name, text := range files {
			if strings.HasSuffix(name, ".json") {
				f.Add(text)
			}
		}
	}
	f.Add("{\"a\":[1,],\"mcpServers\":{\n\"x\":1 , // c\n},}")
	f.Add("{\"a\":[1,{}],\"mcpServers\":{\"x\":1 // c\n , \"y\":2 /* d */ }}")
	edit := agent.Edit{File: "f", Kind: agent.Member, Path: []string{"mcpServers"}, Key: "ferrus-executor-1",
		Value: `{"command":"c","args":[]}`, Comments: true}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := parseJSON([]byte(text), edit); err != nil || strings.Contains(text, "ferrus") {
			return
		}
		after, err := applyEdit([]byte(text), edit)
		if err != nil {
			return
		}
		again, err := applyEdit(after, edit)
		if err != nil || !bytes.Equal(again, after) {
			t.Fatalf("again: %v\n%q\n%q", err, after, again)
		}
		if strings.TrimSpace(text) != "" && !subsequence(text, string(after)) {
			t.Fatalf("%q lost something in %q", text, after)
		}
		back, err := undoEdit(after, edit, "")
		if err != nil {
			t.Fatalf("undo %q: %v", after, err)
		}
		if _, err := parseJSON(back, edit); err != nil {
			t.Fatalf("undone: %v\n%q", err, back)
		}
	})
}

// FuzzTOML holds the same for the other format.
func FuzzTOML(f *testing.F) {
	for _, files := range nasty {
		f.Add(files[".codex/config.toml"])
	}
	f.Add("mcp_servers.a.command = 'x'\n")
	edit := agent.Edit{File: "f", Kind: agent.Table, Path: []string{"mcp_servers"}, Key: "ferrus-executor-1",
		Value: "command = \"c\"\nargs = []\n"}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "ferrus") {
			return
		}
		after, err := applyEdit([]byte(text), edit)
		if err != nil {
			return
		}
		if !strings.HasPrefix(string(after), text) {
			t.Fatalf("%q became %q", text, after)
		}
		if again, err := applyEdit(after, edit); err != nil || !bytes.Equal(again, after) {
			t.Fatalf("again: %v\n%q\n%q", err, after, again)
		}
		back, err := undoEdit(after, edit, "")
		if err != nil || strings.TrimRight(string(back), "\r\n") != strings.TrimRight(text, "\r\n") {
			t.Fatalf("undone: %v\n%q\n%q", err, text, back)
		}
	})
}

// subsequence does not look at white space.
func subsequence(part, whole string) bool {
	part, whole = strings.Join(strings.Fields(part), ""), strings.Join(strings.Fields(whole), "")
	for i := 0; i < len(whole) && part != ""; i++ {
		if whole[i] == part[0] {
			part = part[1:]
		}
	}
	return part == ""
}
