package store

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// sums is .ferrus/sums: the hashes of the files, beside the state and its texts, from which
// something is decided. It is there before the first of them; STATE.json says so.
type sums struct {
	// The newest hash is last. There are two while a file is being replaced; a crash
	// may leave either file. The hash noFile means that the file does not exist.
	Files  map[string][]string `json:"files"`
	Unkept string              `json:"unkept,omitempty"` // why they are not kept outside; empty: they are, if any are
	Sum    string              `json:"sum"`

	hash string // of the file
}

// isAmbiguousBesides reports whether a file other than the given ones has more than one hash because its
// writer died. A change of the given ones does not tell which hash that file has.
func (s *sums) isAmbiguousBesides(names map[string]string) bool {
	for name, all := range s.Files {
		if _, given := names[name]; !given && len(all) > 1 {
			return true
		}
	}
	return false
}

// keepNewest drops the hashes that a crash in the last change would have left.
func (s *sums) keepNewest() {
	for name, all := range s.Files {
		if s.Files[name] = all[max(len(all)-1, 0):]; slices.Equal(s.Files[name], []string{noFile}) {
			delete(s.Files, name)
		}
	}
}

func (s *sums) sum() *string { return &s.Sum }

const (
	sumsName = "sums"
	sumsLock = "sums.lock"
	noFile   = "none"
	anyFile  = "any" // an archive that is being written
)

// boundFiles are the patterns of the files in sums: [Files.WriteFile] and [Files.Remove] keep
// their hashes, and [Files.ReadFile] and [Dir.Verify] compare them.
var boundFiles = []string{"agents.json", "checks/*.json", "run/counts.json", "run/landing.json", "run/gate.json",
	"run/*.in", "registered.json", "LAST_SPEC_PATH", "messages/*.json", "runs/*/manifest.json", "archive/t-*"}

// unboundFiles are all others that can be below .ferrus, each with the reason why it may
// change. A test compares both lists with what a project has.
var unboundFiles = map[string]string{
	"STATE.json":    "has its own sum, and its head is kept in the journal and outside",
	"STATE.lock":    "only the lock on it counts, not its content",
	"journal.jsonl": "is a chain whose head is in STATE.json",
	"docs/*":        "STATE.json has their hashes",
	"sums":          "has its own sum, which is kept outside; each hash in it is compared with a file",
	"sums.lock":     "only the lock on it counts",
	"*.md":          "copies and templates for reading; never read back, or yours to edit",

	"sessions.jsonl":     "shows what sessions used; a limit that it is counted for asks you again, never less proof",
	"logs/*":             "for reading",
	"lost/*":             "nothing reads what a repair replaced",
	"history":            "the lines that you typed",
	"screen.json":        "the layout of HQ",
	"run/*.lock":         "only the lock counts",
	"run/*":              "what a running process says about itself; compared with the process",
	"run/git/*":          "git's own, by hash",
	"messages/go-on":     "only its existence counts",
	"runs/*":             "the transcript of a pair, for reading; a decision is in its manifest",
	"queue/*":            "is a record of its own, with a chain",
	"workflows/*":        "each is a record of its own, with a chain",
	"worktrees/*":        "the work of tasks; the gate hashes it",
	"archive/import-*":   "the files of an earlier ferrus, for you",
	"archive/*/landed.*": "a note; git says what landed",
}

// handedOver are the patterns of bound files that tell a session what to do. A repair, which
// keeps other files as they are, takes none that ferrus did not write.
var handedOver = []string{"run/*.in", "messages/*.json"}

// dropForged moves what was handed to sessions, and ferrus did not write, to lost.
func (r *repair[T]) dropForged() error {
	s, err := r.dir.readKeptSums(r.folder)
	if err != nil {
		s = sums{} // What cannot be compared was not written by ferrus, as far as is known.
	}
	for _, pattern := range handedOver {
		names, err := matches(r.folder, pattern)
		if err != nil {
			return err
		}
		for _, name := range names {
			hash, err := hashBound(r.folder, name)
			if err != nil {
				return err
			}
			why := s.compare(name, hash)
			if why == "" {
				continue
			}
			if err := moveToLost(r.folder, name); err != nil {
				return err
			}
			r.fixed("%s: %s; no session gets what it says", name, why)
		}
	}
	return nil
}

// isBound reports whether the hash of a file is kept.
func isBound(name string) bool {
	return slices.ContainsFunc(boundFiles, func(pattern string) bool {
		matched, err := path.Match(pattern, name)
		return err == nil && matched
	})
}

// rebind changes files whose hashes are kept, and their hashes: first both are said to be
// right, so a crash at any point leaves the one or the other. A .ferrus of an earlier ferrus
// keeps none yet.
func (d *Files) rebind(f folder, next map[string]string, change func() error) error {
	unlock, err := f.lock(context.Background(), sumsLock)
	if err != nil {
		return err
	}
	defer unlock.Close()
	o := d.openOutside(f)
	defer o.close()
	s, err := d.readSums(f)
	if err == nil {
		err = o.check(d, &s)
	}
	if isMissing(err) {
		return change()
	} else if err != nil {
		return err
	}
	present := s.hash
	during, after := s, sums{Files: maps.Clone(s.Files)}
	during.Files = maps.Clone(s.Files)
	for name, sum := range next {
		had := s.Files[name] // more than one where a writer died: any may be on the disk
		if len(had) == 0 {
			had = []string{noFile}
		}
		during.Files[name] = append(slices.Clone(had), sum)
		after.Files[name] = []string{sum}
		if sum == noFile {
			delete(after.Files, name)
		}
	}
	saved, err := o.save(present, &during, &after)
	if err != nil {
		return err
	}
	if err := writeSums(f, &during); err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	if !s.isAmbiguousBesides(next) && o.confirm(saved, &during) {
		return nil
	}
	if err := writeSums(f, &after); err != nil {
		return err
	}
	_, err = o.save("", &after)
	return err
}

// readKeptSums reads the hashes, and compares them with what is kept outside.
func (d *Files) readKeptSums(f folder) (sums, error) {
	s, err := d.readSums(f)
	if err == nil {
		o := d.openOutside(f)
		defer o.close()
		err = o.check(d, &s)
	}
	return s, err
}

// readSums reads the hashes. The error is fs.ErrNotExist if an earlier ferrus kept none.
func (d *Files) readSums(f folder) (s sums, err error) {
	data, err := readWhole(f, sumsName)
	if err == nil {
		s, err = d.decodedSums.decode(data)
	}
	switch {
	case errors.Is(err, errNotOurs):
		err = &DamagedError{File: sumsName, Why: err.Error(), Fix: fixRepair}
	case isMissing(err):
		if doc, reading := d.readDocument(f); reading == nil && doc.Head != nil && doc.Head.Bound {
			err = &DamagedError{File: sumsName, Why: "it is missing", Fix: fixRepair}
		}
	}
	if s.Files == nil {
		s.Files = map[string][]string{}
	}
	return s, err
}

// writeSums replaces the hashes, durably.
func writeSums(f folder, s *sums) error {
	data, err := encodeSummed(s)
	if err != nil {
		return err
	}
	s.hash = sha(data)
	return replace(f, sumsName, data, true)
}

// checkBound compares a file that was read, or that is missing, with its hash. A writer may
// have come in between, so it looks again, with the lock, before it says that they differ.
func (d *Files) checkBound(f folder, name string, data []byte, reading error) ([]byte, error) {
	if reading != nil && !isMissing(reading) {
		return data, reading
	}
	s, err := d.readKeptSums(f)
	if isMissing(err) {
		return data, reading
	}
	if err == nil && s.compare(name, hashOf(data, reading)) == "" {
		return data, reading
	}
	unlock, err := f.lock(context.Background(), sumsLock)
	if err != nil {
		return nil, err
	}
	defer unlock.Close()
	if s, err = d.readKeptSums(f); err != nil {
		return nil, err
	}
	data, reading = readWhole(f, name)
	if why := s.compare(name, hashOf(data, reading)); why != "" {
		return nil, &DamagedError{File: name, Why: why, Fix: fixRepair}
	}
	return data, reading
}

// hashOf returns the hash of a file that was read.
func hashOf(data []byte, err error) string {
	if err != nil {
		return noFile
	}
	return sha(data)
}

// compare returns why a hash is not that which is kept; empty if it is.
func (s sums) compare(name, hash string) string {
	kept := s.Files[name]
	switch {
	case slices.Contains(kept, hash), slices.Contains(kept, anyFile), len(kept) == 0 && hash == noFile:
		return ""
	case hash == noFile:
		return "it is missing"
	case len(kept) == 0:
		return "ferrus did not write it"
	}
	return "it is not what ferrus wrote"
}

// matches lists the files of a pattern.
func matches(f folder, pattern string) ([]string, error) {
	found := []string{"."}
	for part := range strings.SplitSeq(pattern, "/") {
		var next []string
		for _, dir := range found {
			names, err := f.list(dir)
			if errors.Is(err, fs.ErrNotExist) || dir != "." && err != nil {
				continue // it is gone, or a file
			} else if err != nil {
				return nil, err
			}
			for _, name := range names {
				if ok, err := path.Match(part, name); err == nil && ok {
					next = append(next, path.Join(dir, name))
				}
			}
		}
		found = next
	}
	return found, nil
}

// compareSums compares all bound files with their hashes, with the lock.
func (d *Files) compareSums(f folder) error {
	unlock, err := f.lock(context.Background(), sumsLock)
	if err != nil {
		return err
	}
	defer unlock.Close()
	s, err := d.readKeptSums(f)
	if isMissing(err) {
		return nil
	} else if err != nil {
		return err
	}
	have, err := d.knownHashes.present(f)
	if err != nil {
		return err
	}
	for name := range s.Files {
		if have[name] == "" {
			have[name] = noFile
		}
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		hash := have[name]
		if path.Dir(name) == archiveDir && len(s.Files[name]) == 0 {
			continue // nothing is said of it, and the journal has the task
		}
		if why := s.compare(name, hash); why != "" {
			return &DamagedError{File: name, Why: why, Fix: fixRepair}
		}
	}
	return nil
}

// beginSums keeps the hashes of the files from here on, as they are.
func (d *Files) beginSums(f folder) error {
	unlock, err := f.lock(context.Background(), sumsLock)
	if err != nil {
		return err
	}
	defer unlock.Close()
	have, err := d.knownHashes.present(f)
	if err != nil {
		return err
	}
	s := sums{Files: map[string][]string{}}
	for name, hash := range have {
		s.Files[name] = []string{hash}
	}
	present, err := readWhole(f, sumsName)
	if err = ignoreMissing(err); err == nil {
		o := d.openOutside(f)
		defer o.close()
		_, err = o.save(sha(present), &s)
	}
	if err != nil {
		return err
	}
	return writeSums(f, &s)
}
