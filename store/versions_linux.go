package store

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"os"
	"path"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// versionedFilesystems change the change time of a file whenever it is written to, through a mapping too, and no other
// machine writes to them.
var versionedFilesystems = map[int64]bool{
	unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.BTRFS_SUPER_MAGIC: true, unix.F2FS_SUPER_MAGIC: true,
}

// clockStep is more than the step of the clock that change times are read from: what is written after a change time
// of this age gets another one.
const clockStep = 50 * time.Millisecond

// versions implements [versioned] with inodes, sizes and change times, which no user can set.
func (f osFolder) versions(names []string, sync bool) map[string]string {
	all := make(map[string]string, len(names))
	dirs := map[string]*os.File{}
	for _, name := range names {
		parent := path.Dir(name)
		dir, opened := dirs[parent]
		if !opened {
			dir = f.openVersioned(parent)
			dirs[parent] = dir
			defer dir.Close() // nil too
		}
		v := versionReader{sum: sha256.New(), before: time.Now().Add(-clockStep).UnixNano(), sync: sync}
		if dir != nil && v.add(int(dir.Fd()), path.Base(name), versionDepth) {
			all[name] = string(v.sum.Sum(nil))
		}
	}
	return all
}

// openVersioned opens a directory; nil: that fails, or its file system tells too little.
func (f osFolder) openVersioned(name string) *os.File {
	dir, err := f.raw(name, os.O_RDONLY)
	if err != nil {
		return nil
	}
	var fs unix.Statfs_t
	if unix.Fstatfs(int(dir.Fd()), &fs) != nil || !versionedFilesystems[int64(fs.Type)] {
		dir.Close()
		return nil
	}
	return dir
}

// versionDepth is how deep the files of an archive lie in its directory.
const versionDepth = 2

// versionReader adds what the system knows of files to a hash.
type versionReader struct {
	sum    hash.Hash
	before int64 // ns since 1970; of files that were changed later it can not be told
	sync   bool
	line   []byte // of a file; the next one uses it again
}

// add adds a file, or those in a directory, and reports whether it can be told that they change.
func (v *versionReader) add(at int, name string, depth int) bool {
	var st unix.Stat_t
	if unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return false
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return depth > 0 && v.addDir(at, name, depth-1)
	case unix.S_IFREG:
	default:
		return false
	}
	if v.sync && (!syncMapped(at, name) || unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil) {
		return false
	}
	v.line = append(append(v.line[:0], name...), 0)
	for _, n := range []int64{int64(st.Dev), int64(st.Ino), int64(st.Mode), st.Size, st.Mtim.Nano(), st.Ctim.Nano()} {
		v.line = binary.LittleEndian.AppendUint64(v.line, uint64(n))
	}
	v.sum.Write(v.line)
	return st.Ctim.Nano() < v.before
}

func (v *versionReader) addDir(at int, name string, depth int) bool {
	fd, err := unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	names, err := namesIn(fd)
	if err != nil {
		return false
	}
	v.sum.Write(append([]byte(name), '/'))
	for _, name := range names {
		if !v.add(fd, name, depth) {
			return false
		}
	}
	v.sum.Write([]byte{0})
	return true
}

// namesIn returns the names in a directory, sorted, with fewer system calls than [os.File.Readdirnames].
func namesIn(fd int) (names []string, err error) {
	var entries [4096]byte
	for {
		n, err := unix.ReadDirent(fd, entries[:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			slices.Sort(names)
			return names, err
		}
		_, _, names = unix.ParseDirent(entries[:n], -1, names)
	}
}

// syncMapped writes what processes changed through mappings. What they change in the same pages after that changes the
// file's change time again: until then only the first change of a page does.
func syncMapped(at int, name string) bool {
	fd, err := unix.Openat(at, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	const all = unix.SYNC_FILE_RANGE_WAIT_BEFORE | unix.SYNC_FILE_RANGE_WRITE | unix.SYNC_FILE_RANGE_WAIT_AFTER
	return unix.SyncFileRange(fd, 0, 0, all) == nil
}
