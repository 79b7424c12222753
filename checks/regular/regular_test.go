package regular

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// tree has a file, and what a program may put in the place of one.
func tree(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "in")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(dir, 0o700))
	must(os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o600))
	must(os.WriteFile(filepath.Join(dir, "..", "secret"), []byte("secret"), 0o600))
	must(os.Mkdir(filepath.Join(dir, "directory"), 0o700))
	must(unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	must(os.Symlink("file", filepath.Join(dir, "link")))
	must(os.Symlink("pipe", filepath.Join(dir, "pipelink")))
	must(os.Symlink("/dev/zero", filepath.Join(dir, "device")))
	must(os.Symlink("../secret", filepath.Join(dir, "out")))
	return dir
}

// Whatever is in the place of a file, the reader returns at once.
func TestRead(t *testing.T) {
	t.Parallel()
	dir := tree(t)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, want := range map[string]string{"file": "text", "link": "text"} {
		if text, err := Read(filepath.Join(dir, name), 4); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v; want %q", name, text, err, want)
		}
		if text, err := ReadIn(root, name, 4); err != nil || string(text) != want {
			t.Errorf("%s in its directory: %q, %v", name, text, err)
		}
		if text, err := Read(filepath.Join(dir, name), 3); err == nil {
			t.Errorf("%s has %q, which is longer than 3", name, text)
		}
	}
	for _, name := range []string{"directory", "pipe", "pipelink", "device"} {
		if _, err := Read(filepath.Join(dir, name), 4); !errors.Is(err, ErrKind) {
			t.Errorf("Read(%s): %v, want ErrKind", name, err)
		}
	}
	for _, name := range []string{"directory", "pipe", "pipelink", "device", "out"} {
		if text, err := ReadIn(root, name, 10); err == nil {
			t.Errorf("%s in its directory: %q", name, text)
		}
	}
}

// A path that was a file when it was examined may be a pipe when it is opened.
func TestExchangedFile(t *testing.T) {
	t.Parallel()
	dir := tree(t)
	info, err := os.Stat(filepath.Join(dir, "file"))
	file, err := open(info, err, func() (*os.File, error) { return os.OpenFile(filepath.Join(dir, "pipe"), flags, 0) })
	if file != nil || !errors.Is(err, ErrKind) {
		t.Errorf("got %v, %v; want ErrKind", file, err)
	}
}
