package conductor_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/conductor/notice"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/session"
	"ferrus/machine"
	"ferrus/store"
	"ferrus/store/longtest"
)

// A fault of the disk below .ferrus is reported in one sentence and loses nothing of the
// state; once it is over, the task continues by itself.
func TestDiskFallsIll(t *testing.T) {
	for name, illness := range map[string]struct {
		prepare, strike, heal func(*fixture)
		says                  string
		unreadable            bool
	}{
		"vanished": {func(*fixture) {}, vanish, comeBack, "there is no .ferrus/STATE.json", true},
		"full":     {ownDisk, fill, unfill, "no space left on device", false},
		"read-only": {func(*fixture) {}, func(s *fixture) {
			s.mount("mount", "--bind", s.ferrus(), s.ferrus())
			s.mount("mount", "-o", "remount,bind,ro", s.ferrus())
		}, func(s *fixture) { s.mount("mount", "-o", "remount,bind,rw", s.ferrus()) }, "read-only file system", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t, "hang")
			s.willChangePart()
			illness.prepare(s)
			s.task()
			c := s.start()
			defer s.close(c, false)
			v := s.wait(c, "a running executor, and no run of the checks beside it", func(v conductor.View) bool {
				gates, err := filepath.Glob(filepath.Join(s.ferrus(), "run", "gate.[jg]*")) // their removal frees room
				return running(v) && !gate.BaseWanted(s.p, v.State.World) && err == nil && len(gates) == 0
			})
			before := s.state()
			illness.strike(s)
			s.kill(v)
			s.play("work")
			v = s.wait(c, "problem", func(v conductor.View) bool {
				if name == "full" {
					fill(s) // what a session removes at its end frees room
				}
				return v.StateError != "" && v.Panes[0].PID == 0
			})
			if !strings.Contains(v.StateError, illness.says) || strings.Contains(v.StateError, "\n") ||
				v.State.World.State != "Executing" {
				t.Errorf("%s: %s", v.State.World.State, v.StateError)
			}
			if hint := "; free disk space"; strings.HasSuffix(v.StateError, hint) != (name == "full") {
				t.Errorf("%q, %q behind it only if it is full", v.StateError, hint)
			}
			_, err := c.Do(t.Context(), core.Command{Kind: "hold", Text: "stop"})
			if err == nil || !strings.Contains(err.Error(), illness.says) {
				t.Errorf("a command is answered: %v", err)
			}
			if !illness.unreadable && s.state() != before {
				t.Error("STATE.json has changed")
			}
			illness.heal(s)
			v = s.wait(c, "Complete", complete)
			if v.StateError != "" || v.Panes[0].State == session.Stopped {
				t.Errorf("an error or a stopped session: %s", describe(v))
			}
			done := slices.DeleteFunc(slices.Clone(v.Journal), func(e store.Entry) bool {
				return e.Event == "base_red"
			})
			if len(done) != 7 {
				t.Errorf("something was done twice: %s", describe(v))
			}
			if e, err := s.p.Store.Examine(); err != nil || !e.IsIntact() {
				t.Errorf("the examination is %+v, %v; want an intact record", e, err)
			}
		})
	}
}

// Something else where ferrus keeps its locks and the files of a session is a fault of the disk, too: nothing starts,
// and ferrus run ends. Once it is removed, the task continues.
func TestSomethingElseIsInThePlaceOfFiles(t *testing.T) {
	longtest.OnlyCI(t) // sessions, with the pause before the disk is tried again
	link := func(name string) error { return os.Symlink(name+".away", name) }
	file := func(name string) error { return os.WriteFile(name, nil, 0o600) }
	for name, c := range map[string]struct {
		of      string
		replace func(name string) error
	}{
		"a link for run": {"run", link}, "a file for run": {"run", file}, "a file for checks": {"checks", file},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t, "hang")
			s.willChangePart()
			s.task()
			conducted := s.start()
			defer s.close(conducted, false)
			v := s.wait(conducted, "a running executor", running)
			file := filepath.Join(s.ferrus(), c.of)
			s.rename(file, file+".away")
			if err := c.replace(file); err != nil {
				t.Fatal(err)
			}
			s.play("work")
			s.kill(v)
			v = s.wait(conducted, "a problem", func(v conductor.View) bool { return v.StateError != "" })
			if !strings.Contains(v.StateError, file) {
				t.Error(v.StateError)
			}
			s.rename(file, file+".other")
			s.rename(file+".away", file)
			s.wait(conducted, "Complete", complete)
		})
	}
}

// A hold that an agent keeps from being recorded is in force.
func TestHoldIsNotRecorded(t *testing.T) {
	longtest.OnlyCI(t) // three sessions, with the pauses between them
	s := newFixture(t, "exit")
	s.task()
	c := s.start()
	defer s.close(c, false)
	s.wait(c, "a session", func(v conductor.View) bool { return len(v.Panes) > 0 && v.Panes[0].Session > 0 })
	lock := s.ferrus() + "/STATE.lock"
	s.rename(lock, lock+".away")
	if err := os.Mkdir(lock, 0o700); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "the reason of a hold", func(v conductor.View) bool {
		return slices.ContainsFunc(v.Notices, func(n notice.Notice) bool {
			return strings.Contains(n.Text, "3 times without finishing")
		})
	})
	s.rename(lock, lock+".directory")
	s.rename(lock+".away", lock)
	v := s.wait(c, "a hold", held)
	if n := v.Panes[0].Session; n != 3 {
		t.Errorf("%d sessions, want 3", n)
	}
}

// Another .ferrus in the place of the previous one is the one that counts, and the
// conductor holds its lock.
func TestFerrusIsMadeAgain(t *testing.T) {
	s := newFixture(t, "hang")
	s.willChangePart()
	s.task()
	c := s.start()
	defer s.close(c, false)
	s.wait(c, "a running executor", running)
	vanish(s)
	v := s.wait(c, "problem", func(v conductor.View) bool { return v.StateError != "" })
	err := c.Want(core.Request{Kind: core.ModeSpec, Role: machine.Supervisor})
	if err == nil || err.Error() != v.StateError {
		t.Errorf("a session that cannot start is refused with %v, want %s", err, v.StateError)
	}
	if _, err := store.Create(t.Context(), s.p.Dir, core.New(time.Now())); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "Idle", func(v conductor.View) bool {
		return v.StateError == "" && v.State.World.State == "Idle" && v.Panes[0].PID == 0
	})
	if _, err := conductor.Start(t.Context(), s.p, conductor.Options{}, nil); !errors.As(err, new(*store.LockedError)) {
		t.Errorf("a second conductor: %v", err)
	}
	s.play("work")
	s.task()
	v = s.wait(c, "Complete", complete)
	if len(v.Journal) == 0 || v.Journal[0].Seq != 1 {
		t.Errorf("the journal does not start with event 1: %s", describe(v))
	}
}

func (s *fixture) ferrus() string { return filepath.Join(s.p.Dir, ".ferrus") }

func (s *fixture) state() string {
	s.Helper()
	data, err := os.ReadFile(filepath.Join(s.ferrus(), "STATE.json"))
	if err != nil {
		s.Fatal(err)
	}
	return string(data)
}

// kill ends the executor.
func (s *fixture) kill(v conductor.View) {
	s.Helper()
	if err := syscall.Kill(v.Panes[0].PID, syscall.SIGKILL); err != nil {
		s.Fatal(err)
	}
}

func vanish(s *fixture)   { s.rename(s.ferrus(), s.ferrus()+".away") }
func comeBack(s *fixture) { s.rename(s.ferrus()+".away", s.ferrus()) }

func (s *fixture) rename(from, to string) {
	s.Helper()
	if err := os.Rename(from, to); err != nil {
		s.Fatal(err)
	}
}

// mount runs a command about disks, or skips where that may not be done.
func (s *fixture) mount(name string, args ...string) {
	s.Helper()
	if os.Geteuid() != 0 {
		s.Skip("mount: it needs root")
	}
	if out, err := command(s.T, name, args...); err != nil {
		s.Skipf("mount: it is not allowed here: %s", bytes.TrimSpace(out))
	}
	s.Cleanup(func() { syscall.Unmount(s.ferrus(), 2) }) // MNT_DETACH: also while something has it open
}

// ownDisk puts .ferrus on a small disk of its own.
func ownDisk(s *fixture) {
	vanish(s)
	if err := os.Mkdir(s.ferrus(), 0o700); err != nil {
		s.Fatal(err)
	}
	s.mount("mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "none", s.ferrus())
	if out, err := command(s.T, "cp", "-a", s.ferrus()+".away/.", s.ferrus()); err != nil {
		s.Fatalf("%v: %s", err, out)
	}
}

func ballast(s *fixture) string { return filepath.Join(s.ferrus(), "logs", "ballast") }

// fill leaves no room on the disk.
func fill(s *fixture) {
	file, err := os.OpenFile(ballast(s), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		s.Fatal(err)
	}
	defer file.Close()
	for page := make([]byte, 4096); err == nil; {
		_, err = file.Write(page)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		s.Fatal(err)
	}
}

func unfill(s *fixture) {
	if err := os.Remove(ballast(s)); err != nil {
		s.Fatal(err)
	}
}

// A journal that is damaged while nothing happens is reported at once.
func TestAJournalIsDamagedMeanwhile(t *testing.T) {
	s := newFixture(t, "hang")
	s.task()
	c := s.start()
	defer s.close(c, false)
	// A commit that had begun would put the journal right.
	s.wait(c, "a running executor, and what the checks found before the task", func(v conductor.View) bool {
		return running(v) && v.State.World.Task.Base.Red != ""
	})
	if err := os.Truncate(filepath.Join(s.ferrus(), "journal.jsonl"), 100); err != nil {
		t.Fatal(err)
	}
	v := s.wait(c, "the damage", func(v conductor.View) bool { return v.StateError != "" })
	if !strings.Contains(v.StateError, "journal.jsonl is damaged") {
		t.Error(v.StateError)
	}
}
