package git

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Identity is what tells the git directory of a checkout from another one in its place.
type Identity struct {
	Top        string    `json:"top"` // of the checkout
	Dir        Directory `json:"dir"`
	Common     Directory `json:"common"`
	Alternates []string  `json:"alternates,omitempty"` // directories that it takes objects from
}

// Directory is a directory in the file system.
type Directory struct {
	Path  string `json:"path"` // without links
	Inode uint64 `json:"inode"`
	Born  int64  `json:"born,omitempty"` // in nanoseconds since 1970; 0: the file system does not say
}

// MovedError reports a git directory that is not the expected one. What it says would decide
// which objects are proven and where work lands, so no git command runs on it.
type MovedError struct {
	Top string // of the checkout
	Why string
}

func (e *MovedError) Error() string {
	return fmt.Sprintf("the git directory of %s is not the one that ferrus recorded: %s; if you did that, run: "+
		"ferrus trust", e.Top, e.Why)
}

// Identify returns the identity of the repository around a directory.
func Identify(dir string) (Identity, error) {
	r, err := locate(dir)
	if err != nil {
		return Identity{}, err
	}
	return r.identify()
}

func (r Repository) identify() (id Identity, err error) {
	id.Top = r.Top
	if id.Dir, err = IdentifyDirectory(r.Dir); err != nil {
		return id, err
	}
	if id.Common, err = IdentifyDirectory(r.Common); err != nil {
		return id, err
	}
	id.Alternates = Alternates(filepath.Join(r.Common, "objects"))
	return id, nil
}

// IdentifyDirectory returns the identity of a directory.
func IdentifyDirectory(path string) (d Directory, err error) {
	if d.Path, err = filepath.EvalSymlinks(path); err != nil {
		return d, fmt.Errorf("find the git directory: %w", err)
	}
	info, err := os.Stat(d.Path)
	if err != nil {
		return d, fmt.Errorf("find the git directory: %w", err)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		d.Inode = stat.Ino
	}
	d.Born = born(d.Path)
	return d, nil
}

// mostAlternates is how deep git follows the file alternates.
const mostAlternates = 5

// Alternates returns the directories that one of objects names, with what these name.
func Alternates(objects string) []string { return alternates(objects, 0) }

func alternates(objects string, depth int) (all []string) {
	data, err := readFile(filepath.Join(objects, "info", "alternates"))
	if err != nil || depth > mostAlternates {
		return nil
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimRight(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		dir := within(objects, line)
		all = append(all, dir)
		all = append(all, alternates(dir, depth+1)...)
	}
	return all
}

// expected has the identities that this process relies on, by the directories that it
// starts from.
var expected sync.Map

// Expect makes [Locate] refuse another git directory than this one, from a directory and from the
// top of its checkout. Where it is another one, again is asked whether the human has accepted
// that.
func Expect(dir string, id Identity, again func() (Identity, bool)) {
	e := expectation{dir, id, again}
	expected.Store(dir, e)
	expected.Store(id.Top, e)
}

type expectation struct {
	dir   string
	id    Identity
	again func() (Identity, bool)
}

// verify compares a repository with what is expected where it was looked for.
func (r Repository) verify(start string) error {
	found, ok := expected.Load(start)
	if !ok {
		found, ok = expected.Load(r.Top)
	}
	if !ok {
		return nil
	}
	e := found.(expectation)
	err := e.id.compare(r)
	if err == nil {
		return nil
	}
	if id, ok := e.again(); ok && id.compare(r) == nil {
		Expect(e.dir, id, e.again)
		return nil
	}
	return err
}

// compare returns an error if a repository is another one.
func (id Identity) compare(r Repository) error {
	now, err := r.identify()
	if err != nil {
		return err
	}
	if why := now.differs(id); why != "" {
		return &MovedError{Top: id.Top, Why: why}
	}
	return nil
}

// differs returns, in words, how an identity differs from the expected one; empty if it
// does not.
func (id Identity) differs(want Identity) string {
	switch {
	case id.Top != want.Top:
		return "there is another repository in " + id.Top
	case id.Dir.Path != want.Dir.Path:
		return "it is " + id.Dir.Path + ", and was " + want.Dir.Path
	case id.Common.Path != want.Common.Path:
		return "its objects and branches are in " + id.Common.Path + ", and were in " + want.Common.Path
	case id.Dir != want.Dir:
		return id.Dir.Path + " is a different directory than before"
	case id.Common != want.Common:
		return id.Common.Path + " is a different directory than before"
	case !slices.Equal(id.Alternates, want.Alternates):
		return "it takes objects from other directories (objects/info/alternates)"
	}
	return ""
}
