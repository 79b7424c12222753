package git

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// VerifyFiles reads every file of the index. Of one with another content the index forgets the size, so that git and
// [Git.Refresh] read it again: a program that writes a mapped file changes it, but not its times.
func (g Git) VerifyFiles(ctx context.Context, w Worktree) error {
	_, err := g.verify(ctx, w, func(TreeEntry) bool { return true })
	if errors.Is(err, errIndex) || errors.Is(err, fs.ErrNotExist) {
		return os.RemoveAll(g.Index) // Without one git reads everything.
	}
	return err
}

// Differing is [Git.VerifyFiles] for some files, and returns the differing ones. While git adds files, it follows a
// link that a program puts in the place of a directory: it may have read others than the files of the worktree.
func (g Git) Differing(ctx context.Context, w Worktree, names map[string]bool) ([]string, error) {
	return g.verify(ctx, w, func(e TreeEntry) bool { return names[e.Path] })
}

func (g Git) verify(ctx context.Context, w Worktree, read func(TreeEntry) bool) (wrong []string, err error) {
	x, err := readIndex(g.Index, g.Format)
	if err != nil {
		return nil, err
	}
	var mutex sync.Mutex
	var wait sync.WaitGroup
	for first := range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			buffer := make([]byte, 64<<10)
			for i := first; i < len(x.entries) && ctx.Err() == nil; i += runtime.GOMAXPROCS(0) {
				if !read(x.entries[i]) || w.has(x.entries[i], buffer) {
					continue
				}
				binary.BigEndian.PutUint32(x.data[x.at[i]+statSize:], 0)
				mutex.Lock()
				wrong = append(wrong, x.entries[i].Path)
				mutex.Unlock()
			}
		})
	}
	wait.Wait()
	if ctx.Err() != nil || len(wrong) == 0 {
		return nil, ctx.Err()
	}
	return wrong, x.write(g.Index, g.Format, x.trees())
}

// has reports whether the file of an entry has its content. It reads no links.
func (w Worktree) has(e TreeEntry, buffer []byte) bool {
	if e.Kind() != ModeFile&modeFormat {
		return true
	}
	file, err := w.open(e.Path)
	if err != nil {
		return false
	}
	defer file.Close()
	var st unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return false
	}
	sum := Hasher(e.ID, "blob", st.Size)
	_, err = io.CopyBuffer(sum, io.LimitReader(file, st.Size+1), buffer)
	return err == nil && hex.EncodeToString(sum.Sum(nil)) == e.ID
}

// open opens a file, and follows no link on the way, whatever a program puts there meanwhile.
func (w Worktree) open(name string) (*os.File, error) {
	const flags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_CLOEXEC
	at, err := unix.Open(w.Top, flags|unix.O_DIRECTORY, 0)
	for rest, more := name, true; more && err == nil; {
		var part string
		part, rest, more = strings.Cut(rest, "/")
		kind := 0
		if more {
			kind = unix.O_DIRECTORY
		}
		var next int
		next, err = unix.Openat(at, part, flags|kind, 0)
		_ = unix.Close(at) // nothing was written
		at = next
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: w.file(name), Err: err}
	}
	return os.NewFile(uintptr(at), w.file(name)), nil
}
