package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Bounds of an untracked cache: of more directories it remembers nothing.
const (
	maxDirectories = 1 << 16
	maxUnlisted    = 256 // without a file of the index
	maxLevels      = 4   // of directories without one, for each of which git is asked what it ignores
)

// errUnremembered means that an untracked cache cannot be relied on.
var errUnremembered = errors.New("what git found in the worktree is not known")

// Worktree is a worktree of which ferrus has an index of its own, [Git.Index], and an untracked cache: what
// git add --all found there besides files. As long as directories and ignore files are what they were, no file can
// have come or gone that git would add. It is what git's own untracked cache is to git status:
// https://git-scm.com/docs/index-format#_untracked_cache
type Worktree struct {
	Top    string   // the directory that git works in
	Hidden string   // what git never adds, below it, with slashes; empty: nothing
	Cache  string   // the file of the untracked cache
	Clock  *os.File // beside the cache, on the worktree's file system: its times are changed
	// Excludes are all patterns that are in force besides those in .gitignore files.
	Excludes []byte
}

// untracked is the content of an untracked cache.
type untracked struct {
	of          string // the worktree and the excludes, as a hash
	names       string // of the files in the index, as a hash
	directories []seen
	ignoreFiles []seen
	ignored     []string // files in the index, and directories without such files, that are ignored
}

// seen is what a directory or an ignore file was while git added files.
type seen struct {
	path   string // below the top, with slashes; empty: the top
	status string // what changes with it
	names  string // of a directory: a hash of what is in it
}

// statusOf returns what changes with a file or directory, and when it changed last by the clock of its file system.
func statusOf(name string) (status string, st unix.Stat_t, err error) {
	if err = unix.Lstat(name, &st); err != nil {
		return "", st, &fs.PathError{Op: "lstat", Path: name, Err: err}
	}
	return strings.Join([]string{
		strconv.FormatUint(uint64(st.Dev), 36), strconv.FormatUint(st.Ino, 36), strconv.FormatUint(uint64(st.Mode), 36),
		strconv.FormatInt(st.Size, 36), strconv.FormatInt(st.Mtim.Nano(), 36), strconv.FormatInt(st.Ctim.Nano(), 36),
	}, " "), st, nil
}

// Now returns the present time by the clock of the worktree's file system, in whatever steps that counts.
func (w Worktree) Now() (int64, error) {
	clock := int(w.Clock.Fd())
	var st unix.Stat_t
	err := errors.Join(unix.Futimes(clock, make([]unix.Timeval, 2)), unix.Fstat(clock, &st))
	return st.Ctim.Nano(), err
}

// file returns the file of a path.
func (w Worktree) file(name string) string { return filepath.Join(w.Top, filepath.FromSlash(name)) }

// identity returns a hash of which worktree it is, and of the excludes.
func (w Worktree) identity() string {
	sum := sha256.New()
	for _, part := range []string{w.Top, w.Hidden, string(w.Excludes)} {
		sum.Write([]byte(strconv.Itoa(len(part)) + " " + part))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// namesOf returns a hash of the names of files.
func namesOf(entries []TreeEntry) string {
	sum := sha256.New()
	var name []byte
	for _, e := range entries {
		name = append(append(name[:0], e.Path...), 0)
		sum.Write(name)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// list returns a hash of the names and kinds of what is in a directory, and the directories inside.
func (w Worktree) list(dir string) (names string, inside []string, ignores bool, err error) {
	entries, err := os.ReadDir(w.file(dir))
	if err != nil {
		return "", nil, false, err
	}
	sum := sha256.New()
	for _, e := range entries {
		sum.Write([]byte(e.Name() + "\x00" + e.Type().Type().String() + "\x00"))
		name := path.Join(dir, e.Name())
		switch {
		case dir == "" && e.Name() == ".git", name == w.Hidden && w.Hidden != "":
		case strings.EqualFold(e.Name(), ".git"): // Git looks into the repository that may be here.
			return "", nil, false, errUnremembered
		case e.Name() == ".gitignore" && !e.Type().IsRegular():
			return "", nil, false, errUnremembered
		case e.Name() == ".gitignore":
			ignores = true
		case e.IsDir():
			inside = append(inside, name)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), inside, ignores, nil
}

// holds reports whether git would find now what it found then, but for the content of files.
func (w Worktree) holds(u *untracked) bool {
	for _, f := range u.ignoreFiles {
		if now, _, err := statusOf(w.file(f.path)); err != nil || now != f.status {
			return false
		}
	}
	for _, d := range u.directories {
		now, st, err := statusOf(w.file(d.path))
		if err != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR {
			return false
		}
		if now == d.status {
			continue
		}
		// Files in it may have been replaced by others of the same names.
		if names, _, _, err := w.list(d.path); err != nil || names != d.names {
			return false
		}
	}
	return true
}

// Remember writes the untracked cache, after git add --all and with the index as it is now. Before is [Worktree.Now]
// from before git began, and ignored the files of the index that are ignored. Nothing is remembered of a
// worktree with repositories inside, in which a directory has changed since before, or on a file system that may not
// tell of such changes.
func (g Git) Remember(ctx context.Context, w Worktree, before int64, ignored []string) error {
	err := g.remember(ctx, w, before, ignored)
	if errors.Is(err, errUnremembered) || errors.Is(err, errIndex) {
		err = nil
	}
	return err
}

func (g Git) remember(ctx context.Context, w Worktree, before int64, ignored []string) error {
	x, err := readIndex(g.Index, g.Format)
	if err != nil {
		return err
	}
	tracked := map[string]bool{"": true} // directories that have a file of the index in them, at any depth
	for _, e := range x.entries {
		if e.Mode == ModeSubmodule {
			return errUnremembered
		}
		for dir := path.Dir(e.Path); dir != "." && !tracked[dir]; dir = path.Dir(dir) {
			tracked[dir] = true
		}
	}
	old, _ := w.read() // nil: there is none
	s := scan{Worktree: w, git: g, before: before, tracked: tracked, old: old}
	if err := s.scan(ctx); err != nil {
		return err
	}
	s.found.of, s.found.names = w.identity(), namesOf(x.entries)
	s.found.ignored = append(s.found.ignored, ignored...)
	return w.write(&s.found)
}

// scan is the way through a worktree.
type scan struct {
	Worktree
	git     Git
	before  int64
	tracked map[string]bool
	old     *untracked // what was remembered last; nil: nothing
	device  uint64
	found   untracked
}

// scan finds the directories that git looked into: all in which there is a file of the index, and of the others those
// that are not ignored.
func (s *scan) scan(ctx context.Context) error {
	_, st, err := statusOf(filepath.Dir(s.Cache))
	if err != nil {
		return err
	}
	if !tellsChanges(s.Top) {
		return errUnremembered
	}
	s.device = uint64(st.Dev)
	var unlisted []string
	next := []string{""}
	for level := 0; len(next) > 0; level++ {
		for len(next) > 0 {
			dir := next[len(next)-1]
			next = next[:len(next)-1]
			inside, err := s.visit(dir)
			if err != nil {
				return err
			}
			for _, name := range inside {
				if s.tracked[name] {
					next = append(next, name)
				} else {
					unlisted = append(unlisted, name)
				}
			}
		}
		if len(unlisted) > maxUnlisted || level > maxLevels {
			return errUnremembered
		}
		if next, err = s.unignored(ctx, unlisted); err != nil {
			return err
		}
		unlisted = nil
	}
	return nil
}

// visit remembers a directory, and returns those inside.
func (s *scan) visit(dir string) ([]string, error) {
	if len(s.found.directories) >= maxDirectories {
		return nil, errUnremembered
	}
	status, err := s.unchanged(dir)
	if err != nil {
		return nil, err
	}
	names, inside, ignores, err := s.list(dir)
	if err != nil {
		return nil, errUnremembered // Git could not read it either, or it has gone.
	}
	s.found.directories = append(s.found.directories, seen{dir, status, names})
	if ignores {
		name := path.Join(dir, ".gitignore")
		if status, err = s.unchanged(name); err != nil {
			return nil, err
		}
		s.found.ignoreFiles = append(s.found.ignoreFiles, seen{path: name, status: status})
	}
	// After it was listed it must still be what git saw.
	if again, err := s.unchanged(dir); err != nil || again != s.found.directories[len(s.found.directories)-1].status {
		return nil, errUnremembered
	}
	return inside, nil
}

// unchanged returns the status of what has not changed since git began.
func (s *scan) unchanged(name string) (string, error) {
	status, st, err := statusOf(s.file(name))
	if err != nil || uint64(st.Dev) != s.device || st.Ctim.Nano() >= s.before {
		return "", errUnremembered
	}
	return status, nil
}

// unignored returns those of some directories without files of the index that are not ignored.
func (s *scan) unignored(ctx context.Context, dirs []string) (rest []string, err error) {
	if len(dirs) == 0 {
		return nil, nil
	}
	ignored := map[string]bool{}
	if s.old != nil && s.old.of == s.identity() && slices.Equal(s.old.ignoreFiles, s.found.ignoreFiles) {
		for _, name := range s.old.ignored {
			ignored[name] = strings.HasSuffix(name, "/")
		}
	}
	unknown := slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool { return ignored[dir+"/"] })
	if len(unknown) > 0 {
		names := strings.NewReader(strings.Join(unknown, "\x00") + "\x00")
		out, _, err := s.git.Run(ctx, names, "check-ignore", "-z", "--stdin")
		if failed := (*Failed)(nil); err != nil && (!errors.As(err, &failed) || failed.Exit != 1) {
			return nil, err // It exits with 1 where nothing is ignored.
		}
		for name := range strings.SplitSeq(out, "\x00") {
			ignored[name+"/"] = true
		}
	}
	for _, dir := range dirs {
		if ignored[dir+"/"] {
			s.found.ignored = append(s.found.ignored, dir+"/")
		} else {
			rest = append(rest, dir)
		}
	}
	return rest, nil
}

// write replaces the untracked cache: a hash of the rest, then each part with a NUL behind it.
func (w Worktree) write(u *untracked) error {
	var b bytes.Buffer
	put := func(parts ...string) {
		for _, part := range parts {
			b.WriteString(part)
			b.WriteByte(0)
		}
	}
	put(u.of, u.names, strconv.Itoa(len(u.directories)), strconv.Itoa(len(u.ignoreFiles)))
	for _, s := range slices.Concat(u.directories, u.ignoreFiles) {
		put(s.path, s.status, s.names)
	}
	put(u.ignored...)
	sum := sha256.Sum256(b.Bytes())
	return replace(w.Cache, append([]byte(hex.EncodeToString(sum[:])+"\n"), b.Bytes()...))
}

// read returns the untracked cache.
func (w Worktree) read() (*untracked, error) {
	data, err := readFile(w.Cache)
	if err != nil {
		return nil, err
	}
	head, rest, _ := bytes.Cut(data, []byte("\n"))
	if sum := sha256.Sum256(rest); string(head) != hex.EncodeToString(sum[:]) {
		return nil, errUnremembered
	}
	parts := strings.Split(string(rest), "\x00")
	if len(parts) < 5 {
		return nil, errUnremembered
	}
	u := &untracked{of: parts[0], names: parts[1]}
	directories, err := strconv.Atoi(parts[2])
	ignoreFiles, wrong := strconv.Atoi(parts[3])
	parts = parts[4 : len(parts)-1]
	if err != nil || wrong != nil || min(directories, ignoreFiles) < 0 || len(parts)/3 < directories+ignoreFiles {
		return nil, errUnremembered
	}
	all := make([]seen, directories+ignoreFiles)
	for i := range all {
		all[i] = seen{parts[3*i], parts[3*i+1], parts[3*i+2]}
	}
	u.directories, u.ignoreFiles = all[:directories], all[directories:]
	u.ignored = parts[3*len(all):]
	return u, nil
}
