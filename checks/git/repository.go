package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// ErrNoRepository means that the workspace is not inside a git worktree.
var ErrNoRepository = errors.New("this is not a git repository; make it one with: git init")

// Repository is where the parts of the user's repository are. It is found without
// git, because configuration can make git answer with another place.
type Repository struct {
	Top    string // of the worktree
	Dir    string // git directory of this worktree
	Common string // where objects and branches are
}

// Locate searches a directory and its parents for a repository. The error is
// [ErrNoRepository] if there is none, and a [*MovedError] if it is not the
// [Expect]ed one.
func Locate(start string) (Repository, error) {
	start = filepath.Clean(start)
	r, err := locate(start)
	if err == nil {
		err = r.verify(start)
	}
	return r, err
}

func locate(start string) (Repository, error) {
	for dir := filepath.Clean(start); ; dir = filepath.Dir(dir) {
		found := filepath.Join(dir, ".git")
		switch info, err := os.Stat(found); {
		case err == nil && info.IsDir():
			return complete(dir, found)
		case err == nil:
			linked, err := readLink(found)
			if err != nil {
				return Repository{}, err
			}
			return complete(dir, linked)
		}
		if dir == filepath.Dir(dir) {
			return Repository{}, ErrNoRepository
		}
	}
}

// readLink reads the file .git of a linked worktree or a submodule.
func readLink(file string) (string, error) {
	data, err := readFile(file)
	if err != nil {
		return "", fmt.Errorf("find the git directory: %w", err)
	}
	path, ok := strings.CutPrefix(string(data), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("find the git directory: %s does not name one", file)
	}
	return within(filepath.Dir(file), strings.TrimRight(path, "\n")), nil
}

func complete(top, gitDir string) (Repository, error) {
	l := Repository{Top: top, Dir: gitDir, Common: gitDir}
	data, err := readFile(filepath.Join(gitDir, "commondir"))
	if pipe := (*PipeError)(nil); errors.As(err, &pipe) {
		return l, err
	}
	if err == nil {
		l.Common = within(gitDir, strings.TrimRight(string(data), "\n"))
	}
	if _, err := os.Stat(filepath.Join(l.Common, "objects")); err != nil {
		return l, fmt.Errorf("%w (%s is not a git directory)", ErrNoRepository, gitDir)
	}
	return l, nil
}

func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// Git works on this repository, whatever it configures: git is given ferrus's own
// configuration, in which nothing is run. The programs that a repository, an agent or you
// have named (filters, drivers, hooks, helpers) are unknown to it.
func (r Repository) Git() Git {
	return Git{Dir: r.Top, Env: append(Environment(), "GIT_DIR="+r.Dir, "GIT_WORK_TREE="+r.Top), own: &r}
}

// Places returns a Git for commands about worktrees, which write where a worktree is: they
// must see the repository itself. They must look at no file of it, and so run nothing.
func (r Repository) Places() Git {
	return Git{Dir: r.Top, Env: append(Environment(), "GIT_DIR="+r.Common, "GIT_SSH_COMMAND=false",
		"GIT_ALLOW_PROTOCOL=none", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")}
}

// Around returns a Git that works on the repository around a directory; with the error of [Locate] in
// each call where there is none.
func Around(dir string) Git {
	r, err := Locate(dir)
	if err != nil {
		return Git{Dir: dir, Env: Environment(), fault: err}
	}
	g := r.Git()
	g.Dir = dir
	return g
}

// Sparse returns the options for git commands that change the files of a sparse checkout: with them git leaves
// out what you do. None: all files are checked out.
func (r Repository) Sparse(ctx context.Context) (options []string, err error) {
	if err := r.refusePipes(); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(r.Dir, "info", "sparse-checkout")); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	g := Git{Dir: r.Top, Env: append(Environment(), "GIT_DIR="+r.Dir)}
	ctx, stop := context.WithTimeout(ctx, configTimeout) // as for other values
	defer stop()
	values, err := g.List(ctx, "config", "--list", "-z")
	if err != nil {
		return nil, fmt.Errorf("read the configuration of git: %w", err)
	}
	for _, value := range values {
		key, is, set := strings.Cut(value, "\n")
		if key == "core.sparsecheckout" || key == "core.sparsecheckoutcone" {
			if !set {
				is = "true"
			}
			options = append(options, "-c", key+"="+is)
		}
	}
	return options, nil
}

// Linked reports a worktree that belongs to the repository of another one.
func (r Repository) Linked() bool { return r.Dir != r.Common }

// presentTrees are the trees of commits, by their names: a commit never has another one.
var presentTrees sync.Map

// Present returns the object format, and the commit and tree that are checked out;
// these are empty before the first commit. This is asked before every look at the tree, so
// git is run only where the commit is a new one or its branch is not in a file of its own.
func (r Repository) Present(ctx context.Context) (format, commit, tree string, err error) {
	if commit = r.head(); commit != "" {
		if known, ok := presentTrees.Load(commit); ok {
			return formatOf(commit), commit, known.(string), nil
		}
		direct := stores{dirs: []string{filepath.Join(r.Common, "objects")}}
		text, err := direct.read("commit", commit)
		direct.close()
		if tree := treeOf(text); err == nil && IsHash(tree) {
			presentTrees.Store(commit, tree)
			return formatOf(commit), commit, tree, nil
		}
	}
	out, err := r.Git().Output(ctx, "rev-parse", "--quiet", "--revs-only", "--show-object-format",
		"HEAD^{commit}", "HEAD^{tree}")
	lines := append(strings.Split(out, "\n"), "", "")
	if err == nil && IsHash(lines[1]) && IsHash(lines[2]) {
		presentTrees.Store(lines[1], lines[2])
	}
	return lines[0], lines[1], lines[2], err
}

// head returns the commit in HEAD, in the file of its branch, or in packed-refs; empty where only git can tell.
func (r Repository) head() string {
	text := readRef(filepath.Join(r.Dir, "HEAD"))
	if branch, ok := strings.CutPrefix(text, "ref: "); ok && strings.HasPrefix(branch, "refs/heads/") &&
		filepath.IsLocal(branch) {
		file := filepath.Join(r.Common, branch)
		if text = readRef(file); text == "" && !isThere(file) {
			packed, _ := r.packedRefFile()
			text = packed[branch]
		}
	}
	if !IsHash(text) {
		return ""
	}
	return text
}

// Branch returns the branch in HEAD; empty where none is checked out, or only git can tell.
func (r Repository) Branch() string {
	branch, ok := strings.CutPrefix(readRef(filepath.Join(r.Dir, "HEAD")), "ref: refs/heads/")
	if !ok {
		return ""
	}
	return branch
}

// readRef returns the line in a file of git's; empty where it is none. It does not wait for
// the writer of a pipe.
func readRef(name string) string {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	file := os.NewFile(uintptr(fd), name)
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > 4096 {
		return ""
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(text), "\n")
}

// Replaced means that the .git of a worktree is not the one that git made there. What it
// names would decide which configuration git obeys, so nothing is run on it.
type Replaced struct {
	Top string // of the worktree
	Why string // what is wrong with its .git
}

func (r *Replaced) Error() string {
	return fmt.Sprintf("the .git of %s was replaced: %s; restore it with: git worktree repair %s", r.Top, r.Why, r.Top)
}

// Worktree returns the linked worktree of r that has its files in a directory. It
// believes r and not the .git there, which belongs to the agent that works in that directory:
// the file must name a directory of r's own, and that one must name the file. The error
// is a [*Replaced] otherwise, and [ErrNoRepository] where there is no .git at all.
func (r Repository) Worktree(top string) (Repository, error) {
	file := filepath.Join(top, ".git")
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Repository{}, ErrNoRepository
	} else if err != nil {
		return Repository{}, fmt.Errorf("find the git directory: %w", err)
	}
	if !info.Mode().IsRegular() {
		return Repository{}, &Replaced{top, "it is not a file"}
	}
	dir, err := readLink(file)
	if err != nil {
		return Repository{}, &Replaced{top, "it does not name a git directory"}
	}
	common, err := filepath.EvalSymlinks(r.Common)
	if err != nil {
		return Repository{}, fmt.Errorf("find the git directory: %w", err)
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil || parent != filepath.Join(common, "worktrees") {
		return Repository{}, &Replaced{top, "it names " + dir}
	}
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return Repository{}, &Replaced{top, dir + " is not a directory"}
	}
	for name, want := range map[string]string{"gitdir": file, "commondir": common} {
		if got := named(dir, name); got != want {
			return Repository{}, &Replaced{top, fmt.Sprintf("%s names %q", filepath.Join(dir, name), got)}
		}
	}
	return Repository{Top: top, Dir: dir, Common: r.Common}, nil
}

// named returns the place, without links in its directories, that a file of a git
// directory names; empty where it names none.
func named(dir, name string) string {
	data, err := readFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	path := within(dir, strings.TrimRight(string(data), "\n"))
	parent, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return ""
	}
	return filepath.Join(parent, filepath.Base(path))
}

// Genuine reports whether a repository belongs to its worktree, as git makes it: its directory
// is there, or is one for worktrees or submodules that says so itself. Who writes a worktree
// could name any other.
func (r Repository) Genuine() bool {
	at := filepath.Join(r.Top, ".git")
	if !r.Linked() && r.Dir == at {
		return true
	}
	if r.Linked() {
		return filepath.Dir(r.Dir) == filepath.Join(r.Common, "worktrees") && named(r.Dir, "gitdir") == at
	}
	above, err := locate(filepath.Dir(r.Top))
	below, failed := filepath.Rel(filepath.Join(above.Common, "modules"), r.Common)
	return err == nil && failed == nil && filepath.IsLocal(below) && above.Genuine()
}

// deepestState is how many directories below the top of a worktree a project is looked for.
const deepestState = 4

// StateDirs returns the directories of ferrus that projects in a worktree have.
func StateDirs(top string) []string { return stateDirs(top, deepestState) }

func stateDirs(dir string, depth int) (all []string) {
	entries, _ := os.ReadDir(dir) // one that cannot be read has none
	for _, e := range entries {
		switch name := filepath.Join(dir, e.Name()); {
		case !e.IsDir() || e.Name() == ".git" || e.Name() == "node_modules":
		case e.Name() == ".ferrus":
			all = append(all, name)
		case depth > 0:
			all = append(all, stateDirs(name, depth-1)...)
		}
	}
	return all
}

// isThere reports whether there is anything at a path.
func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
