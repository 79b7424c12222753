package home

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxCopied limits what is copied for one name of a list, in bytes.
const maxCopied = 64 << 20

// names returns the names to copy from your directory, with each pattern replaced by the files
// that it matches.
func (h Home) names(d Dir) (all []string) {
	for _, name := range d.Copy {
		if !strings.Contains(name, "*") {
			all = append(all, name)
			continue
		}
		entries, _ := os.ReadDir(h.real(d)) // one that cannot be read has no such file
		for _, e := range entries {
			if ok, _ := filepath.Match(name, e.Name()); ok && !e.IsDir() {
				all = append(all, e.Name())
			}
		}
	}
	return all
}

// copying copies one name of a list.
type copying struct {
	Home
	dir  Dir
	root *os.Root
	from string   // absolute, in your home
	left int64    // bytes
	dirs []string // without links: in which the walk is
}

// copyIn replaces a file or a directory of the home with yours. One that you do not have is
// left out.
func (h Home) copyIn(root *os.Root, d Dir, from, to string) error {
	c := copying{Home: h, dir: d, root: root, from: from, left: maxCopied}
	if err := c.one(from, to); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// one copies a file or a directory. Yours may be a link: its content is copied, unless it leads to a
// directory that it is in.
func (c *copying) one(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return nil // it is not there, or a link to nothing
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return c.directory(from, to)
	case mode.IsRegular():
		return c.file(from, to, info)
	}
	return nil
}

func (c *copying) directory(from, to string) error {
	real, err := filepath.EvalSymlinks(from)
	if err != nil || slices.Contains(c.dirs, real) {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	c.dirs = append(c.dirs, real)
	defer func() { c.dirs = c.dirs[:len(c.dirs)-1] }()
	for _, e := range entries {
		if err := c.one(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (c *copying) file(from, to string, info fs.FileInfo) error {
	if c.left -= info.Size(); c.left < 0 {
		return fmt.Errorf("%s is larger than %d MiB", c.from, maxCopied>>20)
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	switch kind := filepath.Ext(from); {
	case c.dir.Hashed && kind == ".toml":
		data = c.movedKeys(data)
	case !c.dir.Hashed && slices.Contains(settingsTypes, kind):
		data = c.moved(data)
	}
	return replace(c.root, to, data, info.Mode().Perm()&0o700)
}

// settingsTypes are the extensions of files in which paths are replaced.
var settingsTypes = []string{".json", ".jsonc", ".toml"}

// moved returns settings in which each path below a directory of the vendor leads into this home. They name
// programs of yours, and a program may look its own files up in them.
func (h Home) moved(text []byte) []byte {
	for _, d := range h.List.Dirs {
		real := h.real(d)
		if real == h.Real {
			continue
		}
		to := filepath.Join(h.Dir, h.private(d))
		text = movePaths(text, real, to)
		if resolved, err := filepath.EvalSymlinks(real); err == nil && resolved != real {
			text = movePaths(text, resolved, to)
		}
	}
	return text
}

// movedKeys is moved for the keys of a TOML file: names of tables, and quoted ones at the start of a line.
func (h Home) movedKeys(text []byte) (moved []byte) {
	for line := range bytes.Lines(text) {
		key, value := line, []byte(nil)
		switch start := bytes.TrimLeft(line, " \t"); {
		case bytes.HasPrefix(start, []byte(`[`)):
			key = h.moved(line)
		case bytes.HasPrefix(start, []byte(`"`)), bytes.HasPrefix(start, []byte(`'`)):
			at := max(bytes.IndexByte(line, '='), 0)
			key, value = h.moved(line[:at]), line[at:]
		}
		moved = append(append(moved, key...), value...)
	}
	return moved
}

// movePaths replaces a directory in front of a slash. It is no other directory's end.
func movePaths(text []byte, from, to string) []byte {
	parts := bytes.Split(text, []byte(from+"/"))
	moved := parts[0]
	for _, part := range parts[1:] {
		dir := to
		if n := len(moved); n > 0 && isNameByte(moved[n-1]) {
			dir = from
		}
		moved = append(append(append(slices.Clip(moved), dir...), '/'), part...)
	}
	return moved
}

// isNameByte reports whether a byte before a slash belongs to the name of a directory.
func isNameByte(b byte) bool {
	return b == '.' || b == '_' || b == '-' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80
}

// link makes a name in the home a link to your directory, which must be readable.
func link(root *os.Root, from, to string) error {
	if target, err := root.Readlink(to); err == nil && target == from && isDir(from) {
		return nil
	}
	if !isDir(from) {
		return remove(root, to)
	}
	if err := errors.Join(makeDir(root, filepath.Dir(to)), remove(root, to)); err != nil {
		return err
	}
	return root.Symlink(from, to)
}
