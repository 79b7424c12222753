package workspace

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/agent/process"
)

// entry is a file that belongs into the directory.
type entry struct {
	mode uint32 // of git
	id   string // the blob's name; of a kept file the SHA-256 of its content, of a kept link its target
	kept bool   // SaveOutput saved it: its content is in the copy, and perm is its own
	stat stat   // unchanged since it was written; zero: not written yet
	met  bool   // the walk found it unchanged since it was written
	// The walk found it written since it was recorded. Neither: it cannot be told.
	touched bool

	pointer bool // to an object of git LFS
}

// stat is what changes with a file. It is comparable.
type stat struct {
	ino   uint64
	ctime int64 // ns since 1970
	size  int64
	perm  uint32 // st_mode
	nlink uint64
}

// entries are files by their path, with slashes, below the directory.
type entries map[string]*entry

// unmet returns a copy of the entries that no walk has met.
func (f entries) unmet() entries {
	all := make(entries, len(f))
	for name, e := range f {
		n := *e
		n.met = false
		all[name] = &n
	}
	return all
}

// record is what is known of the directory.
type record struct {
	Tree     string
	Key      string    // of what was kept
	Complete bool      // SaveOutput was called for Key
	At       time.Time // after the last file was written
	Stamp    int64     // ns since 1970: a file that changed then or later counts as unknown
	Device   uint64
	Root     uint64 // inode of the directory
	Boot     string // of the system that wrote it

	gitFile     bool // must be written
	files, kept entries
	Empty       []string // directories without files that SaveOutput saved
}

// dirs returns the directories that belong there.
func (r *record) dirs() map[string]bool {
	dirs := parents(r.files, r.kept)
	for _, path := range r.Empty {
		for ; path != "" && !dirs[path]; path, _ = split(path) {
			dirs[path] = true
		}
	}
	return dirs
}

// entry returns what belongs at a path; nil if nothing does.
func (r *record) entry(name string) *entry {
	if e := r.files[name]; e != nil {
		return e
	}
	return r.kept[name]
}

// keptExcept returns what was kept and no tree replaces now.
func keptExcept(kept, files entries) entries {
	dirs := parents(files)
	left := make(entries, len(kept))
	for name, e := range kept {
		if _, tracked := files[name]; !tracked && !dirs[name] && !below(files, name) {
			n := *e
			n.met = false
			left[name] = &n
		}
	}
	return left
}

// emptyExcept returns the directories that no file of a tree blocks.
func emptyExcept(empty []string, files entries) (left []string) {
	for _, path := range empty {
		if _, tracked := files[path]; !tracked && !below(files, path) {
			left = append(left, path)
		}
	}
	return left
}

// below reports whether a file stands where a path needs a directory.
func below(files entries, name string) bool {
	for i := range len(name) {
		if name[i] == '/' {
			if _, is := files[name[:i]]; is {
				return true
			}
		}
	}
	return false
}

// parents returns the directories that files need.
func parents(all ...entries) map[string]bool {
	dirs := map[string]bool{}
	for _, files := range all {
		for name := range files {
			for i := strings.LastIndexByte(name, '/'); i >= 0; i = strings.LastIndexByte(name[:i], '/') {
				if dirs[name[:i]] {
					break
				}
				dirs[name[:i]] = true
			}
		}
	}
	return dirs
}

// columns are entries as the file has them: a slice for each field, which gob reads
// many times faster than a slice of structs.
type columns struct {
	Names []string
	Modes []uint32
	IDs   []string
	Inos  []uint64
	Times []int64
	Sizes []int64
	Perms []uint32
	Links []uint64
	LFS   []bool // pointers
}

func (f entries) columns() (c columns) {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		e := f[name]
		c.Names, c.Modes, c.IDs = append(c.Names, name), append(c.Modes, e.mode), append(c.IDs, e.id)
		c.Inos, c.Times, c.Sizes = append(c.Inos, e.stat.ino), append(c.Times, e.stat.ctime),
			append(c.Sizes, e.stat.size)
		c.Perms, c.Links = append(c.Perms, e.stat.perm), append(c.Links, e.stat.nlink)
		c.LFS = append(c.LFS, e.pointer)
	}
	return c
}

func (c columns) entries(kept bool) entries {
	f := make(entries, len(c.Names))
	all := make([]entry, len(c.Names))
	for i, name := range c.Names {
		all[i] = entry{mode: c.Modes[i], id: c.IDs[i], kept: kept, pointer: c.LFS[i],
			stat: stat{ino: c.Inos[i], ctime: c.Times[i], size: c.Sizes[i], perm: c.Perms[i], nlink: c.Links[i]}}
		f[name] = &all[i]
	}
	return f
}

// saved is the form of the record on disk: a line with the SHA-256 of the rest, in
// hex, then this as a gob.
type saved struct {
	Record      record
	Files, Kept columns
}

// save writes the record of a directory that is complete.
func (w *Workspace) save(root dir, r *record) error {
	device, inode, err := root.identity()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(w.forgotten(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if r.Stamp, err = w.stamp(file, root); err != nil {
		return err
	}
	r.At, r.Device, r.Root, r.Boot = time.Now(), device, inode, boot()
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(saved{*r, r.files.columns(), r.kept.columns()}); err != nil {
		return err
	}
	sum := sha256.Sum256(body.Bytes())
	text := append([]byte(hex.EncodeToString(sum[:])+"\n"), body.Bytes()...)
	if _, err := file.Write(text); err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Rename(w.forgotten(), w.recordFile()))
}

// stampOf returns the change time of a file that was just made: the present time, by the clock of the file system, in
// whatever steps it counts. On another file system than the directory's it says nothing, and is 0. Directories are
// compared, because an overlay can give the device of a layer for a file.
func stampOf(file *os.File, root dir) (int64, error) {
	made, err := dir{file}.status()
	if err != nil {
		return 0, err
	}
	parent, err := openDir(filepath.Dir(file.Name()))
	if err != nil {
		return 0, err
	}
	defer parent.Close()
	device, _, err := parent.identity()
	if err != nil {
		return 0, err
	}
	if of, _, err := root.identity(); err != nil || of != device {
		return 0, err
	}
	return made.Ctim.Nano(), nil
}

// forget renames the record, which the next one overwrites: a directory without one is written anew.
func (w *Workspace) forget() error {
	if err := os.Rename(w.recordFile(), w.forgotten()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// load reads the record. The error is [ErrNoRecord] where there is none that can be
// believed: it is damaged, or the directory, the boot or the clock is another one.
func (w *Workspace) load(root dir) (record, error) {
	text, err := os.ReadFile(w.recordFile())
	if err != nil {
		return record{}, ErrNoRecord
	}
	head, body, _ := bytes.Cut(text, []byte("\n"))
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != string(head) {
		return record{}, ErrNoRecord
	}
	var f saved
	if err := gob.NewDecoder(bytes.NewReader(body)).Decode(&f); err != nil {
		return record{}, ErrNoRecord
	}
	r := f.Record
	device, inode, err := root.identity()
	if err != nil {
		return record{}, err
	}
	if r.Device != device || r.Root != inode || r.Boot != boot() || r.At.After(time.Now()) {
		return record{}, ErrNoRecord
	}
	r.files, r.kept = f.Files.entries(false), f.Kept.entries(true)
	return r, nil
}

// boot names the system's start; empty where it tells none.
func boot() string {
	_, id, _ := process.Uptime()
	return id
}
