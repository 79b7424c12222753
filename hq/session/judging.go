package session

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent"
	"ferrus/agent/paths"
	"ferrus/checks/git"
	"ferrus/hq/core"
)

// judges reports whether a session looks at what another one has changed.
func judges(s Launch) bool {
	return !edits(s) && (s.Mode == core.ModeReview || s.Mode == core.ModeConsult)
}

// settingsLeft returns the settings of agents in a workspace that differ from its commit. An executor that changed them
// would have a session that judges the change run the hooks in them, with its tools.
func settingsLeft(ctx context.Context, r git.Repository, workspace string) (all []string, err error) {
	for _, path := range []*string{&r.Top, &workspace} {
		if *path, err = filepath.EvalSymlinks(*path); err != nil {
			return nil, err
		}
	}
	there := settingsIn(r.Top, workspace)
	if len(there) == 0 {
		return nil, nil
	}
	changed := changedBelow(ctx, r, there)
	for _, s := range there {
		if s.link != "" && changed(s.link) {
			const why = "hide the settings of agents that the task has changed: %s is a symbolic link; remove it"
			return nil, fmt.Errorf(why, s.link)
		}
		if changed(s.real) {
			all = append(all, s.real)
		}
	}
	return all, nil
}

// hasSettingsLeft reports whether there are such settings. What cannot be read counts as one.
func hasSettingsLeft(project, workspace string) bool {
	repository, err := workspaceRepository(project, workspace)
	if err != nil {
		return true
	}
	left, err := settingsLeft(context.Background(), repository, workspace)
	return err != nil || len(left) > 0
}

// pathOutside returns your PATH without directories in a tree, where an executor could have put another git, or
// another client.
func pathOutside(top string) string {
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	dirs := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(dir string) bool {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		return !filepath.IsAbs(dir) || paths.Within(top, dir)
	})
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// foundSettings are settings of agents.
type foundSettings struct {
	real string // their path without links
	link string // the first link on the way from the workspace; empty: none
}

// settingsIn returns the settings of agents that are in a workspace, and in the directories of its repository
// above it.
func settingsIn(top, workspace string) (all []foundSettings) {
	for dir := workspace; paths.Within(top, dir); dir = filepath.Dir(dir) {
		for _, name := range agent.WorkspaceSettings() {
			found := foundSettings{}
			at := dir
			for part := range strings.SplitSeq(name, "/") {
				at = filepath.Join(at, part)
				if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 && found.link == "" {
					found.link = at
				}
			}
			var err error
			if found.real, err = filepath.EvalSymlinks(at); err == nil {
				all = append(all, found)
			}
		}
	}
	return all
}

// changedBelow returns a function that reports whether anything at or below one of some paths differs from the
// commit of a repository. What git cannot tell counts as changed.
func changedBelow(ctx context.Context, r git.Repository, there []foundSettings) func(string) bool {
	names := []string{"--"}
	for _, s := range there {
		for _, path := range []string{s.real, s.link} {
			if below, err := filepath.Rel(r.Top, path); err == nil && filepath.IsLocal(below) {
				names = append(names, below)
			}
		}
	}
	var all []string
	diff := []string{"diff", "--name-only", "-z", "--no-ext-diff", "--no-textconv", "--no-renames",
		"--ignore-submodules=all", "HEAD"}
	for _, args := range [][]string{diff, {"ls-files", "-z", "--others"}} {
		found, err := r.Git().List(ctx, slices.Concat([]string{"--literal-pathspecs"}, args, names)...)
		if err != nil {
			return func(string) bool { return true }
		}
		all = append(all, found...)
	}
	return func(path string) bool {
		return slices.ContainsFunc(all, func(name string) bool {
			return paths.Within(path, filepath.Join(r.Top, name))
		})
	}
}
