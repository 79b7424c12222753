package store

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// Steps stops a real disk before one of its changes: from the step at on, counted from 1, nothing
// changes any more, as if the process had been killed there. 0 never stops. It is exported for the
// test that runs the whole story.
type Steps struct {
	at int

	mu sync.Mutex // guards n
	n  int
}

// Dead reports whether the disk has stopped.
func (s *Steps) Dead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at > 0 && s.n >= s.at
}

// Taken returns how many steps were taken.
func (s *Steps) Taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// errDead is what a change meets after the end; no process is left to see it.
var errDead = os.ErrDeadlineExceeded

func (s *Steps) step() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	if s.at > 0 && s.n >= s.at {
		s.n = s.at
		return errDead
	}
	return nil
}

// OpenStepping opens a directory on the real disk that stops before its step at.
func OpenStepping[T any](project string, at int, heads ...Heads) (*Dir[T], *Steps, error) {
	d, err := newDir[T](filepath.Join(project, ".ferrus"), heads...)
	if err != nil {
		return nil, nil, err
	}
	steps := &Steps{at: at}
	d.disk = stepDisk{d.disk, steps}
	return d, steps, d.prepare()
}

type stepDisk struct {
	disk
	*Steps
}

func (d stepDisk) open() (folder, error) {
	f, err := d.disk.open()
	return stepFolder{f, d.Steps}, err
}

type stepFolder struct {
	folder
	*Steps
}

func (f stepFolder) create(name string) (file, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	return f.wrap(f.folder.create(name))
}

// edit makes a file where there is none; the journal always is.
func (f stepFolder) edit(name string) (file, error) { return f.wrap(f.folder.edit(name)) }

func (f stepFolder) wrap(opened file, err error) (file, error) {
	if err != nil {
		return nil, err
	}
	return stepFile{opened, f.Steps}, nil
}

func (f stepFolder) raw(name string, flag int) (*os.File, error) {
	if flag&os.O_CREATE != 0 {
		if err := f.step(); err != nil {
			return nil, err
		}
	}
	return f.folder.raw(name, flag)
}

func (f stepFolder) mkdir(name string) error {
	if _, err := f.folder.stat(name); err == nil {
		return f.folder.mkdir(name) // it is there: nothing changes
	}
	if err := f.step(); err != nil {
		return err
	}
	return f.folder.mkdir(name)
}

func (f stepFolder) rename(from, to string) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.folder.rename(from, to)
}

func (f stepFolder) link(from, to string) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.folder.link(from, to)
}

func (f stepFolder) remove(name string) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.folder.remove(name)
}

// together has one step after another, so that they can be counted.
func (f stepFolder) together(all ...func() error) error {
	for _, do := range all {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

func (f stepFolder) syncDir(dir string) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.folder.syncDir(dir)
}

type stepFile struct {
	file
	*Steps
}

// write writes only half before it dies, as a kill between two pages may.
func (f stepFile) write(data []byte, write func([]byte) (int, error)) (int, error) {
	first := !f.Dead()
	if err := f.step(); err != nil {
		n := 0
		if first {
			n, _ = write(data[:len(data)/2])
		}
		return n, err
	}
	return write(data)
}

func (f stepFile) Write(data []byte) (int, error) { return f.write(data, f.file.Write) }

func (f stepFile) WriteAt(data []byte, offset int64) (int, error) {
	return f.write(data, func(part []byte) (int, error) { return f.file.WriteAt(part, offset) })
}

func (f stepFile) Truncate(size int64) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.file.Truncate(size)
}

func (f stepFile) Sync() error {
	if err := f.step(); err != nil {
		return err
	}
	return f.file.Sync()
}

func (f stepFile) syncData() error {
	if err := f.step(); err != nil {
		return err
	}
	return f.file.syncData()
}

// IsBound reports whether the hash of a file is kept, for the test that damages them all.
func IsBound(name string) bool { return isBound(name) }

// WhyUnbound returns why a file may change without a report; empty if it may not.
func WhyUnbound(name string) string {
	for pattern, why := range unboundFiles {
		dir, whole := strings.CutSuffix(pattern, "/*")
		if ok, err := path.Match(pattern, name); err == nil && ok || whole && strings.HasPrefix(name, dir+"/") {
			return why
		}
	}
	return ""
}
