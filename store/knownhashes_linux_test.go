package store

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// countingDisk counts the files below archive and checks that are opened.
type countingDisk struct {
	osDisk
	opened *atomic.Int64
}

type countingFolder struct {
	osFolder
	opened *atomic.Int64
}

func (d countingDisk) open() (folder, error) {
	f, err := d.osDisk.open()
	if err != nil {
		return nil, err
	}
	return countingFolder{f.(osFolder), d.opened}, nil
}

func (f countingFolder) open(name string) (file, error) {
	if strings.HasPrefix(name, archiveDir+"/") || strings.HasPrefix(name, checksDir+"/") {
		f.opened.Add(1)
	}
	return f.osFolder.open(name)
}

// knownStore returns a store with an archived task and records of checks, which reads none of them again to verify
// them, if its file system tells changes. Before is called when they are written.
func knownStore(t *testing.T, before func(*Dir[world])) *Dir[world] {
	t.Helper()
	d := diskStore(t)
	opened := new(atomic.Int64)
	d.disk = countingDisk{d.disk.(osDisk), opened}
	ok(t, d.WriteFile("checks/1.json", []byte("archived\n")))
	for _, archive := range []bool{false, true} {
		update(t, d, Call{}, func(tx *Tx[world]) error {
			if archive {
				tx.Archive("t-1")
			}
			tx.SetText("TASK.md", fmt.Sprintf("the task, archived: %v\n", archive))
			return step(tx)
		})
	}
	ok(t, d.WriteFile("checks/2.json", []byte("present\n")))
	before(d)
	awaitVersion(t, d, "checks/2.json")
	awaitVersion(t, d, "archive/t-1")
	ok(t, d.Verify(t.Context()))
	opened.Store(0)
	ok(t, d.Verify(t.Context()))
	if n := opened.Load(); n != 0 && tellsChanges(t, d) {
		t.Fatalf("verifying the record again opens %d files", n)
	}
	return d
}

// diskStore returns a store on a disk: t.TempDir is in memory.
func diskStore(t *testing.T) *Dir[world] {
	t.Helper()
	project, err := os.MkdirTemp("/var/tmp", "ferrus-store-")
	ok(t, err)
	t.Cleanup(func() { ok(t, os.RemoveAll(project)) })
	d, err := Create(t.Context(), project, world{State: "Idle", By: map[string]int{}})
	ok(t, err)
	return d
}

// tellsChanges reports whether the store is on a file system that tells changes.
func tellsChanges(t *testing.T, d *Dir[world]) bool {
	t.Helper()
	f, err := osDisk(d.root).open()
	ok(t, err)
	defer f.Close()
	dir := f.(osFolder).openVersioned(".")
	defer dir.Close() // nil too
	return dir != nil
}

// awaitVersion returns when the last change of a file or directory, if it is there, is so old that it has a version.
func awaitVersion(t *testing.T, d *Dir[world], name string) {
	t.Helper()
	f, err := osDisk(d.root).open()
	ok(t, err)
	defer f.Close()
	for began := time.Now(); tellsChanges(t, d) && len(versionsOf(f, []string{name}, false)) == 0; {
		if _, err := f.stat(name); err != nil {
			return
		}
		if time.Since(began) > 10*time.Second {
			t.Fatalf("%s has no version", name)
		}
	}
}

// A process that verifies a record again reads what has changed, however that was done.
func TestVerifyFindsEachChange(t *testing.T) {
	t.Parallel()
	inPlace := func(name, text string) error {
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = file.WriteAt([]byte(text), 0)
		return errors.Join(err, file.Close())
	}
	for how, change := range map[string]func(name string, was os.FileInfo) error{
		"in place": func(name string, _ os.FileInfo) error { return inPlace(name, "X") },
		"in place, with the old time": func(name string, was os.FileInfo) error {
			return errors.Join(inPlace(name, "X"), os.Chtimes(name, was.ModTime(), was.ModTime()))
		},
		"replaced": func(name string, was os.FileInfo) error {
			data, err := os.ReadFile(name)
			data[0]++
			return errors.Join(err, os.WriteFile(name+"~", data, was.Mode()),
				os.Chtimes(name+"~", was.ModTime(), was.ModTime()), os.Rename(name+"~", name))
		},
		"longer":  func(name string, was os.FileInfo) error { return os.Truncate(name, was.Size()+1) },
		"removed": func(name string, _ os.FileInfo) error { return os.Remove(name) },
		"another file": func(name string, _ os.FileInfo) error {
			return os.WriteFile(filepath.Join(filepath.Dir(name), "9.json"), []byte("x"), 0o600)
		},
	} {
		for _, name := range []string{"checks/2.json", "archive/t-1/TASK.md", "archive/t-1/checks/1.json"} {
			t.Run(how+" "+path.Dir(name), func(t *testing.T) {
				t.Parallel()
				d := knownStore(t, func(*Dir[world]) {})
				was, err := os.Stat(d.Path(name))
				ok(t, err)
				ok(t, change(d.Path(name), was))
				awaitVersion(t, d, name)
				if err := d.Verify(t.Context()); !errors.As(err, new(*DamagedError)) {
					t.Errorf("Verify returns %v for %s, changed: %s", err, name, how)
				}
			})
		}
	}
}

// A change through a mapping that was there before the file was read changes no time by itself.
func TestVerifyFindsAChangeThroughAMapping(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it writes many states")
	}
	for _, name := range []string{"checks/2.json", "archive/t-1/TASK.md"} {
		var mapped []byte
		d := knownStore(t, func(d *Dir[world]) {
			file, err := os.OpenFile(d.Path(name), os.O_RDWR, 0)
			ok(t, err)
			defer file.Close()
			mapped, err = unix.Mmap(int(file.Fd()), 0, 4, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
			ok(t, err)
			mapped[0]++
			mapped[0]-- // The page is dirty, and has what it had.
		})
		defer unix.Munmap(mapped) //nolint:errcheck // the process ends
		mapped[0]++
		awaitVersion(t, d, name)
		if err := d.Verify(t.Context()); !errors.As(err, new(*DamagedError)) {
			t.Errorf("Verify returns %v for %s, changed through a mapping", err, name)
		}
	}
}

// Two changes within a step of the clock have the same time, so a file that has just changed has no version.
func TestANewFileHasNoVersion(t *testing.T) {
	t.Parallel()
	d := diskStore(t)
	f, err := osDisk(d.root).open()
	ok(t, err)
	defer f.Close()
	ok(t, d.WriteFile("checks/2.json", []byte("present\n")))
	for _, sync := range []bool{false, true} {
		// On a slow machine it may not be new any more.
		hasNone := func() bool {
			ok(t, os.WriteFile(d.Path("checks/2.json"), []byte("present\n"), 0o600))
			return len(versionsOf(f, []string{"checks/2.json", "checks"}, sync)) == 0
		}
		if !slices.ContainsFunc(make([]int, 100), func(int) bool { return hasNone() }) {
			t.Errorf("a file that has just been written has a version, with sync: %v", sync)
		}
	}
}
