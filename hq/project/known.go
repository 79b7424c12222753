package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"ferrus/store"
)

const (
	maxKnown     = 5000     // files that are read for the list of projects
	maxKnownFile = 64 << 10 // bytes of one
)

// Known returns the directories of the projects that the user of some heads has used on this
// machine and that are still there, sorted, and how many are gone. It reads what is kept
// outside of projects, and of a project only whether .ferrus exists.
func Known(heads store.Heads) (dirs []string, gone int, err error) {
	if heads == "" {
		return nil, 0, errNoState
	}
	named := map[string]bool{}
	for kind, dirOf := range map[string]func([]byte) string{"heads": dirOfHead, "repositories": dirOfRepository} {
		kept := filepath.Join(filepath.Dir(string(heads)), kind)
		names, err := readPrivate(kept)
		if err != nil {
			return nil, 0, fmt.Errorf("list the projects of this machine: %w", err)
		}
		for _, name := range names {
			if dir := dirOf(readKept(filepath.Join(kept, name))); filepath.IsAbs(dir) {
				named[filepath.Clean(dir)] = true
			}
		}
	}
	for dir := range named {
		if info, err := os.Lstat(filepath.Join(dir, ".ferrus")); err == nil && info.IsDir() {
			dirs = append(dirs, dir)
		} else {
			gone++
		}
	}
	slices.Sort(dirs)
	return dirs, gone, nil
}

// dirOfHead returns the project of a head; empty for what is not the head of a project: a
// workflow has its own.
func dirOfHead(data []byte) string {
	var head struct{ Path string }
	if json.Unmarshal(data, &head) != nil || filepath.Base(head.Path) != ".ferrus" {
		return ""
	}
	return filepath.Dir(head.Path)
}

func dirOfRepository(data []byte) string {
	var r struct{ Project string }
	if json.Unmarshal(data, &r) != nil {
		return ""
	}
	return r.Project
}

// readPrivate returns the names in a directory that other users cannot write; none if it is
// missing.
func readPrivate(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("other users can write %s: run: chmod 700 %s", dir, dir)
	}
	names, err := f.Readdirnames(maxKnown)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return names, err
}

// readKept returns a small file; nothing if it is none.
func readKept(name string) []byte {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxKnownFile {
		return nil
	}
	data, _ := os.ReadFile(name) // What cannot be read names no project.
	return data
}
