package register

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, files := range nasty {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t, files)
			b.do(Add, both...)
			var s strings.Builder
			all := b.all()
			for _, f := range slices.Sorted(maps.Keys(all)) {
				if text := all[f]; !strings.HasPrefix(text, "d---") && !strings.HasSuffix(f, Backup) {
					text = strings.ReplaceAll(strings.ReplaceAll(text, b.dir, "/project"), "\r\n", "␍\n")
					s.WriteString("=== " + f + "\n" + text + "|\n")
				}
			}
			path := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(s.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, _ := os.ReadFile(path)
			if s.String() != string(want) {
				t.Errorf("%s has changed (-update writes it):\n%s", path, s.String())
			}
		})
	}
}

func TestTwiceChangesNothingAndRemoveGivesBackTheBytes(t *testing.T) {
	t.Parallel()
	for name, files := range nasty {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t, files)
			before := b.all()
			b.do(Add, both...)
			after, record := b.all(), string(b.record)
			b.do(Add, both...)
			b.same(after, "the second time")
			if string(b.record) != record {
				t.Error("the second time the record changed")
			}
			b.do(Remove, both[0], both[3], both[5])
			b.do(Add, both...)
			b.do(Remove, both[:3]...)
			b.do(Remove)
			b.same(before, "removed")
			if b.record != nil {
				t.Errorf("the record is left: %s", b.record)
			}
		})
	}
}

func TestPlansAndFaultsChangeNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it plays every fault")
	}
	for _, test := range []struct{ file, text, want string }{
		{".claude/mcp-executor.json", "{\n  \"a\": 1,\n}", ".claude/mcp-executor.json:2:9: comments and trailing " +
			"commas are not allowed"},
		{".qwen/settings.json", "{\"é\": tru}", ".qwen/settings.json:1:8: invalid literal: tru"},
		{".qwen/settings.json", "{\"a\": {}", ".qwen/settings.json:2:1: parsing object after value: unexpected EOF"},
		{".qwen/settings.json", "{\"a\": 1, \"a\": 2}", `.qwen/settings.json:1:10: duplicate key "a"`},
		{".qwen/settings.json", "{} x", ".qwen/settings.json:1:4: invalid character 'x' after top-level value"},
		{".qwen/settings.json", "{} /* x", ".qwen/settings.json:1:4: parsing comment: unexpected EOF"},
		{".qwen/settings.json", "{\"mcpServers\": []}", ".qwen/settings.json:1:16: mcpServers is not an object"},
		{".qwen/settings.json", "[]", ".qwen/settings.json:1:1: the whole is not an object"},
		{".qwen/settings.json", "\"\xff\"", ".qwen/settings.json: is not UTF-8"},
		{".qwen/settings.json", strings.Repeat("[", 300_000), ".qwen/settings.json: is larger than 256 KiB"},
		{".claude/mcp-executor.json", "{\n // no\n}", ".claude/mcp-executor.json:2:2: comments and trailing commas " +
			"are not allowed"},
		{".claude/settings.local.json", "{\"permissions\": {\"allow\": \"x\"}}",
			".claude/settings.local.json:1:27: permissions.allow is not an array"},
		{".codex/config.toml", "a = 1\nb = \n", ".codex/config.toml:2:"},
		{".codex/config.toml", "x = 1\nmcp_servers = { a = { command = 'a' } }\n",
			".codex/config.toml:2:1: mcp_servers is written in a way that cannot be extended"},
		{"ferrus.toml", "[checks\n", "ferrus.toml:1: is not TOML"},
		{"ferrus.toml", "[hq]\nagnt = 'x'\n", "ferrus.toml:2"},
	} {
		b := newFixture(t, map[string]string{test.file: test.text})
		before := b.all()
		_, err := Add(b.options(both))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %.40q: %v, want %s", test.file, test.text, err, test.want)
		}
		b.same(before, "refused")
	}
	b := newFixture(t, nil)
	before := b.all()
	if text := b.plan(Add, both...).Format(); !strings.Contains(text, `  + [mcp_servers.ferrus-executor-1]`) {
		t.Errorf("the plan says\n%s", text)
	}
	b.same(before, "planned")
}

// Edits in between are kept.
func TestRemoveKeepsWhatCameLater(t *testing.T) {
	t.Parallel()
	b := newFixture(t, nasty["comments"])
	b.do(Add, both...)
	edit := func(name, old, new string) {
		text := b.read(name)
		if strings.Count(text, old) != 1 {
			t.Fatalf("%s has not one %q:\n%s", name, old, text)
		}
		b.write(name, strings.Replace(text, old, new, 1))
	}
	edit(".qwen/settings.json", "\"trust\": true\n  }\n} }", "\"trust\": true\n  }, \"mine\": {\"a\": 1} } }")
	edit(".claude/mcp-executor.json", `"a": {`, `"b": {}, "a": {`)
	edit(".claude/settings.local.json", `"mcp__ferrus-executor-1"`, `"mcp__ferrus-executor-1", "Bash(pwd)"`)
	edit(".codex/config.toml", "# top", "# TOP")
	b.write(".codex/config.toml", b.read(".codex/config.toml")+"\n# last\n[mcp_servers.c]\ncommand = \"c\"\n")
	b.write("AGENTS.md", b.read("AGENTS.md")+"\nMore.\n")
	b.write("CLAUDE.md", "First.\n"+b.read("CLAUDE.md"))
	b.write("ferrus.toml", b.read("ferrus.toml")+"# more\n")
	b.do(Remove)
	for name, want := range map[string]string{
		".qwen/settings.json": "// head\n{ \"mcpServers\": { /* none */\n  \"mine\": {\"a\": 1} } }\n// tail\n",
		".claude/mcp-executor.json": strings.Replace(nasty["comments"][".claude/mcp-executor.json"], `"a": {`,
			`"b": {}, "a": {`, 1),
		".claude/settings.local.json": strings.Replace(nasty["comments"][".claude/settings.local.json"],
			`"Bash(ls)" // why`, "\"Bash(ls)\", // why\n \"Bash(pwd)\"", 1),
		".codex/config.toml": "# TOP\nmodel = \"x\" # why\n\n[mcp_servers.b]\ncommand = 'b'\n# end without " +
			"newline\n\n# last\n[mcp_servers.c]\ncommand = \"c\"\n",
		"AGENTS.md": "# A\n\n\n\nMore.\n",
		"CLAUDE.md": "First.\n# Rules\n\nNo final newline: ü\n",
	} {
		if got := b.read(name); got != want {
			t.Errorf("%s is\n%q\nwant\n%q", name, got, want)
		}
	}
	for name := range b.all() {
		if text := b.all()[name]; !strings.HasSuffix(name, Backup) && strings.Contains(text, "ferrus-executor") {
			t.Errorf("%s has it still:\n%s", name, text)
		}
	}
}

// A client rewrites its file in its own way, and stamps it: what is restored is every byte of
// before, and nothing of ferrus is left, whatever was changed since.
func TestRemoveAfterTheClientRewrote(t *testing.T) {
	t.Parallel()
	before := map[string]string{".qwen/settings.json": "{\n // mine\n\"model\": { \"name\": \"x\" } }",
		".codex/config.toml": "model = 'x' # why\n"}
	for name, mine := range map[string]string{"rewritten": "", "changed": "changed"} {
		for _, files := range []map[string]string{before, nil} {
			b := newFixture(t, files)
			was := b.all()
			b.do(Add, "supervisor:qwen-code", "executor:codex")
			tree, ok := values(".json", []byte(b.read(".qwen/settings.json")))
			if !ok {
				t.Fatal("the file cannot be read")
			}
			tree["$version"] = 3
			if mine != "" {
				tree["mine"] = mine
			}
			text, err := json.MarshalIndent(tree, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			b.write(".qwen/settings.json", string(text))
			b.write(".codex/config.toml", "\n"+strings.ReplaceAll(b.read(".codex/config.toml"), " # why", ""))
			b.do(Remove)
			now := b.all()
			if mine != "" { // it is kept, and all else is as before
				if !strings.Contains(now[".qwen/settings.json"], mine) {
					t.Errorf("%s: what was added is gone: %q", name, now[".qwen/settings.json"])
				}
				for _, names := range []map[string]string{was, now} {
					delete(names, ".qwen/settings.json")
					delete(names, ".qwen")
				}
			}
			if !maps.Equal(now, was) {
				t.Errorf("%s: %q\nwant %q", name, now, was)
			}
		}
	}
}

func TestBackupIsOfTheFirstTime(t *testing.T) {
	t.Parallel()
	b := newFixture(t, map[string]string{"AGENTS.md": "one\n"})
	b.do(Add, "executor:codex")
	b.do(Add, "supervisor:codex")
	if got := b.read("AGENTS.md" + Backup); got != "one\n" {
		t.Errorf("the backup is %q", got)
	}
	b = newFixture(t, map[string]string{"AGENTS.md": "one\n", "AGENTS.md" + Backup: "my own\n"})
	b.do(Add, "executor:codex")
	b.do(Remove)
	if got := b.read("AGENTS.md" + Backup); got != "my own\n" {
		t.Errorf("the backup is %q", got)
	}
}

// An entry that is there already, from another time or program, is used.
func TestAnEntryIsNotDoubled(t *testing.T) {
	t.Parallel()
	old := `{"mcpServers": {"ferrus-executor-1": {"command": "theirs"}, ` +
		`"ferrus-executor-2": {"command": "/old/ferrus", "args": ["serve", "--role", "executor", ` +
		`"--agent-name", "qwen-code", "--agent-index", "2"]}}}`
	codex := "[mcp_servers.ferrus-executor-1]\ncommand = \"/old/ferrus\" # here\nargs = [\n\"serve\", \"--role\", " +
		"\"executor\", \"--agent-name\", \"codex\", \"--agent-index\", \"1\",\n]\n# next\n[a]\n"
	b := newFixture(t, map[string]string{".qwen/settings.json": old, ".codex/config.toml": codex})
	before := b.all()
	b.do(Add, "executor:qwen-code", "executor:codex")
	if got := b.read(".qwen/settings.json"); strings.Contains(got, "/old") || strings.Contains(got, "executor-3") ||
		!strings.Contains(got, `"command": "theirs"`) {
		t.Errorf("got %s", got)
	}
	if got := b.read(".codex/config.toml"); strings.Contains(got, "/old") || strings.Contains(got, "executor-2") ||
		!strings.HasSuffix(got, "\n# next\n[a]\n") {
		t.Errorf("got %s", got)
	}
	b.do(Remove)
	b.same(before, "removed")
}

func TestAMovedProgramIsFollowed(t *testing.T) {
	t.Parallel()
	b := newFixture(t, nasty["crlf"])
	before := b.all()
	b.do(Add, both...)
	o := b.options(both)
	o.Ferrus = "/new/ferrus"
	p, err := Add(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(b.save); err != nil {
		t.Fatal(err)
	}
	for name, text := range b.all() {
		if strings.Contains(text, "/opt/ferrus") {
			t.Errorf("%s says\n%s", name, text)
		}
	}
	b.do(Remove)
	b.same(before, "removed")
}

func TestModels(t *testing.T) {
	t.Parallel()
	b := newFixture(t, map[string]string{"ferrus.toml": "[hq.supervisor]\nagent = \"claude-code\" # who\nmodel = " +
		"\"opus\" # what\n\n[hq.executor]\nagent = \"codex\"\nmodel = \"gpt\"\n"})
	before := b.all()
	b.do(Add, "supervisor:claude-code", "executor:qwen-code")
	want := "[hq.supervisor]\nagent = \"claude-code\" # who\nmodel = \"opus\" # what\n\n[hq.executor]\nagent = " +
		"\"qwen-code\"\nmodel = \"\"\n"
	if got := b.read("ferrus.toml"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	model := " coder "
	p, err := Add(Options{Dir: b.dir, Ferrus: "/opt/ferrus", Record: b.record,
		Roles: []Role{{"executor", "qwen-code", &model}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(b.save); err != nil {
		t.Fatal(err)
	}
	if got := b.read("ferrus.toml"); !strings.Contains(got, "agent = \"qwen-code\"\nmodel = \"coder\"\n") {
		t.Errorf("got\n%s", got)
	}
	b.write("ferrus.toml", b.read("ferrus.toml")+"[lease]\n")
	b.do(Remove)
	if got := b.read("ferrus.toml"); got != before["ferrus.toml"]+"[lease]\n" {
		t.Errorf("got\n%s", got)
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	b := newFixture(t, map[string]string{"AGENTS.md": "rules\n"})
	if err := os.Symlink("AGENTS.md", filepath.Join(b.dir, "CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	before := b.all()
	b.do(Add, "supervisor:claude-code", "executor:codex")
	if text := b.read("AGENTS.md"); strings.Count(text, "<!-- ferrus-") != 2 {
		t.Errorf("got\n%s", text)
	}
	b.do(Remove)
	b.same(before, "removed")
	if err := os.Symlink(t.TempDir(), filepath.Join(b.dir, ".codex")); err != nil {
		t.Fatal(err)
	}
	if _, err := Add(b.options([]string{"executor:codex"})); err == nil ||
		!strings.Contains(err.Error(), "out of the project") {
		t.Errorf("got %v", err)
	}
}

func TestNothingIsHalfWritten(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it writes many states")
	}
	b := newFixture(t, map[string]string{"AGENTS.md": "rules\n"})
	before := b.all()
	p := b.plan(Add, both...)
	b.write("AGENTS.md", "changed\n")
	if err := p.Write(b.save); err == nil || !strings.Contains(err.Error(), "AGENTS.md: it has just been changed") {
		t.Errorf("got %v", err)
	}
	b.write("AGENTS.md", "rules\n")
	b.same(before, "changed in between")
	p = b.plan(Add, both...)
	for i := range p.Changes {
		if p.Changes[i].File == "QWEN.md" {
			p.Changes[i].File = "ferrus.toml/QWEN.md" // cannot be written
		}
	}
	if err := p.Write(b.save); err == nil {
		t.Error("it was written")
	}
	after := b.all()
	// directories may stay
	maps.DeleteFunc(after, func(name, text string) bool { return strings.HasPrefix(text, "d---") })
	maps.DeleteFunc(before, func(name, text string) bool { return strings.HasPrefix(text, "d---") })
	if !maps.Equal(before, after) {
		t.Errorf("left: %v", slices.Sorted(maps.Keys(after)))
	}
	if b.record != nil {
		t.Errorf("the record says %s", b.record)
	}
	if err := b.plan(Add, both...).Write(func([]byte) error { return errors.New("full") }); err == nil {
		t.Error("it was written without a record")
	}
}
