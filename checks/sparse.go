package checks

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// leftOutFile lists the files that a sparse checkout leaves out, after the top of its worktree.
const leftOutFile = "info/left-out"

// pinLeftOut records which files a sparse checkout leaves out now. Until the next [Repo.Pin] no
// other file may be absent without being a deletion, whatever the index of the user says of it.
func (p *private) pinLeftOut(ctx context.Context) error {
	names := []string{p.Top}
	err := p.Git().Each(ctx, func(part string) {
		if name, skipped := strings.CutPrefix(part, "S "); skipped && p.isAbsent(name) {
			names = append(names, name)
		}
	}, "ls-files", "--cached", "-t", "-z")
	if err != nil {
		return err
	}
	return p.put(leftOutFile, strings.Join(names, "\x00"))
}

// leftOut returns the files that were recorded for this worktree.
func (p *private) leftOut() map[string]bool {
	data, err := os.ReadFile(p.file(leftOutFile))
	names := strings.Split(string(data), "\x00")
	if err != nil || names[0] != p.Top {
		return nil
	}
	all := make(map[string]bool, len(names)-1)
	for _, name := range names[1:] {
		all[name] = true
	}
	return all
}

// isAbsent reports whether nothing is where a file would be, and nothing but directories are on
// the way there.
func (p *private) isAbsent(name string) bool {
	at := p.Top
	parts := strings.Split(name, "/")
	for _, dir := range parts[:len(parts)-1] {
		at = filepath.Join(at, dir)
		info, err := os.Lstat(at)
		if err != nil {
			return os.IsNotExist(err)
		}
		if !info.IsDir() || isThere(filepath.Join(at, ".git")) {
			return false
		}
	}
	_, err := os.Lstat(filepath.Join(at, parts[len(parts)-1]))
	return os.IsNotExist(err)
}
