package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"ferrus/agent/process"
	"ferrus/agent/statedir"
)

// Heads is a directory outside of all projects, with a second copy of the head of each
// project's journal: a process that can write only the project can neither restore an
// older record nor delete one unnoticed. A project's file there has the random name that is
// in the head of its STATE.json (head.project). The directory is made with the first head,
// and not used while other users can write it. Empty: no heads are kept.
type Heads string

// UserHeads returns this user's directory, $XDG_STATE_HOME/ferrus/heads or else
// ~/.local/state/ferrus/heads, which need not exist; empty if the user has no home.
func UserHeads() Heads {
	state := statedir.Find()
	if state == "" {
		return ""
	}
	return Heads(filepath.Join(state, "heads"))
}

// disk returns where the heads are; nil: nowhere.
func (h Heads) disk() disk {
	if h == "" {
		return nil
	}
	return headsDisk(h)
}

// errUnsafe says that the directory of the heads cannot be trusted.
var errUnsafe = errors.New("other users can write the directory")

// headsDisk is the directory of the heads on the real disk.
type headsDisk string

// create makes the directory and those above it, durably, also where a process made them that
// died before they were.
func (d headsDisk) create() (folder, error) {
	dirs := []string{string(d)}
	for range 3 { // state, ferrus, heads: what is above is not ours
		dirs = append(dirs, filepath.Dir(dirs[len(dirs)-1]))
	}
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return nil, err
	}
	for _, dir := range dirs[1:] {
		opened, err := os.Open(dir)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(opened.Sync(), opened.Close()); err != nil {
			return nil, err
		}
	}
	return d.open()
}

func (d headsDisk) open() (folder, error) {
	info, err := os.Lstat(string(d))
	switch {
	case err != nil:
		return nil, err
	case info.Mode().Perm()&0o022 != 0:
		return nil, fmt.Errorf("%w: run: chmod 700 %s", errUnsafe, string(d))
	}
	return osDisk(d).open()
}

// point is a place in a journal.
type point struct {
	Seq    uint64 `json:"seq"`
	SHA256 string `json:"sha256"` // of the line of that seq
}

// keptHead is a file in Heads, named after the project that a head names. It is written
// durably before a commit, so a crash leaves the state at one of the two points.
type keptHead struct {
	Path  string `json:"path"`  // of .ferrus
	Inode uint64 `json:"inode"` // of the same
	point
	Next point `json:"next"`
	// Generation orders the two records in the file: the greater is the newer.
	Generation uint64 `json:"generation,omitempty"`
	Sum        string `json:"sum"` // SHA-256 of the record with nothing here
}

// keptFiles is the file beside a keptHead that is written after a commit, without a sync:
// what the last writer left. A loss of power can take it or tear it, so it is believed only
// by the system that wrote it, and only while it runs.
type keptFiles struct {
	Boot string `json:"boot"`
	point
	States  []string `json:"states"`  // hashes of STATE.json: the present file's, and its replacement's
	Journal int64    `json:"journal"` // bytes
	Sum     string   `json:"sum"`     // as in keptHead
}

func (k *keptHead) generation() *uint64 { return &k.Generation }
func (k *keptHead) sum() *string        { return &k.Sum }
func (k *keptFiles) sum() *string       { return &k.Sum }

// summed is a record that contains its own sum.
type summed interface{ sum() *string }

// encodeSummed returns a record with its sum: a line.
func encodeSummed(v summed) ([]byte, error) {
	*v.sum() = ""
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	*v.sum() = sha(data)
	data, err = json.Marshal(v)
	return append(data, '\n'), err
}

// decodeSummed reads a record into an empty value, and compares it with its sum.
func decodeSummed(data []byte, v summed) error {
	if json.Unmarshal(data, v) != nil {
		return errNotOurs
	}
	if again, err := encodeSummed(v); err != nil || !bytes.Equal(again, data) {
		return errNotOurs
	}
	return nil
}

// errNotOurs says that a file has been changed, or torn.
var errNotOurs = errors.New("it is not what ferrus wrote")

// place returns where a .ferrus is, for its head.
func (d *Files) place() (path string, inode uint64) {
	if info, err := os.Lstat(d.root); err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			inode = stat.Ino
		}
	}
	return d.root, inode
}

// bootID identifies this run of the system; empty: unknown.
var bootID = sync.OnceValue(func() string {
	_, id, _ := process.Uptime()
	return id
})

// PlaceError reports a .ferrus that is not where the ferrus of this user left it: it was
// moved, copied or restored. Nothing was changed; [Dir.Adopt] continues it.
type PlaceError struct {
	Dir string // .ferrus
	Why string
	// copied says that the original is still in its place: each goes its own way.
	copied bool
}

func (p *PlaceError) Error() string { return p.Dir + " " + p.Why + "; run: ferrus trust" }

// compare returns what speaks against a state at a place, as its kept head knows it.
func (k keptHead) compare(doc document, path string, inode uint64) error {
	now := doc.Head.point()
	known := now == k.point || now == k.Next
	if why, copied := k.moved(path, inode); why != "" {
		if !known {
			why += fmt.Sprintf("; its record is at seq %d, and %s was left at seq %d", now.Seq, k.Path, k.Seq)
		}
		return &PlaceError{Dir: path, Why: why, copied: copied}
	}
	switch {
	case known:
		return nil
	case doc.Head.Unkept != "" && now.Seq > k.Seq:
		return &PlaceError{Dir: path, Why: fmt.Sprintf("continued from seq %d to seq %d while its head could not be "+
			"kept outside (%s)", k.Seq, now.Seq, doc.Head.Unkept)}
	case now.Seq < k.Seq:
		return &DamagedError{File: stateName, Fix: fixRepair, Why: fmt.Sprintf("it is at seq %d, and %d was reached "+
			"here: what followed was deleted or replaced by an older copy", now.Seq, k.Seq)}
	}
	return &DamagedError{File: stateName, Fix: fixRepair, Why: fmt.Sprintf("seq %d is not what ferrus left here, at "+
		"seq %d: the record was rewritten", now.Seq, k.Seq)}
}

// moved returns why a place is not the head's; empty if it is.
func (k keptHead) moved(path string, inode uint64) (why string, copied bool) {
	if path == k.Path {
		if inode == k.Inode {
			return "", false
		}
		return "was replaced as a whole, as by a backup that was restored", false
	}
	info, err := os.Lstat(k.Path)
	if err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Ino == k.Inode {
			return "was copied from " + k.Path + ", which is still there", true
		}
	}
	return "was moved here from " + k.Path, false
}

// point returns the place in the journal that a head is at.
func (h head) point() point { return point{h.Seq, h.SHA256} }

// compare returns what speaks against a state and the size of its journal, if the files are
// as the last writer left them, and it was not killed since it announced another.
func (k keptFiles) compare(announced keptHead, doc document, journal int64) error {
	switch now := doc.Head.point(); {
	case k.point != announced.Next:
		return nil
	case now != k.point:
		return &DamagedError{File: stateName, Fix: fixRepair, Why: fmt.Sprintf("it is at seq %d, and %d was reached "+
			"here: it was replaced by an older copy", now.Seq, k.Seq)}
	case !slices.Contains(k.States, doc.Head.Sum):
		return &DamagedError{File: stateName, Why: "it is not the copy that ferrus last wrote", Fix: fixRepair}
	case journal != k.Journal:
		return damagedChain("it has %d bytes, and ferrus left %d", journal, k.Journal)
	}
	return nil
}

// missingHead says what it means that no head of a project is kept here.
func missingHead(doc document, path string, heads folder) error {
	if doc.Head.Seq == 0 {
		return nil // nothing has happened yet
	}
	why := "is not known on this machine: it was copied here or restored, or the heads that ferrus keeps were removed"
	if k, ok, err := findKept(heads, path); err != nil {
		return err
	} else if ok {
		why = fmt.Sprintf("took the place of another, which was left at seq %d", k.Seq)
	}
	return &PlaceError{Dir: path, Why: why}
}

// findKept returns the head that was left for a .ferrus of a path. One that was only
// announced is none: its state may never have been.
func findKept(heads folder, path string) (keptHead, bool, error) {
	names, err := heads.list(".")
	for _, name := range names {
		if k, err := readNewest[keptHead](heads, name); err == nil && k.Path == path &&
			(k.Seq > 0 || slices.Contains(names, filesOf(name))) {
			return k, true, nil
		}
	}
	return keptHead{}, false, err
}

// filesOf returns the name of the keptFiles of a project.
func filesOf(project string) string { return project + ".files" }

// isMissing reports that a file or a directory is not there.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
