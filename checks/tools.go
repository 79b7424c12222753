package checks

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// ShellWords are the words of a shell text, without regard to what they do.
func ShellWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\r;|&()<>\"'`$={}[],:", r) })
}

// program is the hash of an executable file; empty when there is none.
func program(name string) string {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return ""
	}
	file, err := os.Open(name)
	if err != nil {
		return "unreadable"
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "unreadable"
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
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
