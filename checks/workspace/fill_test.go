package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// filled is what the tests of Fill want.
var filled = Contents{
	Files: map[string][]byte{"a": []byte("one\n"), "dir/deep/b": []byte("two\n"), "empty": nil},
	Dirs:  []string{"dir/none"},
}

// listAll returns what is below a directory: kinds, modes, inodes and content.
func listAll(t *testing.T, top string, inodes bool) (all []string) {
	t.Helper()
	err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := ""
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(data)
		}
		line := fmt.Sprintf("%s %s %q", strings.TrimPrefix(path, top), info.Mode(), text)
		if inodes {
			line += fmt.Sprint(" ", info.Sys().(*syscall.Stat_t).Ino, info.ModTime())
		}
		all = append(all, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFillPutsRightWhatCommandsDid checks that whatever is in a directory, it has the contents and nothing else
// afterwards, and that what was right is the same file.
func TestFillPutsRightWhatCommandsDid(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(top string) error{
		"nothing":            func(string) error { return nil },
		"no directory":       os.RemoveAll,
		"file for directory": func(top string) error { return replaceBy(top, func() error { return write(top, "x") }) },
		"link for directory": func(top string) error {
			return replaceBy(top, func() error { return os.Symlink(filepath.Dir(top), top) })
		},
		"content":            func(top string) error { return write(top+"/a", "ONE\n") },
		"longer":             func(top string) error { return write(top+"/a", "one\none\n") },
		"shorter":            func(top string) error { return write(top+"/dir/deep/b", "") },
		"empty":              func(top string) error { return write(top+"/empty", "x") },
		"mode":               func(top string) error { return os.Chmod(top+"/a", 0o444) },
		"no mode":            func(top string) error { return os.Chmod(top+"/a", 0) },
		"mode of directory":  func(top string) error { return os.Chmod(top+"/dir", 0) },
		"mode of the top":    func(top string) error { return os.Chmod(top, 0o777) },
		"more":               func(top string) error { return write(top+"/more/x/y", "x") },
		"second name inside": func(top string) error { return os.Link(top+"/a", top+"/dir/a") },
		"second name":        func(top string) error { return os.Link(top+"/a", filepath.Dir(top)+"/kept") },
		"link": func(top string) error {
			return replaceBy(top+"/a", func() error { return os.Symlink("empty", top+"/a") })
		},
		"link inside": func(top string) error {
			return replaceBy(top+"/dir/deep", func() error { return os.Symlink("..", top+"/dir/deep") })
		},
		"pipe": func(top string) error {
			return replaceBy(top+"/a", func() error { return syscall.Mkfifo(top+"/a", 0o600) })
		},
		"directory for a file": func(top string) error {
			return replaceBy(top+"/a", func() error { return write(top+"/a/b", "x") })
		},
		"renamed":           func(top string) error { return os.Rename(top+"/a", top+"/b") },
		"renamed directory": func(top string) error { return os.Rename(top+"/dir", top+"/other") },
		"renamed inside":    func(top string) error { return os.Rename(top+"/dir/deep", top+"/dir/deeper") },
		"names exchanged": func(top string) error {
			return errors.Join(os.Rename(top+"/a", top+"/x"), os.Rename(top+"/dir", top+"/a"),
				os.Rename(top+"/x", top+"/dir"))
		},
		"another file": func(top string) error {
			return replaceBy(top+"/a", func() error { return write(top+"/z", "12345") })
		},
		"another directory": func(top string) error {
			return replaceBy(top+"/dir", func() error { return write(top+"/z/y", "x") })
		},
		"a file for a directory": func(top string) error {
			return replaceBy(top+"/dir", func() error { return write(top+"/z", "x") })
		},
		"renamed, with another name": func(top string) error {
			return errors.Join(os.Rename(top+"/a", top+"/b"), os.Link(top+"/b", filepath.Dir(top)+"/kept"))
		},
		"renamed, without a mode": func(top string) error {
			return errors.Join(os.Rename(top+"/a", top+"/b"), os.Chmod(top+"/b", 0), os.Rename(top+"/dir", top+"/e"),
				os.Chmod(top+"/e", 0))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := filepath.Join(t.TempDir(), "top")
			if err := Fill(top, filled); err != nil {
				t.Fatal(err)
			}
			want, before := listAll(t, top, false), listAll(t, top, true)
			if err := do(top); err != nil {
				t.Fatal(err)
			}
			if err := Fill(top, filled); err != nil {
				t.Fatal(err)
			}
			if got := listAll(t, top, false); !slices.Equal(got, want) {
				t.Errorf("the directory has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if again := listAll(t, top, true); name == "nothing" && !slices.Equal(again, before) {
				t.Errorf("the directory was\n%s\nand is\n%s", strings.Join(before, "\n"), strings.Join(again, "\n"))
			}
			if text, err := os.ReadFile(filepath.Dir(top) + "/kept"); err == nil && string(text) != "one\n" {
				t.Errorf("the other name has %q", text)
			}
		})
	}
}

// replaceBy removes what has a name, and then makes another thing.
func replaceBy(name string, make func() error) error {
	if err := os.RemoveAll(name); err != nil {
		return err
	}
	return make()
}

// write writes a file, and the directories that it is in.
func write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}
