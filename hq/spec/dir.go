package spec

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"ferrus/checks/regular"
)

// MaxBytes is the maximal size of a specification: far more than anyone writes, and little
// enough to be read each time.
const MaxBytes = 1 << 20

// Dir is the directory of a project's specifications.
type Dir struct {
	Project   string // absolute
	Directory string // below Project: [spec] directory
}

// List reads every specification in the directory itself, sorted by path. One that cannot
// be read is listed with its problem. A directory that does not exist is empty.
func (s Dir) List() ([]Spec, error) {
	root, err := os.OpenRoot(s.Project)
	if err != nil {
		return nil, fmt.Errorf("list specifications: %w", err)
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), path.Clean(filepath.ToSlash(s.Directory)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list specifications: %w", err)
	}
	var all []Spec
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".md") || e.IsDir() {
			continue
		}
		name := path.Join(filepath.ToSlash(s.Directory), e.Name())
		text, err := read(root, name)
		if err != nil {
			all = append(all, Spec{Path: name, Problems: []Problem{{1, "it cannot be read: " + err.Error()}}})
			continue
		}
		all = append(all, Parse(name, text))
	}
	return all, nil
}

// Read reads the specification at a path below the project. If it was moved or deleted,
// the error is fs.ErrNotExist and says what to do.
func (s Dir) Read(name string) (Spec, error) {
	root, err := os.OpenRoot(s.Project)
	if err != nil {
		return Spec{}, fmt.Errorf("read specification: %w", err)
	}
	defer root.Close()
	text, err := read(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return Spec{},
			fmt.Errorf("the specification %s is gone: it was moved or deleted; choose another with /milestones, or "+
				"none with /reset-spec: %w", name, fs.ErrNotExist)
	}
	if err != nil {
		return Spec{}, fmt.Errorf("read specification %s: %w", name, err)
	}
	return Parse(name, text), nil
}

// ReadText returns the text of the specification at a path below the project.
func (s Dir) ReadText(name string) (string, error) {
	root, err := os.OpenRoot(s.Project)
	if err != nil {
		return "", err
	}
	defer root.Close()
	return read(root, name)
}

// Milestone reads one milestone of a specification without problems.
func (s Dir) Milestone(name, id string) (Spec, Milestone, error) {
	read, err := s.Read(name)
	if err != nil {
		return read, Milestone{}, err
	}
	if err := read.Err(); err != nil {
		return read, Milestone{}, err
	}
	m, ok := read.Find(id)
	if !ok {
		return read, m,
			fmt.Errorf("%s no longer has a milestone with the ID %s: choose another with /milestones, or none with "+
				"/reset-spec", name, id)
	}
	return read, m, nil
}

// read reads a text file; anything else, or a file over MaxBytes, is an error.
func read(root *os.Root, name string) (string, error) {
	file, err := regular.OpenIn(root, filepath.FromSlash(name))
	if errors.Is(err, regular.ErrKind) {
		return "", errors.New("it is not a file")
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err == nil {
		err = CheckText(string(data))
	}
	if err != nil {
		return "", err
	}
	return string(data), nil
}

// CheckText returns why a text could not be read again as a specification; nil: it could.
func CheckText(text string) error {
	switch {
	case len(text) > MaxBytes:
		return fmt.Errorf("it is over %d KiB", MaxBytes>>10)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return errors.New("it is not text")
	}
	return nil
}

// Create writes a text to a new file, named after the day in UTC and the title, and
// returns its path. It replaces no file and never writes outside the project. If the
// file last has this text already, it returns last.
func (s Dir) Create(text, last string, now time.Time) (string, error) {
	root, err := os.OpenRoot(s.Project)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if before, err := read(root, last); err == nil && before == text {
		return last, nil
	}
	if err := regular.MakeDir(s.Project, s.Directory); err != nil {
		return "", err
	}
	base := now.UTC().Format(time.DateOnly) + "-" + slug(Parse("", text).Title)
	for n := 1; ; n++ {
		name := path.Join(filepath.ToSlash(s.Directory), base+".md")
		if n > 1 {
			name = path.Join(filepath.ToSlash(s.Directory), fmt.Sprintf("%s-%d.md", base, n))
		}
		if err := write(root, name, text, 0o644); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// Tick ticks the box of a milestone and reports whether it was open. Nothing else in the
// file changes, and a crash leaves it unchanged or ticked.
func (s Dir) Tick(name, id string) (bool, error) {
	_, m, err := s.Milestone(name, id)
	if err != nil || m.Done {
		return false, err
	}
	root, err := os.OpenRoot(s.Project)
	if err != nil {
		return false, fmt.Errorf("tick %s: %w", id, err)
	}
	defer root.Close()
	if err := tick(root, name, m); err != nil {
		return false, fmt.Errorf("tick %s in %s: %w", id, name, err)
	}
	return true, nil
}

// Ticked returns the text of a specification with the box of a milestone ticked; false if it
// has no such box that is open.
func Ticked(name, text, id string) (string, bool) {
	m, ok := Parse(name, text).Find(id)
	if !ok || m.Done {
		return text, false
	}
	return text[:m.box] + "x" + text[m.box+1:], true
}

func tick(root *os.Root, name string, m Milestone) error {
	name, err := regular.Resolve(root, name)
	if err != nil {
		return err
	}
	info, err := root.Stat(name)
	if err != nil {
		return err
	}
	text, err := read(root, name)
	if err != nil {
		return err
	}
	ticked, ok := Ticked(name, text, m.ID)
	if !ok {
		return err // another process was faster
	}
	draft := path.Join(path.Dir(name), ".ferrus-"+path.Base(name))
	if err := root.Remove(draft); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := write(root, draft, ticked, info.Mode().Perm()); err != nil {
		return errors.Join(err, root.Remove(draft))
	}
	if err := root.Rename(draft, name); err != nil {
		return errors.Join(err, root.Remove(draft))
	}
	return flush(root, path.Dir(name))
}

// write makes a new file, durably.
func write(root *os.Root, name, text string, mode fs.FileMode) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Sync(), file.Close(), flush(root, path.Dir(name)))
}

func flush(root *os.Root, name string) error {
	folder, err := root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// slug returns a title as part of a file name.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	name := strings.Join(words, "-")
	if len(name) > 80 {
		name = strings.TrimRight(name[:80], "-")
	}
	if name == "" {
		return "spec"
	}
	return name
}
