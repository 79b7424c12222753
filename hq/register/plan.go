package register

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// loaded is a file as it is on disk and as it is to be.
type loaded struct {
	name          string
	existed       bool
	was           []byte
	exists        bool
	now           []byte
	mode          fs.FileMode
	record        *file
	fresh, behind bool // the record is new; a backup lies behind
}

// open reads a file once, by the name it has without links.
func (w *work) open(name string) (*loaded, error) {
	real, err := resolve(w.Dir, name)
	if err != nil {
		return nil, err
	}
	for _, f := range w.files {
		if f.name == real {
			return f, nil
		}
	}
	f := &loaded{name: real, record: w.record.file(real), mode: 0o644}
	if err := f.read(w.Dir); err != nil {
		return nil, err
	}
	f.now, f.exists = f.was, f.existed
	if f.record == nil {
		f.record = &file{Name: real, Before: f.was, New: !f.existed}
		f.fresh = true
	} else if f.existed {
		f.record.rebase(f.was)
	}
	w.files = append(w.files, f)
	return f, nil
}

func (f *loaded) read(dir string) error {
	path := filepath.Join(dir, f.name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("read %s: %w", f.name, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("read %s: it is not a file", f.name)
	}
	if f.was, err = os.ReadFile(path); err != nil {
		return fmt.Errorf("read %s: %w", f.name, err)
	}
	f.existed, f.mode = true, info.Mode().Perm()
	_, err = os.Lstat(path + Backup)
	f.behind = err == nil
	return nil
}

// resolve is the name of a file without links. One that leads out of the project
// is refused: it is not the project's to change.
func resolve(dir, name string) (string, error) {
	path, rest := filepath.Join(dir, filepath.FromSlash(name)), ""
	for {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			inside, ok := below(dir, filepath.Join(real, rest))
			if !ok {
				return "", fmt.Errorf("edit %s: it is a link that leads out of the project", name)
			}
			return inside, nil
		}
		if _, err := os.Lstat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("edit %s: it cannot be followed to a file", name)
		}
		path, rest = filepath.Dir(path), filepath.Join(filepath.Base(path), rest)
	}
}

// Plan is what would be written. It is good as long as nobody changes the files.
type Plan struct {
	Changes []Change
	Entries []Entry
	before  []byte // record
	after   []byte
	removes bool
	empty   []string // directories that would be left
	dir     string
}

// Change is one file. A nil text means that there is none.
type Change struct {
	File          string
	Before, After []byte
	mode          fs.FileMode
}

// Verb says what is done to the file.
func (c Change) Verb() string {
	switch {
	case c.After == nil:
		return "removed"
	case c.Before == nil:
		return "created"
	}
	return "changed"
}

// plan compares what is with what is to be. Backups come before what they save.
func (w *work) plan(removes bool) (*Plan, error) {
	p := &Plan{Entries: w.entries, before: w.Record, removes: removes, dir: w.Dir}
	for _, f := range w.files {
		if f.existed == f.exists && bytes.Equal(f.was, f.now) {
			continue
		}
		c := Change{File: f.name, mode: f.mode}
		if f.existed {
			c.Before = some(f.was)
		}
		if f.exists {
			c.After = some(f.now)
		}
		if backup, err := w.backup(f, removes); err != nil {
			return nil, err
		} else if backup != nil {
			p.Changes = append(p.Changes, *backup)
		}
		if !removes && f.fresh {
			f.record.Dirs = missing(w.Dir, f.name)
			w.record.Files = append(w.record.Files, f.record)
		}
		if !f.exists {
			p.empty = append(p.empty, f.record.Dirs...)
		}
		p.Changes = append(p.Changes, c)
	}
	var err error
	p.after, err = w.record.write()
	return p, err
}

// some is a text that is there, even if it is empty.
func some(data []byte) []byte { return append([]byte{}, data...) }

// backup is the copy to make before the first edit of a file, or the one to take
// away when the file is what it was.
func (w *work) backup(f *loaded, removes bool) (*Change, error) {
	name := f.name + Backup
	switch {
	case !removes && f.fresh && f.existed && !f.behind:
		f.record.Backup = true
		return &Change{File: name, After: some(f.was), mode: f.mode}, nil
	case removes && f.record.Backup && f.behind:
		copied, err := os.ReadFile(filepath.Join(w.Dir, name))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if f.exists && bytes.Equal(copied, f.now) {
			return &Change{File: name, Before: some(copied), mode: f.mode}, nil
		}
	}
	return nil, nil
}

// missing are the directories that a file needs, the innermost first.
func missing(dir, name string) (all []string) {
	for d := filepath.Dir(name); d != "."; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(dir, d)); err == nil {
			break
		}
		all = append(all, filepath.ToSlash(d))
	}
	return all
}

// Text shows what would be written: the lines of each file that would change.
func (p *Plan) Text() string {
	var b strings.Builder
	for _, c := range p.Changes {
		switch {
		case strings.HasSuffix(c.File, Backup) && c.Before == nil:
			fmt.Fprintf(&b, "%s: a copy of %s\n", c.File, strings.TrimSuffix(c.File, Backup))
		case c.After == nil:
			fmt.Fprintf(&b, "%s: removed\n", c.File)
		default:
			fmt.Fprintf(&b, "%s:%s\n", c.File, map[bool]string{true: " new"}[c.Before == nil])
			difference(&b, lines(c.Before), lines(c.After))
		}
	}
	return b.String()
}

func lines(data []byte) []string { return slices.Collect(strings.Lines(string(data))) }

// difference shows removed and added lines, without those that stay.
func difference(b *strings.Builder, old, new []string) {
	for len(old) > 0 && len(new) > 0 && old[0] == new[0] {
		old, new = old[1:], new[1:]
	}
	for len(old) > 0 && len(new) > 0 && old[len(old)-1] == new[len(new)-1] {
		old, new = old[:len(old)-1], new[:len(new)-1]
	}
	longest := make([][]int, len(old)+1)
	for i := range longest {
		longest[i] = make([]int, len(new)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			if old[i] == new[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(old) || j < len(new); {
		switch {
		case i < len(old) && j < len(new) && old[i] == new[j]:
			i, j = i+1, j+1
		case i < len(old) && (j == len(new) || longest[i+1][j] >= longest[i][j+1]):
			fmt.Fprintf(b, "  - %s\n", strings.TrimRight(old[i], "\r\n"))
			i++
		default:
			fmt.Fprintf(b, "  + %s\n", strings.TrimRight(new[j], "\r\n"))
			j++
		}
	}
}
