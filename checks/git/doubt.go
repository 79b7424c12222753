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
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Doubt reads every file of the index. The index notes no more of a file that has another content, so that git and
// [Git.Refresh] read it again: a program that writes a file through memory changes it without other times.
func (g Git) Doubt(ctx context.Context, w Worktree) error {
	x, err := readIndex(g.Index, g.Format)
	if err != nil {
		return os.RemoveAll(g.Index) // Without one git reads everything.
	}
	var wrong atomic.Bool
	var wait sync.WaitGroup
	for first := range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			buffer := make([]byte, 64<<10)
			for i := first; i < len(x.entries) && ctx.Err() == nil; i += runtime.GOMAXPROCS(0) {
				if noted := x.data[x.at[i]:]; w.differs(x.entries[i], noted, buffer) {
					binary.BigEndian.PutUint32(noted[statSize:], 0)
					wrong.Store(true)
				}
			}
		})
	}
	wait.Wait()
	if ctx.Err() != nil || !wrong.Load() {
		return ctx.Err()
	}
	return x.write(g.Index, g.Format, x.trees())
}

// differs reports whether a file with the size and times that are noted has another content than its entry. Every
// other file is read again without that.
func (w Worktree) differs(e TreeEntry, noted, buffer []byte) bool {
	if e.Kind() != ModeFile&modeFormat {
		return false // A link cannot be in memory.
	}
	file, err := os.OpenFile(w.file(e.Path), os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer file.Close()
	var st unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &st); err != nil || !sameStat(noted, statBytes(st)) {
		return err != nil
	}
	sum := Hasher(e.ID, "blob", st.Size)
	_, err = io.CopyBuffer(sum, io.LimitReader(file, st.Size+1), buffer)
	return err != nil || hex.EncodeToString(sum.Sum(nil)) != e.ID
}
