package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent"
	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/checks/regular"
	"ferrus/checks/tamper"
	"ferrus/hq/core"
)

// unaskedRule is the rule of a file from which your programs take commands by themselves.
const unaskedRule = "runs-unasked"

// mostHidden bounds the names that are read in one directory that git ignores. More than that count as a file of their
// own: among them could be another one.
const mostHidden = 100_000

// unaskedFiles returns the files from which your programs take commands by themselves: git's own, and those in your
// checkout that git ignores, if a task works there on this tree. Each has a hash of what it makes run.
func (t *Task) unaskedFiles(ctx context.Context, here bool, repo checks.Repo, tree string) (map[string]string, error) {
	r, err := git.Locate(t.Dir)
	if err != nil {
		return nil, err
	}
	s := unaskedScan{top: r.Top, tracked: map[string]bool{}, agents: agent.WorkspaceSettings(),
		found: map[string]string{}}
	if here {
		err = s.readCheckout(ctx, r, repo, tree)
	}
	for _, name := range []string{"config", "info/attributes"} {
		s.add(".git/"+name, filepath.Join(r.Common, name))
	}
	s.add(".git/config.worktree", filepath.Join(r.Dir, "config.worktree"))
	for _, name := range []string{"hooks", "modules"} {
		s.walk(".git/"+name, filepath.Join(r.Common, name))
	}
	return s.found, err
}

// readCheckout looks at what is in your checkout, but for the files of a tree.
func (s *unaskedScan) readCheckout(ctx context.Context, r git.Repository, repo checks.Repo, tree string) error {
	entries, err := repo.List(ctx, tree)
	if err != nil {
		return err
	}
	modules, _ := filepath.EvalSymlinks(filepath.Join(r.Common, "modules")) // There may be none.
	dirs := map[string]bool{".": true}
	for _, e := range entries {
		s.tracked[e.Path] = true
		if e.Mode == git.ModeSubmodule {
			s.readSubmodule(e.Path, modules)
		}
		for dir := path.Dir(e.Path); !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	for dir := range dirs {
		s.readDir(dir, dirs)
	}
	return nil
}

// mostText bounds a file that is read. The same error as before counts as no change.
const mostText = 1 << 20

// unaskedScan collects such files.
type unaskedScan struct {
	top     string
	tracked map[string]bool
	agents  []string
	found   map[string]string
}

// readDir looks at what is in a directory of the tree. A hidden one that the tree does not have is read as a whole.
func (s *unaskedScan) readDir(dir string, dirs map[string]bool) {
	entries, _ := os.ReadDir(filepath.Join(s.top, dir)) // What cannot be read is run by no program.
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		at := filepath.Join(s.top, name)
		if s.tracked[name] || dirs[name] || name == ".git" || name == ".ferrus" {
			continue
		}
		if !e.IsDir() {
			s.add(name, at)
		}
		if strings.HasPrefix(e.Name(), ".") || e.Name() == "githooks" {
			s.walk(name, at)
		}
	}
}

// readSubmodule looks for git directories in a submodule: your git enters it. Those below a directory for modules are
// inspected anyway.
func (s *unaskedScan) readSubmodule(name, modules string) {
	left := mostHidden
	_ = filepath.WalkDir(filepath.Join(s.top, name), func(at string, e fs.DirEntry, err error) error {
		if left--; left < 0 {
			s.found[name] = "too many files"
			return filepath.SkipAll
		}
		below, failed := filepath.Rel(s.top, at)
		if err != nil || failed != nil || e.Name() != ".git" {
			return nil
		}
		below = filepath.ToSlash(below)
		if e.IsDir() {
			s.found[below] = "a directory"
			s.walk(below, at)
			return filepath.SkipDir
		}
		link, err := regular.Read(at, mostText)
		dir := strings.TrimRight(strings.TrimPrefix(string(link), "gitdir: "), "\n")
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(at), dir)
		}
		real, failed := filepath.EvalSymlinks(dir)
		if inside, wrong := filepath.Rel(modules, real); errors.Join(err, failed, wrong) != nil ||
			!filepath.IsLocal(inside) {
			s.found[below] = string(link)
			s.walk(below, dir)
		}
		return nil
	})
}

// walk looks at all files below a directory, which may be a link.
func (s *unaskedScan) walk(name, dir string) {
	if target, err := os.Readlink(dir); err == nil && isOfGit(name) {
		s.found[name] = target // What is there may change as well.
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return // There is none.
	}
	left := mostHidden
	_ = filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		below, failed := filepath.Rel(dir, at)
		if err == nil && e.IsDir() && isOfObjects(at) && isOfGit(name) {
			return filepath.SkipDir // of a submodule
		}
		if err == nil && failed == nil && !e.IsDir() && at != dir {
			below = path.Join(name, filepath.ToSlash(below))
			if s.add(below, at); e.Type() == fs.ModeSymlink && isOfGit(name) {
				s.found[below], _ = os.Readlink(at)
			}
		}
		if left--; left < 0 {
			s.found[name] = "too many files"
			return filepath.SkipAll
		}
		return nil
	})
}

// isOfGit reports whether a name is of a git directory or in one.
func isOfGit(name string) bool { return strings.Contains("/"+name+"/", "/.git/") }

// isOfObjects reports whether git keeps objects in a directory, and has no repository there.
func isOfObjects(dir string) bool {
	if filepath.Base(filepath.Dir(dir)) != "objects" || len(filepath.Base(dir)) != 2 {
		return false
	}
	_, err := os.Lstat(filepath.Join(dir, "HEAD"))
	return err != nil
}

// add records a file that makes programs run something. A link to a directory counts as one: what is in it may change.
func (s *unaskedScan) add(name, at string) {
	if strings.HasSuffix(name, ".sample") { // git's examples of hooks
		return
	}
	if _, err := os.Lstat(at); err != nil {
		return
	}
	target, _ := os.Readlink(at) // Others lead nowhere.
	what, runs := tamper.RunsUnasked(name, func() string {
		data, err := regular.Read(at, mostText)
		if err != nil {
			return err.Error()
		}
		return canonical(data)
	}, s.agents)
	if runs {
		sum := sha256.Sum256([]byte(target + "\x00" + what))
		s.found[name] = hex.EncodeToString(sum[:])
	}
}

// canonical returns an object of JSON in one formatting and without the version of its format, and another text
// unchanged: clients rewrite their settings in a newer format when they start.
func canonical(data []byte) string {
	var members map[string]any
	if json.Unmarshal(data, &members) != nil {
		return string(data)
	}
	delete(members, "$version")
	text, err := json.MarshalIndent(members, "", "  ")
	if err != nil {
		return string(data)
	}
	return string(text)
}

// UnaskedAlarms returns an alarm for each file in your checkout or in git's directory that the task left there for your
// programs, and that its change does not show.
func (t *Task) UnaskedAlarms(ctx context.Context, w core.World, tree string) (all []core.Alarm) {
	if w.Task == nil || w.Task.Definition == nil || w.Task.Definition.Unasked == nil {
		return nil
	}
	was := w.Task.Definition.Unasked
	now, err := t.unaskedFiles(ctx, w.Task.Workspace == nil, t.Work(w), tree)
	if err != nil {
		return []core.Alarm{{Rule: unaskedRule, NeedsHuman: protected(w),
			Words: "the files that git ignores could not be inspected: " + err.Error()}}
	}
	changed := map[string][]string{}
	for name := range now {
		if now[name] != was[name] {
			changed[hiddenPlace(name)] = append(changed[hiddenPlace(name)], name)
		}
	}
	const later = "stays in your checkout after the task; your shell, editor, git or an agent may run what it names " +
		"without asking"
	for _, place := range slices.Sorted(maps.Keys(changed)) {
		names := changed[place]
		slices.Sort(names)
		if len(names) > mostOfPlace {
			all = append(all, core.Alarm{Rule: unaskedRule, Path: place, NeedsHuman: protected(w),
				Words: fmt.Sprintf("what the task left in %d files, such as %s, is not in the change and %s",
					len(names), names[0], later)})
			continue
		}
		for _, name := range names {
			all = append(all, core.Alarm{Rule: unaskedRule, Path: name, NeedsHuman: protected(w),
				Words: "it is not in the change and " + later})
		}
	}
	return all
}

// mostOfPlace bounds the alarms for one place; more files of it are one alarm.
const mostOfPlace = 5

// hiddenPlace returns the part of a name up to the first hidden directory, and in .git one more: what is below it
// belongs to one program. Without such a directory it is the name.
func hiddenPlace(name string) string {
	elements := strings.Split(name, "/")
	i := slices.IndexFunc(elements, func(e string) bool { return strings.HasPrefix(e, ".") })
	if i >= 0 && elements[i] == ".git" {
		i++
	}
	if i < 0 {
		return name
	}
	return strings.Join(elements[:min(i+1, len(elements))], "/")
}
