package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// systemTrees are directories that no session writes, though some are repositories themselves.
var systemTrees = []string{"/usr", "/bin", "/sbin", "/opt", "/nix/store", "/gnu/store", "/home/linuxbrew"}

// search is what find found: a program, and the PATH on which it finds its own helpers, such as ssh.
type search struct{ program, path string }

// Program returns the path of a program that ferrus runs itself, outside of repositories if it is there, else its name.
// A path stays what it is.
func Program(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return find(name).program
}

// searches are the results of find, by PATH and name.
var searches sync.Map

// find looks for a program on PATH, but in no repository: an agent that edits a checkout may put a program of that
// name into its node_modules/.bin or .venv/bin, which is first on the PATH of many terminals. If it is in none of the
// other directories, all of them count.
func find(name string) search {
	list := os.Getenv("PATH")
	key := [2]string{list, name}
	if known, ok := searches.Load(key); ok {
		return known.(search) //nolint:forcetypeassert // Only search is stored.
	}
	found := search{name, list}
	dirs := slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool {
		return !filepath.IsAbs(dir) || isInRepository(dir)
	})
	for _, dir := range dirs {
		if program, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			found = search{program, strings.Join(dirs, string(filepath.ListSeparator))}
			break
		}
	}
	if found.program != name { // What is not there may be installed any time.
		searches.Store(key, found)
	}
	return found
}

// isInRepository reports whether a directory, or what it is a link to, is in a repository outside the system's trees.
func isInRepository(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false // it is not there
	}
	for _, at := range []string{filepath.Clean(dir), real} {
		inSystem := func(top string) bool { return at == top || strings.HasPrefix(at, top+"/") }
		if slices.ContainsFunc(systemTrees, inSystem) {
			continue
		}
		for ; ; at = filepath.Dir(at) {
			if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
				return true
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return false
}
