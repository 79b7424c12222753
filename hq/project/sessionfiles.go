package project

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"ferrus/checks/workspace"
)

// SessionsDir returns the directory of what the sessions of a project keep outside of it, by
// task: beside the lanes of its gate.
func (t *Task) SessionsDir() string {
	if t.Lanes == "" {
		return t.Files.Path("run", "tasks")
	}
	sum := sha256.Sum256([]byte(t.Dir))
	return filepath.Join(filepath.Dir(t.Lanes), "tasks", hex.EncodeToString(sum[:8]))
}

// FreeSessions removes what the sessions of a task kept there: private homes, git directories and
// caches, whatever modes they gave them. None of its sessions may live.
func (t *Task) FreeSessions(task string) error {
	if filepath.Base(task) != task || task == "." || task == ".." {
		return fmt.Errorf("%q is not the id of a task", task)
	}
	if err := workspace.RemoveAll(filepath.Join(t.SessionsDir(), task)); err != nil {
		return fmt.Errorf("free the files of task %s: %w", task, err)
	}
	return nil
}
