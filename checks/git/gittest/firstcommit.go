package gittest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// firstCommits are the files that a first commit wrote into its git directory, by the
// content of the index that was committed. Most tests of a package begin with the same files:
// git commit takes as long as five other commands, so one test runs it and the others get
// what it wrote.
var firstCommits sync.Map // string: map[string][]byte

// commitFirst does the first commit of a repository whose index is complete.
func commitFirst(t testing.TB, dir string, commit func()) {
	t.Helper()
	key, ok := indexContent(filepath.Join(dir, "index"))
	if !ok {
		commit()
		return
	}
	if known, ok := firstCommits.Load(key); ok {
		if err := restore(dir, known.(map[string][]byte)); err != nil {
			t.Fatal(err)
		}
		return
	}
	before, err := snapshot(dir)
	if err != nil {
		t.Fatal(err)
	}
	commit()
	after, err := snapshot(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name := range before {
		delete(after, name)
	}
	firstCommits.Store(key, after)
}

// indexContent returns what an index of version 2 says of its files, without the times and
// numbers from which git infers whether they have changed.
func indexContent(file string) (content string, ok bool) {
	data, err := os.ReadFile(file)
	if err != nil || len(data) < 12 || string(data[:8]) != "DIRC\x00\x00\x00\x02" {
		return "", false
	}
	var b strings.Builder
	count := int(binary.BigEndian.Uint32(data[8:]))
	data = data[12:]
	for range count {
		const fixed = 62 // up to the name
		if len(data) < fixed {
			return "", false
		}
		name, _, _ := strings.Cut(string(data[fixed:]), "\x00")
		fmt.Fprintf(&b, "%x %x %q\n", data[24:28], data[40:60], name)
		data = data[min(len(data), (fixed+len(name)+8)/8*8):]
	}
	return b.String(), true
}

// snapshot reads all files of a git directory but its index and configuration.
func snapshot(dir string) (map[string][]byte, error) {
	all := map[string][]byte{}
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, file)
		if name != "index" && name != "config" {
			all[name], err = os.ReadFile(file)
		}
		return err
	})
	return all, err
}

// restore writes files into a git directory.
func restore(dir string, files map[string][]byte) (err error) {
	for name, data := range files {
		file, mode := filepath.Join(dir, name), fs.FileMode(0o644)
		if strings.HasPrefix(name, "objects") {
			mode = 0o444
		}
		err = errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, data, mode))
	}
	return err
}
