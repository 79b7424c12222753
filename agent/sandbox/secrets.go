package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/agent/statedir"
)

// ownPrograms are the trees where you install programs yourself, some with a file of passwords. They are too large
// to be looked through for each program that starts.
var ownPrograms = []string{"/opt", "/usr/local"}

// maxSecrets is how many files and directories of one part of such a tree can be secrets: a part with more was
// installed so that only root reads any of it, and programs need it.
const maxSecrets = 32

// programSecrets returns what in those trees only root could read when this process first asked; nothing for another
// user, who cannot read it anyway.
var programSecrets = sync.OnceValue(func() (all []string) {
	if os.Geteuid() != 0 {
		return nil
	}
	kept := readSearches("")
	if state := statedir.Find(); state != "" { // no program inside reaches it
		kept = readSearches(filepath.Join(state, "programs.json"))
	}
	for _, tree := range ownPrograms {
		all = append(all, kept.secretsOf(tree, time.Now())...)
	}
	kept.write()
	return all
})

// searches is what was found in trees of programs. A toolchain has tens of thousands of files, and reading the mode
// of each takes longer than starting a program inside. A tenth of them are directories.
type searches struct {
	Trees   map[string]searched `json:"trees"` // by the directory
	file    string              // empty: nothing is kept
	changed bool
}

// searched is a tree that was searched.
type searched struct {
	At      time.Time `json:"at"`
	Noted   []string  `json:"noted"`   // the directories, and the secrets
	State   string    `json:"state"`   // of these, see [addState]
	Secrets []string  `json:"secrets"` // that were found
}

// searchValid is how long a search counts if no directory has changed since: a file that only gets another mode does
// not change its directory.
const searchValid = time.Hour

// searchQuiet is how long before a search the last change must have been for the search to be kept: two changes
// within a tick of the file system's clock leave one time.
const searchQuiet = time.Second

// readSearches reads what an earlier process found. What cannot be read, or others could have written, is searched
// again.
func readSearches(file string) searches {
	l := searches{file: file}
	data, err := os.ReadFile(file)
	if err != nil || !isOurs(file) || json.Unmarshal(data, &l) != nil || l.Trees == nil {
		l.Trees = map[string]searched{}
	}
	return l
}

// write keeps the searches for the next process, which does without them where they cannot be kept.
func (l *searches) write() {
	if !l.changed || l.file == "" {
		return
	}
	replaceKept(l.file, l)
}

// secretsOf returns what in the parts of a tree only root can read.
func (l *searches) secretsOf(tree string, now time.Time) []string {
	if known, ok := l.Trees[tree]; ok {
		age := now.Sub(known.At)
		if 0 <= age && age < searchValid && known.State == stateOf(known.Noted) {
			return known.Secrets
		}
	}
	s := search{state: sha256.New(), most: maxSecrets}
	found := searched{At: now, Secrets: s.parts(tree)}
	found.Noted, found.State = s.noted, hex.EncodeToString(s.state.Sum(nil))
	if l.changed = true; now.Sub(s.newest) < searchQuiet {
		delete(l.Trees, tree)
	} else {
		l.Trees[tree] = found
	}
	return found.Secrets
}

// stateOf returns the state of paths; without one of them it is another.
func stateOf(paths []string) string {
	sum := sha256.New()
	for _, path := range paths {
		var stat unix.Stat_t
		if unix.Lstat(path, &stat) == nil {
			addState(sum, &stat)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// addState adds what changes when a directory gets or loses an entry, or anything gets another mode.
func addState(sum hash.Hash, s *unix.Stat_t) {
	fmt.Fprintln(sum, s.Dev, s.Ino, s.Mode, s.Mtim, s.Ctim) //nolint:errcheck // a hash takes all
}

// search looks for what only root can read: root inside is the same user.
type search struct {
	most   int       // of each part
	noted  []string  // as in searched
	state  hash.Hash // of these; nil: nothing is kept
	newest time.Time // when one of these changed last
}

// parts searches the parts of a tree.
func (s *search) parts(tree string) (all []string) {
	var stat unix.Stat_t
	if unix.Lstat(tree, &stat) == nil {
		s.note(tree, &stat)
	}
	parts, _ := os.ReadDir(tree) // What cannot be read is not readable inside either.
	for _, part := range parts {
		if found := s.in(filepath.Join(tree, part.Name()), s.most); len(found) <= s.most {
			all = append(all, found...)
		}
	}
	slices.Sort(all)
	return all
}

// note keeps the state of a directory or a secret. It comes before a directory is read: what it gets meanwhile makes
// it another.
func (s *search) note(path string, stat *unix.Stat_t) {
	if s.state != nil {
		s.noted = append(s.noted, path)
		addState(s.state, stat)
		if changed := time.Unix(stat.Ctim.Unix()); changed.After(s.newest) {
			s.newest = changed
		}
	}
}

// in searches a tree, and stops where it has found more than most. What is gone is no secret.
func (s *search) in(tree string, most int) (all []string) {
	var stat unix.Stat_t
	if unix.Lstat(tree, &stat) != nil {
		return nil
	}
	switch kind := stat.Mode & unix.S_IFMT; {
	case kind == unix.S_IFLNK:
		return nil
	case isSecret(&stat):
		s.note(tree, &stat)
		return []string{tree}
	case kind != unix.S_IFDIR:
		return nil
	}
	s.note(tree, &stat)
	dir, err := os.Open(tree)
	if err != nil {
		return nil
	}
	defer dir.Close()
	at := int(dir.Fd())
	entries, _ := dir.ReadDir(-1)
	for _, e := range entries {
		if len(all) > most {
			break
		}
		name := tree + "/" + e.Name()
		if e.IsDir() {
			all = append(all, s.in(name, most-len(all))...)
		} else if e.Type()&fs.ModeSymlink == 0 && unix.Fstatat(at, e.Name(), &stat, unix.AT_SYMLINK_NOFOLLOW) == nil &&
			isSecret(&stat) {
			s.note(name, &stat)
			all = append(all, name)
		}
	}
	return all
}

// isSecret reports whether only the owner and the group can read a file, or read and enter a directory.
func isSecret(s *unix.Stat_t) bool {
	if s.Mode&unix.S_IFMT == unix.S_IFDIR {
		return s.Mode&0o005 != 0o005
	}
	return s.Mode&0o004 == 0
}

// rootOnly returns what in a tree only root can read.
func rootOnly(tree string) []string {
	var s search
	return s.in(tree, math.MaxInt)
}
