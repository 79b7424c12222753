package project

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

var errNoState = errors.New("you have no state directory: set HOME or XDG_STATE_HOME")

// KeptFile returns where a file of a kind is kept for the project: beside the heads of records,
// outside the project, where no session has to write. Other projects have others.
func (p *Project) KeptFile(kind string) (string, error) { return p.keptFile(kind, "") }

// KeptFile is like [Project.KeptFile] for a task: one with a directory of its own has other
// files.
func (t *Task) KeptFile(kind string) (string, error) {
	if t.HasDirectory() {
		return t.keptFile(kind, "-"+t.ID)
	}
	return t.keptFile(kind, "")
}

func (p *Project) keptFile(kind, suffix string) (string, error) {
	if p.Heads == "" {
		return "", errNoState
	}
	sum := sha256.Sum256([]byte(p.Dir))
	return filepath.Join(filepath.Dir(string(p.Heads)), kind, hex.EncodeToString(sum[:8])+suffix+".json"), nil
}

// WriteKept replaces a file that is kept outside of projects: a reader sees the old or the new
// one.
func WriteKept(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	next := fmt.Sprintf("%s.new.%d", name, os.Getpid())
	if err := os.WriteFile(next, append(data, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(next, name)
}
