package checks

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/checks/regular"
)

// Programs returns the programs that the words of commands would find on a PATH, by their
// paths, with a hash of what they are. Directories below the tops are left out: what is in
// a tree is known by that.
func Programs(list string, commands []Command, tops ...string) map[string]string {
	found := map[string]string{}
	dirs := slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool {
		return !filepath.IsAbs(dir) || slices.ContainsFunc(tops, func(top string) bool { return isBelow(dir, top) })
	})
	for _, c := range commands {
		for _, word := range ShellWords(c.Run) {
			if strings.Contains(word, "/") {
				continue
			}
			for _, dir := range dirs {
				if sum := program(filepath.Join(dir, word)); sum != "" {
					found[filepath.Join(dir, word)] = sum
					break
				}
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

// isBelow reports whether a directory, or what it is a link to, is in a top.
func isBelow(dir, top string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	below, err := filepath.Rel(top, real)
	return err == nil && filepath.IsLocal(below)
}

// ShellWords returns the words of a shell text, without regard to what they do.
func ShellWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\r;|&()<>\"'`$={}[],:", r) })
}

// sums holds what the programs were that this process has read, by their paths.
var sums sync.Map

// summed is what a program was when it was read. No program can be given other content
// and keep all of it, since the clock of the kernel says when a file was changed.
type summed struct {
	info unix.Stat_t // without the time of its last use
	sum  string
}

// changeTick is longer than the clock of any file system stands still: a file that was
// changed within it may change again at the same time.
const changeTick = 2 * time.Second

// maxProgram bounds what is read of a program. A check may leave a file of holes that takes no space and no end to
// read; of a larger one the size and the time of the last change count.
const maxProgram = 1 << 30

// program returns the hash of an executable file; empty when there is none.
func program(name string) string {
	var info unix.Stat_t
	if err := unix.Stat(name, &info); err != nil || info.Mode&unix.S_IFMT != unix.S_IFREG || info.Mode&0o111 == 0 {
		return ""
	}
	if info.Size > maxProgram {
		return fmt.Sprintf("%d bytes of %d", info.Size, info.Ctim.Nano())
	}
	info.Atim = unix.Timespec{}
	if known, ok := sums.Load(name); ok && known.(summed).info == info {
		return known.(summed).sum
	}
	started := time.Now()
	file, err := regular.Open(name)
	if err != nil {
		return "unreadable"
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, io.LimitReader(file, maxProgram)); err != nil {
		return "unreadable"
	}
	sum := hex.EncodeToString(hash.Sum(nil)[:16])
	if changed := time.Unix(info.Ctim.Unix()); started.Sub(changed) > changeTick {
		sums.Store(name, summed{info, sum})
	}
	return sum
}

// absolute leaves out of PATH what depends on the folder a command happens to be
// in: a file of the repository must not replace a tool.
func absolute(list string) string {
	var kept []string
	for _, dir := range filepath.SplitList(list) {
		if filepath.IsAbs(dir) {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}
