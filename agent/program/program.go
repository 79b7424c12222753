// Package program finds the programs that ferrus itself runs, outside the sandbox: git, ssh, gh, your editor,
// and the programs that set the clipboard or notify you.
//
// An agent that edits a checkout may put a program of such a name into its node_modules/.bin or .venv/bin,
// which is first on the PATH of many terminals. [Find] never looks in the repository of a ferrus project,
// even if the program is nowhere else, and looks in other repositories last. A program that [Command] starts
// finds its own helpers the same way.
//
// It does not look for the programs of agents and checks: those run in the sandbox, with
// your PATH.
package program

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ferrus/agent/paths"
)

// Command is like [exec.CommandContext] for a program that [Find] finds, with an environment whose PATH leads
// no further than the program made necessary.
func Command(ctx context.Context, env []string, name string, args ...string) *exec.Cmd {
	path, dirs, err := find(name)
	if err != nil {
		path = "/" // with a slash it is not looked for again
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Args[0], cmd.Err, cmd.Env = name, err, withPath(env, dirs)
	return cmd
}

// Find returns the path of a program. A name with a slash stays what it is. The error wraps [exec.ErrNotFound] if
// there is none.
func Find(name string) (string, error) {
	path, _, err := find(name)
	return path, err
}

// find returns the directories where helpers of the program are looked for, too.
func find(name string) (path string, dirs []string, err error) {
	all := lists()
	both := slices.Concat(all.first, all.last)
	if strings.Contains(name, "/") {
		return name, both, nil
	}
	if path, _ := firstIn(all.first, name); path != "" {
		return path, all.first, nil
	}
	if path, _ := firstIn(all.last, name); path != "" {
		return path, both, nil
	}
	if _, dir := firstIn(all.never, name); dir != "" {
		const why = "%s is only in %s, where agents can put programs; install it elsewhere: %w"
		return "", nil, fmt.Errorf(why, name, dir, exec.ErrNotFound)
	}
	return "", nil, &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// firstIn returns the first program of a name, and its directory.
func firstIn(dirs []string, name string) (path, dir string) {
	for _, dir := range dirs {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, dir
		}
	}
	return "", ""
}

// Path returns the PATH on which programs are found: your directories that are in no repository, then those
// in repositories that ferrus does not work in. Relative ones are left out.
func Path() string {
	all := lists()
	return join(slices.Concat(all.first, all.last))
}

// Environ returns an environment with PATH from [Path], for a shell that starts your program.
func Environ(env []string) []string { return withPath(env, filepath.SplitList(Path())) }

func withPath(env, dirs []string) []string {
	isPath := func(entry string) bool { return strings.HasPrefix(entry, "PATH=") }
	return append(slices.DeleteFunc(slices.Clone(env), isPath), "PATH="+join(dirs))
}

func join(dirs []string) string { return strings.Join(dirs, string(filepath.ListSeparator)) }

// list are the directories of a PATH.
type list struct {
	first []string // in no repository
	last  []string // in repositories that ferrus does not work in
	never []string // where agents can put programs
}

// known are the lists of this process, by the PATH and the working directory.
var known sync.Map

func lists() list {
	all := os.Getenv("PATH")
	here, err := os.Getwd()
	key := [2]string{all, here}
	if l, ok := known.Load(key); ok {
		return l.(list) //nolint:forcetypeassert // Only lists are stored.
	}
	var l list
	for _, dir := range filepath.SplitList(all) {
		if !filepath.IsAbs(dir) {
			continue
		}
		switch top, project := repositoryOf(dir); {
		case project, err == nil && isTopOf(top, here): // Without a working directory there is no project.
			l.never = append(l.never, dir)
		case top != "":
			l.last = append(l.last, dir)
		default:
			l.first = append(l.first, dir)
		}
	}
	known.Store(key, l)
	return l
}

// isTopOf reports whether top is the top of the repository that a directory is in. If the directory is not below top,
// only its real path is read.
func isTopOf(top, dir string) bool {
	if top == "" || !paths.Within(top, filepath.Clean(dir)) && !paths.Within(top, realDir(dir)) {
		return false
	}
	of, _ := repositoryOf(dir)
	return of == top
}

// systemTrees are directories that no session writes, though some are repositories themselves.
var systemTrees = []string{"/usr", "/bin", "/sbin", "/opt", "/nix/store", "/gnu/store", "/home/linuxbrew"}

// repositoryOf returns the top of the repository that a directory is in, or would be if it were there, and whether
// ferrus has a project above the directory. A link is in what it leads to as well.
func repositoryOf(dir string) (top string, project bool) {
	for _, at := range []string{filepath.Clean(dir), realDir(dir)} {
		if slices.ContainsFunc(systemTrees, func(tree string) bool { return paths.Within(tree, at) }) {
			continue
		}
		for ; ; at = filepath.Dir(at) {
			if top == "" && exists(filepath.Join(at, ".git")) {
				top = at
			}
			project = project || exists(filepath.Join(at, ".ferrus"))
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return top, project
}

// realDir returns a directory without the links on the way to it, as far as there is anything.
func realDir(dir string) string {
	dir = filepath.Clean(dir)
	real, err := filepath.EvalSymlinks(dir)
	if above := filepath.Dir(dir); err != nil && above != dir {
		return filepath.Join(realDir(above), filepath.Base(dir))
	}
	return real
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
