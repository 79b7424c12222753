package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ferrus/hq/ports"
	"ferrus/hq/worktree"
)

// PortName is the variable that has the first of the ports of a directory.
const PortName = ports.Env

// PortEnv returns the variable with the first of the ten ports of a directory, which must exist:
// a worktree, or the lane of a gate. It is empty where the user has no state directory, in which
// ports are written down.
func (p *Project) PortEnv(owner string) (string, error) {
	if p.Heads == "" {
		return "", nil
	}
	port, err := ports.In(filepath.Dir(string(p.Heads))).Of(owner)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s=%d", ports.Env, port), nil
}

// WorkspaceEnv returns the variables of everything that runs in a workspace: a worktree of a task
// has ports; other directories have nothing.
func (p *Project) WorkspaceEnv(dir string) ([]string, error) {
	below, err := filepath.Rel(filepath.Join(p.Dir, ".ferrus", worktree.Folder), dir)
	if err != nil || !filepath.IsLocal(below) || below == "." {
		return nil, nil
	}
	id, _, _ := strings.Cut(filepath.ToSlash(below), "/")
	top := p.Worktree(id).Top()
	if _, err := os.Stat(top); err != nil {
		return nil, nil //nolint:nilerr // what cannot be there has no ports
	}
	entry, err := p.PortEnv(top)
	if entry == "" {
		return nil, err
	}
	return []string{entry}, nil
}

// EnvName returns the value of FERRUS_TASK for the task's commands: the name of its
// directory, or its id; empty if there is no task.
func (t *Task) EnvName() string {
	if t.HasDirectory() {
		return t.ID
	}
	if s, err := t.World(); err == nil && s.World.Task != nil {
		return s.World.Task.ID
	}
	return ""
}

// WorkIn returns the directory in which the task is worked on, and the variables that a command
// of yours has there besides your own. It fails if the directory is gone.
func (t *Task) WorkIn() (dir string, env []string, err error) {
	state, err := t.World()
	if err != nil {
		return "", nil, err
	}
	dir = t.Workspace(state.World)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", nil, fmt.Errorf("the task's worktree is gone: %s", dir)
	}
	env, err = t.WorkspaceEnv(dir)
	if name := t.EnvName(); name != "" && dir != t.Dir {
		env = append(env, TaskEnv+"="+name)
	}
	return dir, append(env, "PWD="+dir), err
}
