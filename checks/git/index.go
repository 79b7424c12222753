package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// EachEntry calls f with every entry of the index. The file [Git.Index] is read without git where that is
// possible.
func (g Git) EachEntry(ctx context.Context, f func(TreeEntry)) error {
	if g.Index != "" {
		x, err := readIndex(g.Index, g.Format)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			for _, e := range x.entries {
				f(e)
			}
			return nil
		}
	}
	return g.Each(ctx, func(entry string) {
		meta, name, _ := strings.Cut(entry, "\t") // 100644 <id> 0
		if fields := strings.Fields(meta); len(fields) == 3 {
			mode, _ := strconv.ParseUint(fields[0], 8, 32) // Git wrote it.
			f(TreeEntry{Mode: uint32(mode), ID: fields[1], Path: name})
		}
	}, "ls-files", "--stage", "-z")
}

// ForgetSubmodules removes the submodules from the index that are checked out below top, for
// the git add that follows: it takes them as new ones. Into one that it knows it would look, with
// the configuration and the programs that a session gave it there.
func (g Git) ForgetSubmodules(ctx context.Context, top string) error {
	var names strings.Builder
	err := g.EachEntry(ctx, func(e TreeEntry) {
		if e.Mode != ModeSubmodule {
			return
		}
		if _, err := os.Lstat(filepath.Join(top, filepath.FromSlash(e.Path), ".git")); err == nil {
			names.WriteString(e.Path + "\x00")
		}
	})
	if err != nil || names.Len() == 0 {
		return err
	}
	_, _, err = g.Run(ctx, strings.NewReader(names.String()), "update-index", "--force-remove", "-z", "--stdin")
	return err
}
