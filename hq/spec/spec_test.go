package spec

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const text = `# Billing

Words. - [ ] #9.9 is no box in the middle of a line.

` + "```" + `
- [ ] #0.1 An example
  - ID: example
` + "```" + `

## Milestones

- [x] #1.0 Read the files
  - ID: m1.0
  - Depends on: none
- [ ] #1.1 Add them up
  - ID: m1.1
  - Depends on: m1.0
  - [ ] a step of it
  ID: m1.1
  - [ ] #1.2 Show them
  ID: m1.2
  Depends on: m1.0, m1.1
- [ ] #1.3 Nameless

## Acceptance Criteria

- ID: nothing of a milestone
`

func TestParse(t *testing.T) {
	s := Parse("docs/specs/2026-05-01-billing.md", text)
	if s.Err() != nil || s.Title != "Billing" || s.Name() != "billing" {
		t.Errorf("%v %q %q", s.Err(), s.Title, s.Name())
	}
	got := ""
	for _, m := range s.Milestones {
		got += fmt.Sprintf("%s|%s|%v|%s|%s\n", m, m.ID, m.Done, strings.Join(m.Depends, ","),
			strings.Join(s.Waits(m), ","))
	}
	want := "#1.0 Read the files|m1.0|true||\n#1.1 Add them up|m1.1|false|m1.0|\n#1.2 Show " +
		"them|m1.2|false|m1.0,m1.1|m1.1\n#1.3 Nameless||false||\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if done, all := s.Progress(); done != 1 || all != 3 {
		t.Errorf("progress %d of %d", done, all)
	}
	if m, ok := s.Next(""); !ok || m.ID != "m1.1" {
		t.Errorf("next %v", m)
	}
	if m, ok := s.Next("m1.2"); !ok || m.ID != "m1.1" {
		t.Errorf("next after the last that can be %v: an earlier one is ready", m)
	}
}

func TestProblems(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"twice": {"- [ ] #1 a\nID: x\n- [ ] #2 b\nID: x\n",
			"line 3: #2 has the ID x of #1 in line 1: give each its own"},
		"two ids": {"- [ ] #1 a\nID: x\nID: y\n", "line 3: #1 already has the ID x, and now also y: keep one"},
		"words":   {"- [ ] #1 a\nID: x y\n", `line 2: the ID "x y" is more than one word`},
		"unknown": {"- [ ] #1 a\nID: x\nDepends on: y\n",
			"line 1: #1 depends on y, which is not the ID of a milestone"},
		"itself": {"- [ ] #1 a\nID: x\nDepends on: x\n", "line 1: the milestones x -> x depend on each other in a " +
			"cycle: none can be first"},
		"circle": {"- [ ] #1 a\nID: x\nDepends on: z\n- [ ] #2 b\nID: y\nDepends on: x\n- [ ] #3 c\nID: " +
			"z\nDepends on: y\n", "line 1: the milestones x -> z -> y -> x depend on each other in a cycle: none " +
			"can be first"},
		"done too": {"- [x] #1 a\nID: x\nDepends on: gone\n",
			"line 1: #1 depends on gone, which is not the ID of a milestone"},
	} {
		err := Parse("docs/a.md", c.text).Err()
		if err == nil || err.Error() != "docs/a.md has to be edited first: "+c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// dir returns a project with one specification.
func dir(t *testing.T, text string) (Dir, string) {
	t.Helper()
	s := Dir{Project: t.TempDir(), Directory: "docs/specs"}
	name, err := s.Create(text, "", time.Date(2026, 5, 1, 23, 0, 0, 0, time.FixedZone("", -4*3600)))
	if err != nil {
		t.Fatal(err)
	}
	return s, name
}

func TestCreate(t *testing.T) {
	s, name := dir(t, "# Ferrus /spec: v2!\n")
	if name != "docs/specs/2026-05-02-ferrus-spec-v2.md" {
		t.Errorf("path %s", name)
	}
	again, err := s.Create("# Ferrus /spec: v2!\n", name, time.Unix(0, 0))
	if err != nil || again != name {
		t.Errorf("the same text again: %s %v", again, err)
	}
	for n, want := range map[string]string{"# Ferrus /spec: v2!\nmore\n": "docs/specs/2026-05-02-ferrus-spec-v2-2.md",
		"# ärger\n": "docs/specs/2026-05-02-rger.md", "none": "docs/specs/2026-05-02-spec.md"} {
		if got, err := s.Create(n, name, time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC)); err != nil || got != want {
			t.Errorf("%q: %s %v; want %q", n, got, err, want)
		}
	}
	all, err := s.List()
	if err != nil || len(all) != 4 || all[0].Path != "docs/specs/2026-05-02-ferrus-spec-v2-2.md" {
		t.Errorf("%v %v", all, err)
	}
	if _, err := (Dir{Project: s.Project, Directory: "../out"}).Create("x", "", time.Now()); err == nil {
		t.Error("written outside the project")
	}
}

func TestTickChangesOneCharacter(t *testing.T) {
	dos := strings.ReplaceAll(text, "\n", "\r\n")
	s, name := dir(t, dos)
	file := filepath.Join(s.Project, name)
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if ticked, err := s.Tick(name, "m1.1"); err != nil || !ticked {
		t.Fatalf("ticked %v, %v; want it ticked", ticked, err)
	}
	if ticked, err := s.Tick(name, "m1.1"); err != nil || ticked {
		t.Error("ticked twice", err)
	}
	got, _ := os.ReadFile(file)
	if want := strings.Replace(dos, "[ ] #1.1", "[x] #1.1", 1); string(got) != want {
		t.Errorf("got\n%s", got)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestTickKeepsALink(t *testing.T) {
	s, name := dir(t, text)
	link := filepath.Join(s.Project, "docs", "now.md")
	if err := os.Symlink("specs/"+filepath.Base(name), link); err != nil {
		t.Fatal(err)
	}
	if ticked, err := s.Tick("docs/now.md", "m1.1"); err != nil || !ticked {
		t.Fatalf("ticked %v, %v; want it ticked", ticked, err)
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link became a file")
	}
	if _, m, err := s.Milestone(name, "m1.1"); err != nil || !m.Done {
		t.Errorf("%v %v", m, err)
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	s, name := dir(t, text)
	folder := filepath.Join(s.Project, "docs/specs")
	for file, data := range map[string]string{"big.md": strings.Repeat("x", MaxBytes+1), "bytes.md": "\xff\xfe",
		"nul.md": "a\x00b"} {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(folder, "out.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "folder.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	all, err := s.List()
	if err != nil || len(all) != 5 {
		t.Fatalf("%v %v", all, err)
	}
	for _, one := range all {
		if broken := one.Err() != nil; broken != (one.Path != name) {
			t.Errorf("%s: %v", one.Path, one.Err())
		}
	}
	for want, f := range map[string]func() error{
		"gone":      func() error { _, err := s.Tick("docs/specs/no.md", "m1.1"); return err },
		"no longer": func() error { _, err := s.Tick(name, "m7"); return err },
		"escapes":   func() error { _, err := s.Tick("../x.md", "m7"); return err },
		"not a fil": func() error { _, err := s.Read("docs"); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(text)
	f.Add("- [ ] #1 a\nID: x\nDepends on: x, none,,y\n```\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := Parse("a.md", text)
		for _, m := range s.Milestones {
			if b := text[m.box]; (b != ' ') != m.Done || m.Done && b != 'x' && b != 'X' {
				t.Fatalf("box of %v at %d is %q", m, m.box, b)
			}
		}
		if s.Err() != nil {
			return
		}
		open := 0
		for _, m := range s.Milestones {
			if m.ID != "" && !m.Done {
				open++
			}
		}
		if _, ok := s.Next(""); ok != (open > 0) {
			t.Fatalf("%d are open, and one is ready: %v", open, ok)
		}
	})
}
