package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Whatever is wrong with STATE.json, the error says so and nothing changes.
func TestDamagedState(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, new, want string }{
		"torn":             {"\"n\"", "\x00", "line 7, column 3"},
		"cut":              {"\"docs\"", "", "is damaged at line"},
		"a wrong type":     {`"n": 1`, `"n": "one"`, "n cannot be a string"},
		"a fraction":       {`"n": 1`, `"n": 1.5`, "n cannot be a number 1.5"},
		"a null":           {`"n": 1`, `"n": null`, "n is null"},
		"a deep null":      {`"by": {}`, `"by": {"a": null}`, "by.a is null"},
		"a huge seq":       {`"seq": 1,`, `"seq": 1e99,`, "seq cannot be a number 1e99"},
		"a negative seq":   {`"seq": 1,`, `"seq": -1,`, "seq cannot be a number -1"},
		"no seq":           {`"seq": 1,`, ``, "seq is missing"},
		"no docs":          {`"docs": {`, `"dogs": {`, "docs is missing"},
		"a text elsewhere": {`docs/000001-TASK.md`, `../../etc/passwd`, "docs.TASK.md.file is not a file in docs"},
		"an odd hash":      {`"sha256": "`, `"sha256": "x`, "docs.TASK.md.sha256 is not a SHA-256"},
		"an odd text":      {`"TASK.md": {`, `"../x": {`, "cannot be the name of a text"},
		"an odd time":      {`"updated_at": "`, `"updated_at": "x`, "is damaged"},
		"two values":       {"}\n}\n", "}\n}\n{}\n", "after top-level value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, project := newStore(t)
			update(t, d, Call{}, func(tx *Tx[world]) error { tx.SetText("TASK.md", "x"); return step(tx) })
			data, err := os.ReadFile(d.Path(stateName))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(data), c.old) {
				t.Fatalf("nothing to damage in\n%s", data)
			}
			damaged := strings.Replace(string(data), c.old, c.new, 1)
			if err := os.WriteFile(d.Path(stateName), []byte(damaged), 0o600); err != nil {
				t.Fatal(err)
			}
			var typed *DamagedError
			err = refused(t, project)
			if !errors.As(err, &typed) || typed.File != d.Path(stateName) {
				t.Fatal(err)
			}
			for _, want := range []string{c.want, d.Path(stateName), "run: ferrus init"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

// refused checks that every operation fails and the disk stays unchanged.
func refused(t *testing.T, project string) error {
	t.Helper()
	before := snapshot(t, project)
	d, err := newDir[world](filepath.Join(project, ".ferrus"))
	if err != nil {
		t.Fatal(err)
	}
	_, openErr := Open[world](project)
	_, loadErr := d.Load()
	_, updateErr := d.Update(context.Background(), Call{}, step)
	_, createErr := Create(context.Background(), project, world{})
	for _, err := range []error{loadErr, updateErr, createErr} {
		if err == nil {
			t.Error("it was accepted")
		}
	}
	same(t, before, snapshot(t, project))
	return openErr
}

func rewrite(t *testing.T, name, old, new string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, []byte(strings.Replace(string(data), old, new, 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestOtherSchema(t *testing.T) {
	t.Parallel()
	d, project := newStore(t)
	rewrite(t, d.Path(stateName), `"schema_version": 2`, `"schema_version": 7`)
	var newer *NewerError
	if err := refused(t, project); !errors.As(err, &newer) || newer.Schema != 7 || newer.Known != Schema {
		t.Fatal(err)
	}
	rewrite(t, d.Path(stateName), `"schema_version": 7`, `"schema_version": 1`)
	if err := refused(t, project); err == nil || !strings.Contains(err.Error(), "schema 1") {
		t.Fatal(err)
	}
}

func TestNothingThere(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	for range 2 { // without .ferrus, and with an empty one
		d, err := newDir[world](filepath.Join(project, ".ferrus"))
		if err != nil {
			t.Fatal(err)
		}
		_, openErr := Open[world](project)
		_, loadErr := d.Load()
		_, updateErr := d.Update(context.Background(), Call{}, step)
		for _, err := range []error{openErr, loadErr, updateErr} {
			if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), project) {
				t.Error(err)
			}
		}
		if files := snapshot(t, project); len(files) > 0 {
			t.Errorf("there is %v now", files)
		}
		if err := os.MkdirAll(d.root, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDirectoryThatIsNotOurs(t *testing.T) {
	t.Parallel()
	_, real := newStore(t)
	project := t.TempDir()
	dir := filepath.Join(project, ".ferrus")
	if err := os.Symlink(filepath.Join(real, ".ferrus"), dir); err != nil {
		t.Fatal(err)
	}
	if err := refused(t, project); err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Fatal(err)
	}
	os.Remove(dir)
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := refused(t, project); err == nil || !strings.Contains(err.Error(), "is not a directory") {
		t.Fatal(err)
	}
	foreign := osDisk("/etc") // of root, or given to another
	if os.Geteuid() == 0 {
		foreign = osDisk(filepath.Join(real, ".ferrus"))
		if err := os.Chown(string(foreign), 4242, -1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := foreign.open(); err == nil || !strings.Contains(err.Error(), "belongs to user") {
		t.Fatal(err)
	}
}

// A link or a pipe in place of any file or directory is refused or replaced, never followed or
// waited for.
func TestPlantedLinks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{stateName, lockName, journalName, tempState, docsDir, runDir, checksDir, archiveDir,
		logsDir, "TASK.md", "agents.json", "docs/000001-TASK.md"} {
		for _, kind := range []string{"link", "dangling", "pipe"} {
			t.Run(strings.ReplaceAll(name, "/", "-")+" "+kind, func(t *testing.T) {
				t.Parallel()
				plant(t, name, kind)
			})
		}
	}
}

func plant(t *testing.T, name, kind string) {
	d, project := newStore(t)
	update(t, d, Call{}, func(tx *Tx[world]) error { tx.SetText("TASK.md", "x"); return step(tx) })
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	target := map[string]string{"link": secret, "dangling": filepath.Join(outside, "none")}[kind]
	err := os.WriteFile(secret, []byte("secret"), 0o600)
	if info, err := os.Stat(d.Path(name)); err == nil && info.IsDir() {
		target = outside
	}
	err = errors.Join(err, os.RemoveAll(d.Path(name)))
	if kind == "pipe" {
		err = errors.Join(err, syscall.Mkfifo(d.Path(name), 0o600))
	} else {
		err = errors.Join(err, os.Symlink(target, d.Path(name)))
	}
	if err != nil {
		t.Fatal(err)
	}
	use(d, project)
	if after := snapshot(t, outside); len(after) != 1 || after["/secret"] != "secret" {
		t.Fatalf("outside there is now %v", after)
	}
}

// use calls everything that the store offers and ignores the results.
func use(d *Dir[world], project string) {
	Open[world](project)
	d.Load()
	d.Update(context.Background(), Call{}, func(tx *Tx[world]) error {
		tx.ReadText("TASK.md")
		tx.SetText("TASK.md", "y")
		tx.Archive("t-1")
		return step(tx)
	})
	d.Journal(0)
	d.WriteFile("agents.json", nil)
	d.WriteFile("checks/1.json", nil)
	d.ReadFile("agents.json")
	d.List("checks")
	d.Remove("logs/x")
	if log, err := d.Append("logs/x"); err == nil {
		log.Close()
	}
	if lock, err := d.TryLock("x.lock"); err == nil {
		lock.Close()
	}
	d.Holder("x.lock")
}

func TestNames(t *testing.T) {
	t.Parallel()
	d, project := newStore(t)
	before := snapshot(t, project)
	for _, name := range []string{"", ".", "..", "../x", "a/../b", "/etc/passwd", "a//b", "a/", "a b", "a\x00b", "ä",
		"a:b", strings.Repeat("x", 10<<10),
		stateName, lockName, journalName, tempState, "docs/x"} {
		if err := d.WriteFile(name, nil); err == nil {
			t.Errorf("%.40q was written", name)
		}
		if _, err := d.Append(name); err == nil {
			t.Errorf("%.40q was opened", name)
		}
		if err := d.Remove(name); err == nil {
			t.Errorf("%.40q was removed", name)
		}
	}
	same(t, before, snapshot(t, project))
	if got, want := d.Path("..", "..", "x"), filepath.Join(project, ".ferrus", "x"); got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

// The advice in the error works: move the file away, and init makes a new state without deleting
// anything of the old one.
func TestDamagedStateMovedAway(t *testing.T) {
	t.Parallel()
	d, project := newStore(t)
	for range 3 {
		update(t, d, Call{}, func(tx *Tx[world]) error { tx.SetText("TASK.md", "old"); return step(tx) })
	}
	if err := os.Rename(d.Path(stateName), filepath.Join(project, "moved")); err != nil {
		t.Fatal(err)
	}
	d, err := Create(context.Background(), project, world{State: "Idle", By: map[string]int{}})
	if err != nil {
		t.Fatal(err)
	}
	if out := update(t, d, Call{}, step); out.State.Seq != 1 || len(d.lines(t)) != 1 {
		t.Fatalf("seq %d, %d lines", out.State.Seq, len(d.lines(t)))
	}
	if text := lost(t, d, "docs") + "/000001-TASK.md"; string(d.get(t, text)) != "old" {
		t.Fatalf("%s does not hold the old text", text)
	}
	if lines := string(d.get(t, lost(t, d, journalName))); strings.Count(lines, "\n") != 3 {
		t.Fatalf("the journal that was set aside is %q, want three lines", lines)
	}
}

func TestFerrusVanishes(t *testing.T) {
	t.Parallel()
	d, project := newStore(t)
	update(t, d, Call{}, step)
	if err := os.RemoveAll(d.root); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Update(context.Background(), Call{}, step); !errors.Is(err, ErrNone) {
		t.Fatal(err)
	}
	if _, err := Create(context.Background(), project, world{By: map[string]int{}}); err != nil {
		t.Fatal(err)
	}
	if out := update(t, d, Call{}, step); out.State.Seq != 1 {
		t.Fatalf("seq %d", out.State.Seq)
	}
}

// A lock in a directory that vanished during the wait does not count as a lock.
func TestFerrusVanishesWhileTheLockIsWaitedFor(t *testing.T) {
	t.Parallel()
	d, project := newStore(t)
	done := make(chan error, 1)
	_, err := d.Update(context.Background(), Call{}, func(tx *Tx[world]) error {
		go func() {
			_, err := d.Update(context.Background(), Call{}, step)
			done <- err
		}()
		// nothing to update on the way
		err := errors.Join(os.Remove(filepath.Join(d.root, stateName)), os.RemoveAll(d.root))
		// a waiting process has just written there
		for errors.Is(err, syscall.ENOTEMPTY) {
			err = os.RemoveAll(d.root)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Fatal("an update of nothing was accepted")
	}
	if files := snapshot(t, project); len(files) > 0 {
		t.Fatalf("there is %v now", files)
	}
}
