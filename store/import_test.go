package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/store/longtest"
)

// The files that the previous program wrote: no seq, no journal, texts beside STATE.json.
const (
	oldState = "{\n  \"state\": \"Busy\",\n  \"n\": 7,\n  \"owner_pid\": 1\n}"
	oldTask  = "# The old task\n"
	oldNote  = "a note of a task before"
)

var (
	oldTexts  = []string{"NOTE.md", "TASK.md", "QUESTION.md"}
	oldOthers = []string{"agents.json"}
)

// takeOver keeps the task and not the note.
func takeOver(tx *Tx[world], state []byte, files map[string]string) error {
	if err := json.Unmarshal(state, &tx.World); err != nil {
		return err
	}
	tx.SetText("TASK.md", files["TASK.md"])
	tx.Record("import", "ferrus", "", "")
	return nil
}

// oldFolder returns a disk with such a .ferrus, all of it durable.
func oldFolder() (*memory, error) {
	m := newMemory()
	f, err := m.create()
	for name, data := range map[string]string{
		stateName: oldState, "TASK.md": oldTask, "NOTE.md": oldNote, "QUESTION.md": "", "agents.json": "{}",
	} {
		err = errors.Join(err, writeNew(f, name, []byte(data), true))
	}
	return m, errors.Join(err, f.syncDir("."))
}

func importMemory(m *memory) error {
	d := memoryDir(m)
	err := d.takeOver(context.Background(), oldTexts, oldOthers, takeOver)
	if err != nil {
		return err
	}
	return d.prepare()
}

// imports runs an import; it leaves either the old files, or the new state with its texts and
// everything that was there.
var imports = plot{
	begin: oldFolder,
	do: func(m *memory, acked *int) error {
		err := importMemory(m)
		if err == nil {
			*acked = 1
		}
		return err
	},
	holds: func(m *memory, acked int) error {
		d := memoryDir(m)
		_, err := d.Load()
		if older := (*OlderError)(nil); errors.As(err, &older) && acked == 0 {
			return asBefore(d)
		}
		if err := d.prepare(); err != nil {
			return err
		}
		if err := imported(d); err != nil {
			return err
		}
		state, err := d.Load()
		return errors.Join(err, verifyTidy(d, state))
	},
}

func asBefore(d *Dir[world]) error {
	for name, want := range map[string]string{stateName: oldState, "TASK.md": oldTask, "NOTE.md": oldNote,
		"agents.json": "{}"} {
		if got, err := d.ReadFile(name); err != nil || string(got) != want {
			return fmt.Errorf("before the commit %s is %q, %v", name, got, err)
		}
	}
	return nil
}

func imported(d *Dir[world]) error {
	state, err := d.Load()
	if err != nil || state.Seq != 1 || state.World.N != 7 || state.World.State != "Busy" {
		return fmt.Errorf("imported %+v, %v", state, err)
	}
	if text, err := d.ReadText(state, "TASK.md"); err != nil || text != oldTask || len(state.Docs) != 1 {
		return fmt.Errorf("the text is %q, %v; there are %v", text, err, state.Docs)
	}
	lines, err := d.Journal(0)
	if err != nil || len(lines) != 1 || lines[0].Event != "import" {
		return fmt.Errorf("the journal is %v, %v", lines, err)
	}
	dir := "archive/import-" + sha([]byte(oldState))[:8]
	for name, want := range map[string]string{stateName: oldState, "TASK.md": oldTask, "NOTE.md": oldNote,
		"QUESTION.md": "", "agents.json": "{}"} {
		if got, err := d.ReadFile(dir + "/" + name); err != nil || !bytes.Equal(got, []byte(want)) {
			return fmt.Errorf("the archive's %s is %q, %v", name, got, err)
		}
	}
	return sameAsFolded(d, lines)
}

func TestCrashOfAnImport(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it writes many states")
	}
	ways := 10
	if longtest.On() {
		ways = 30
	}
	steps, err := imports.crash(ways, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d steps", steps)
}

// oldProject returns a project with such a .ferrus on the real disk.
func oldProject(t *testing.T) string {
	t.Helper()
	project := t.TempDir()
	if err := os.Mkdir(filepath.Join(project, ".ferrus"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{stateName: oldState, "TASK.md": oldTask, "NOTE.md": oldNote,
		"QUESTION.md": "", "agents.json": "{}", lockName: ""} {
		if err := os.WriteFile(filepath.Join(project, ".ferrus", name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return project
}

func importOld(t *testing.T, project string) (*Dir[world], error) {
	t.Helper()
	return Import(t.Context(), project, oldTexts, oldOthers, takeOver)
}

// Every operation but Import refuses an older state; after Import there is nothing more to do.
func TestImport(t *testing.T) {
	t.Parallel()
	project := oldProject(t)
	var older *OlderError
	if err := refused(t, project); !errors.As(err, &older) || older.Schema != 1 ||
		!strings.Contains(err.Error(), "run: ferrus init") {
		t.Fatal(err)
	}
	for range 2 {
		d, err := importOld(t, project)
		if err != nil {
			t.Fatal(err)
		}
		if err := imported(d); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Open[world](project)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := d.Examine(); err != nil || !e.IsIntact() {
		t.Errorf("%+v, %v", e, err)
	}
	update(t, d, Call{}, func(tx *Tx[world]) error { tx.SetText("NOTE.md", "new"); return step(tx) })
}

// A project that cannot be imported stays unchanged.
func TestImportRefused(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, project string){
		"a link in the place of a text": func(t *testing.T, project string) {
			elsewhere := filepath.Join(project, "elsewhere")
			if err := errors.Join(os.WriteFile(elsewhere, nil, 0o600),
				os.Remove(filepath.Join(project, ".ferrus/TASK.md")),
				os.Symlink(elsewhere, filepath.Join(project, ".ferrus/TASK.md"))); err != nil {
				t.Fatal(err)
			}
		},
		"no JSON": func(t *testing.T, project string) {
			rewrite(t, filepath.Join(project, ".ferrus", stateName), "{", "")
		},
		"wrong kind": func(t *testing.T, project string) {
			rewrite(t, filepath.Join(project, ".ferrus", stateName), "7", `"x"`)
		},
		"a journal": func(t *testing.T, project string) {
			if err := os.WriteFile(filepath.Join(project, ".ferrus", journalName), []byte("{}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			project := oldProject(t)
			spoil(t, project)
			before, err := os.ReadFile(filepath.Join(project, ".ferrus", stateName))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := importOld(t, project); err == nil {
				t.Error("it was imported")
			}
			after, err := os.ReadFile(filepath.Join(project, ".ferrus", stateName))
			if err != nil || !bytes.Equal(before, after) {
				t.Errorf("STATE.json is %q, %v", after, err)
			}
		})
	}
}
