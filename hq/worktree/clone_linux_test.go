package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ferrus/checks/git"
)

// B.5 9: where the disk is full, a copy says so and leaves no file that is cut off: the next attempt copies it whole.
func TestCloneOnAFullDisk(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	if os.Geteuid() != 0 {
		t.Skip("mount: it needs root")
	}
	l := newFixture(t)
	text := strings.Repeat("0123456789abcdef", 1<<17) // 2 MiB
	l.write("big/a", text)
	l.write("big/b", text)
	if _, err := Make(t.Context(), l.Place, Options{}); err != nil {
		t.Fatal(err)
	}
	copies := filepath.Join(l.Top(), "big")
	if err := os.Mkdir(copies, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("none", copies, "tmpfs", 0, "size=3m"); err != nil {
		t.Skipf("mount: it is not allowed here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(copies, 2) }) // MNT_DETACH
	home, err := git.Locate(l.dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := Clone(t.Context(), home, l.Top(), "big"); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("on a full disk: %v", err)
	}
	if err := syscall.Mount("none", copies, "tmpfs", syscall.MS_REMOUNT, "size=16m"); err != nil {
		t.Fatal(err)
	}
	if err := Clone(t.Context(), home, l.Top(), "big"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		if got, err := os.ReadFile(filepath.Join(copies, name)); err != nil || string(got) != text {
			t.Errorf("%s has %d of %d bytes, %v", name, len(got), len(text), err)
		}
	}
}

// A copy must not take the last of a disk: what else writes there needs it.
func TestCopiesLeaveRoom(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	if os.Geteuid() != 0 {
		t.Skip("mount: it needs root")
	}
	for name, clone := range map[string]func(*fixture, git.Repository) error{
		"[hq] clone": func(l *fixture, home git.Repository) error { return Clone(t.Context(), home, l.Top(), "big") },
		IncludeFile:  func(l *fixture, home git.Repository) error { return Include(t.Context(), home, l.Top()) },
	} {
		l := newFixture(t)
		if _, err := Make(t.Context(), l.Place, Options{}); err != nil {
			t.Fatal(err)
		}
		l.write("big/a", strings.Repeat("0123456789abcdef", 31<<15)) // 15.5 MiB of 16
		l.write(IncludeFile, "big/\n")
		copies := filepath.Join(l.Top(), "big")
		if err := os.Mkdir(copies, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mount("none", copies, "tmpfs", 0, "size=16m"); err != nil {
			t.Skipf("mount: it is not allowed here: %v", err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(copies, 2) }) // MNT_DETACH
		home, err := git.Locate(l.dir)
		if err != nil {
			t.Fatal(err)
		}
		const cure = "free some space, or copy less"
		if err := clone(l, home); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), name) ||
			!strings.Contains(err.Error(), cure) {
			t.Errorf("%s: %v", name, err)
		}
		if l.has("big/a") {
			t.Errorf("%s: a part of the file is left", name)
		}
	}
}
