package git

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// refreshBytes bounds the content of changed files that is read without git, and hashed in memory.
const refreshBytes = 16 << 20

// Fields of an entry, in bytes from its beginning, each of four bytes.
const (
	statTimes  = 16 // both, in seconds and nanoseconds
	statDevice = 16
	statInode  = 20
	statSize   = 36
)

// exact replaces the device, which git does not compare, in an entry whose file has the content of the entry as long as
// it has its size and times: it was read at a later time, by the clock of the file system, than it changed last. Git
// does not wait for that, and so has to read again what is as young as the index: https://git-scm.com/docs/racy-git
const exact = math.MaxUint32

// Refreshed is what [Git.Refresh] found.
type Refreshed struct {
	Tree    string   // that the index makes
	Ignored []string // files of the index that are ignored, and directories, with a slash behind their names
}

// Refresh does what git add --all and [Git.WriteTree] do, where nothing but the content of files has
// changed since [Git.Remember]. Otherwise it reports false; the index has at most become what files are now.
func (g Git) Refresh(ctx context.Context, w Worktree) (Refreshed, bool) {
	u, err := w.read()
	if err != nil || u.of != w.identity() || len(g.Stores) == 0 {
		return Refreshed{}, false
	}
	before, err := w.Now()
	if err != nil {
		return Refreshed{}, false
	}
	x, err := readIndex(g.Index, g.Format)
	if err != nil || namesOf(x.entries) != u.names || !w.holds(u) {
		return Refreshed{}, false
	}
	r := refresh{Git: g, worktree: w, index: x, stores: stores{dirs: g.Stores}, before: before}
	defer r.stores.close()
	if err := r.entries(); err != nil || len(r.changed) > 0 && !w.holds(u) {
		return Refreshed{}, false // A link in the place of a directory leads to other files.
	}
	tree, err := r.tree(ctx)
	return Refreshed{tree, u.ignored}, err == nil
}

// refresh is a Refresh in progress.
type refresh struct {
	Git
	worktree Worktree
	index    indexFile
	stores   stores
	before   int64    // when it began, by the clock of the file system
	racy     int64    // the second in which the index was written
	bytes    int64    // of what was read
	changed  []string // files that are not what the index had
	stale    bool     // the index must be written
}

// entries brings all entries up to date. Every error means: ask git.
func (r *refresh) entries() error {
	var st unix.Stat_t
	if err := unix.Lstat(r.Index, &st); err != nil {
		return err
	}
	r.racy = st.Mtim.Sec
	for i := range r.index.entries {
		if err := r.entry(i); err != nil {
			return err
		}
	}
	return nil
}

// tree writes the index, if it must be written, and the trees that it makes.
func (r *refresh) tree(ctx context.Context) (string, error) {
	known := r.index.trees()
	for _, name := range r.changed {
		known.forget(name)
	}
	root, err := r.writeTree(r.index.entries, known)
	if r.stale {
		if wrong := r.index.write(r.Index, r.Format, cmp.Or(root, known)); wrong != nil {
			return "", wrong
		}
	}
	if err != nil {
		return r.Output(ctx, "write-tree")
	}
	return root.id, nil
}

// entry compares an entry with its file, and changes it to what the file is now.
func (r *refresh) entry(i int) error {
	e, noted := &r.index.entries[i], r.index.data[r.index.at[i]:]
	name := r.worktree.file(e.Path)
	var st unix.Stat_t
	if err := unix.Lstat(name, &st); err != nil {
		return err
	}
	mode, now := canonical(uint32(st.Mode)), statBytes(st)
	same := sameStat(noted, now) && (st.Size > 0 || e.ID == Hash(e.ID, "blob", nil))
	if same && (binary.BigEndian.Uint32(noted[statDevice:]) == exact || max(st.Mtim.Sec, st.Ctim.Sec) < r.racy) {
		return nil
	}
	if kind := mode & modeFormat; kind != e.Kind() || kind != ModeFile&modeFormat && kind != ModeLink {
		return errAskGit
	}
	content, err := r.read(e.Path, st)
	if err != nil {
		return err
	}
	id := Hash(e.ID, "blob", content)
	if id != e.ID && !r.stores.has(id) {
		if _, err := WriteObject(r.Stores[0], id, "blob", content); err != nil {
			return err
		}
	}
	if id != e.ID || mode != e.Mode {
		r.changed = append(r.changed, e.Path)
	}
	if max(st.Mtim.Nano(), st.Ctim.Nano()) < r.before {
		binary.BigEndian.PutUint32(now[statDevice:], exact)
	} else { // It may change without another time. Git and Refresh read a file again for which a size of 0 is noted.
		binary.BigEndian.PutUint32(now[statSize:], 0)
	}
	raw, err := hex.DecodeString(id)
	if err != nil {
		return err
	}
	copy(noted, now)
	copy(noted[indexStat:], raw)
	e.ID, e.Mode, r.stale = id, mode, true
	return nil
}

// read returns the content of a file that has not changed since it was examined, or what a link leads to.
func (r *refresh) read(name string, st unix.Stat_t) ([]byte, error) {
	if uint32(st.Mode)&unix.S_IFMT == unix.S_IFLNK {
		to, err := os.Readlink(r.worktree.file(name))
		return []byte(to), err
	}
	if r.bytes += st.Size; r.bytes > refreshBytes {
		return nil, errAskGit
	}
	file, err := r.worktree.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, st.Size+1))
	var now unix.Stat_t
	err = errors.Join(err, unix.Fstat(int(file.Fd()), &now))
	if err == nil && (int64(len(content)) != st.Size || !sameStat(statBytes(st), statBytes(now))) {
		err = errAskGit
	}
	return content, err
}

// statBytes returns what an index notes of a file in front of the name of its object.
func statBytes(st unix.Stat_t) []byte {
	b := make([]byte, 0, indexStat)
	for _, n := range []uint32{
		uint32(st.Ctim.Sec), uint32(st.Ctim.Nsec), uint32(st.Mtim.Sec), uint32(st.Mtim.Nsec),
		uint32(st.Dev), uint32(st.Ino), canonical(uint32(st.Mode)), st.Uid, st.Gid, uint32(st.Size),
	} {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

// sameStat compares what an index notes of a file, but for the device, see [exact].
func sameStat(a, b []byte) bool {
	return bytes.Equal(a[:statTimes], b[:statTimes]) && bytes.Equal(a[statInode:indexStat], b[statInode:indexStat])
}

// forget forgets what is noted of the directories that a file is in.
func (t *cachedTree) forget(name string) {
	for t != nil {
		t.id, t.count = "", -1
		dir, rest, inside := strings.Cut(name, "/")
		if !inside {
			return
		}
		t, name = t.inside(dir), rest
	}
}

// appendTo appends what is noted of a directory, as git writes it: those inside by the length of their names.
func (t *cachedTree) appendTo(data []byte, name string) []byte {
	data = append(append(data, name...), 0)
	data = strconv.AppendInt(data, int64(t.count), 10)
	data = append(strconv.AppendInt(append(data, ' '), int64(len(t.below)), 10), '\n')
	if t.count >= 0 {
		raw, _ := hex.DecodeString(t.id) // It was encoded here.
		data = append(data, raw...)
	}
	for _, inside := range slices.SortedFunc(maps.Keys(t.below), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	}) {
		data = t.below[inside].appendTo(data, inside)
	}
	return data
}

// write replaces an index by one with the same entries, in which trees are noted; nil: none.
func (x indexFile) write(name, format string, root *cachedTree) error {
	data := slices.Clone(x.data[:x.end])
	if root != nil {
		noted := root.appendTo(nil, "")
		data = append(binary.BigEndian.AppendUint32(append(data, "TREE"...), uint32(len(noted))), noted...)
	}
	return replace(name, withSum(data, format))
}

// replace replaces a file of which the caller has the lock, all at once.
func replace(name string, data []byte) error {
	lock := name + ".lock"
	err := os.WriteFile(lock, data, 0o600)
	if err == nil {
		err = os.Rename(lock, name)
	}
	if err != nil {
		_ = os.Remove(lock) // it may not be there
		return fmt.Errorf("replace %s: %w", name, err)
	}
	return nil
}
