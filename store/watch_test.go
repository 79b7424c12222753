package store

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// until waits for notices until the state is the wanted one; the test's own time limit ends the
// wait.
func until(t *testing.T, changed <-chan struct{}, there func() bool) {
	t.Helper()
	for !there() {
		if _, ok := <-changed; !ok {
			t.Fatal("the watch ended")
		}
	}
}

func watching(t *testing.T, d *Dir[world], every time.Duration, also ...string) <-chan struct{} {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	changed, err := d.watch(ctx, every, also)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		for range changed {
		}
	})
	return changed
}

func isAt(d *Dir[world], seq uint64) func() bool {
	return func() bool {
		s, err := d.Load()
		return err == nil && s.Seq == seq
	}
}

func TestWatchSeesEveryChange(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	changed := watching(t, d, time.Hour) // without help of the poll
	for seq := range uint64(50) {
		until(t, changed, isAt(d, seq))
		update(t, d, Call{}, step)
	}
	until(t, changed, isAt(d, 50))
	if err := d.WriteFile("agents.json", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	<-changed
}

// A journal that becomes shorter, changes where it is, or goes, sends a notice.
func TestWatchSeesADamagedJournal(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	update(t, d, Call{}, step)
	name := d.Path(journalName)
	w := &watcher{root: d.root}
	w.grows()
	event := fsnotify.Event{Name: name, Op: fsnotify.Write}
	matters := func(what string, want bool, err error) {
		t.Helper()
		if got := w.matters(event); got != want || err != nil {
			t.Errorf("%s matters: %v, %v", what, got, err)
		}
	}
	update(t, d, Call{}, step)
	matters("a line more", false, nil)
	matters("a change where it is", true, os.Chtimes(name, time.Now(), time.Now()))
	matters("a shorter journal", true, os.Truncate(name, 10))
	matters("its removal", true, os.Remove(name))
}

// Other changes in the store send no notice.
func TestWatchIsQuietAboutTheRest(t *testing.T) {
	t.Parallel()
	w := &watcher{root: "/p/.ferrus"}
	for name, want := range map[string]bool{
		"STATE.json": true, "agents.json": true, "run/s.json": true, "run/s.in": true,
		"STATE.json.tmp": false, "STATE.lock": false, "TASK.md": false, "run": false,
		"LAST_SPEC_PATH": false, tempName(): false,
	} {
		if got := w.matters(fsnotify.Event{Name: filepath.Join(w.root, name), Op: fsnotify.Create}); got != want {
			t.Errorf("%s matters: %v", name, got)
		}
	}
	if w.matters(fsnotify.Event{Name: "/p/.ferrus/STATE.json", Op: fsnotify.Chmod}) {
		t.Error("a change of times matters")
	}
}

func TestWatchOfMore(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	changed := watching(t, d, time.Hour, "run")
	<-changed
	if err := d.WriteFile("run/s.json", nil); err != nil {
		t.Fatal(err)
	}
	<-changed
}

// TestWatchNeedsNoPoll for a directory that comes later.
func TestWatchNeedsNoPoll(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	changed := watching(t, d, time.Hour, "later")
	<-changed
	if err := os.Mkdir(d.Path("later"), 0o700); err != nil {
		t.Fatal(err)
	}
	<-changed // it is watched
	if err := os.WriteFile(filepath.Join(d.Path("later"), "s.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-changed
}

// TestWatchPollsWhereNoticesMayLack covers a store whose directory is gone, and one that only
// polls.
func TestWatchPollsWhereNoticesMayLack(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	if !sendsNotices(d.root) {
		t.Skip("the temporary directory is on a file system without notices")
	}
	info, err := os.Lstat(d.root)
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]fs.FileInfo{d.root: info}
	for _, c := range []struct {
		name string
		w    watcher
		want time.Duration
	}{
		{"watched", watcher{root: d.root, watched: there}, rarePolls * time.Second},
		{"gone", watcher{root: d.root}, time.Second},
		{"without notices", watcher{root: d.root, watched: there, pollOnly: true}, time.Second},
	} {
		if got := c.w.pause(time.Second); got != c.want {
			t.Errorf("%s: the next poll comes after %v, want %v", c.name, got, c.want)
		}
	}
}

func TestWatchSurvivesANewDirectory(t *testing.T) {
	t.Parallel()
	d, project := newStore(t)
	changed := watching(t, d, 10*time.Millisecond)
	for round := range 3 {
		if err := os.RemoveAll(d.root); err != nil {
			t.Fatal(err)
		}
		until(t, changed, func() bool { _, err := d.Load(); return err != nil })
		if _, err := Create(context.Background(), project, world{By: map[string]int{}}); err != nil {
			t.Fatal(err)
		}
		until(t, changed, isAt(d, 0))
		for seq := range uint64(round + 3) {
			update(t, d, Call{}, step)
			until(t, changed, isAt(d, seq+1))
		}
	}
}

// Where the system sends no notices, the poll sees changes, including renewals.
func TestWatchPolls(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	ctx, cancel := context.WithCancel(context.Background())
	w := &watcher{notices: &notices{}, pollOnly: true, watched: map[string]fs.FileInfo{}, root: d.root,
		dirs: []string{d.root}, changed: make(chan struct{}, 1), stat: d.statState}
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.run(ctx, time.Millisecond)
	}()
	defer func() { cancel(); <-done }()
	<-w.changed
	update(t, d, Call{}, step)
	until(t, w.changed, isAt(d, 1))
	update(t, d, Call{}, func(tx *Tx[world]) error { now := time.Now(); tx.World.Until = &now; tx.Renew(); return nil })
	until(t, w.changed, func() bool { s, err := d.Load(); return err == nil && s.World.Until != nil })
}

func TestWatchNeedsAStore(t *testing.T) {
	t.Parallel()
	d, err := newDir[world](filepath.Join(t.TempDir(), ".ferrus"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Watch(context.Background()); err == nil {
		t.Fatal("nothing is watched")
	}
}

// Temporary files of dead writers are removed, and those of a living one are not.
func TestTemporaryFilesAreSwept(t *testing.T) {
	t.Parallel()
	d, project := newStore(t)
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(d.root, "run", tempPrefix+itoa(gone.Process.Pid)+"-00")
	alive := filepath.Join(d.root, "run", tempPrefix+itoa(os.Getppid())+"-00")
	old := filepath.Join(d.root, "run", tempPrefix+itoa(os.Getppid())+"-01")
	for _, name := range []string{dead, alive, old, d.Path(tempState), d.Path("docs", "000009-TASK.md")} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	if _, err := Open[world](project); err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, name := range []string{dead, alive, old, d.Path(tempState), d.Path("docs", "000009-TASK.md")} {
		if _, err := os.Lstat(name); err == nil {
			left = append(left, name)
		}
	}
	if len(left) != 1 || left[0] != alive {
		t.Fatalf("left are %v", left)
	}
}
