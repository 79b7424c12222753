package host

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Sweep removes what killed hosts left, in every project. A socket that a host listens on, or is
// about to, stays.
func TestSweep(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "ferrus-sweep-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	old := time.Now().Add(-time.Hour)
	listening := func(project, slot string, dead bool, made time.Time) string {
		socket, err := socketPath(project, slot)
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(socket, made, made); err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		if dead {
			l.Close()
		} else {
			t.Cleanup(func() { heardNothing(t, l) })
		}
		return socket
	}
	dead := listening("/a", "executor", true, old)
	sibling := listening("/b", "executor", true, old)
	lives := listening("/b", "reviewer", false, old)
	begins := listening("/c", "executor", true, time.Now())
	if err := os.Chtimes(filepath.Dir(dead), old, old); err != nil {
		t.Fatal(err)
	}
	proxy, err := MakeProxy("session") // its host is about to listen
	if err != nil {
		t.Fatal(err)
	}
	if n := Sweep(); n != 2 {
		t.Errorf("Sweep removed %d sockets, want 2", n)
	}
	for path, stays := range map[string]bool{
		dead: false, filepath.Dir(dead): false, sibling: false, lives: true, begins: true,
		filepath.Dir(proxy): true,
	} {
		if _, err := os.Lstat(path); (err == nil) != stays {
			t.Errorf("%s: %v, want that it exists: %v", path, err, stays)
		}
	}
}

// heardNothing closes a listener and fails if anything connected to it: the first connection must
// be the test's own.
func heardNothing(t *testing.T, l *net.UnixListener) {
	t.Helper()
	defer l.Close()
	own, err := net.DialUnix("unix", nil, l.Addr().(*net.UnixAddr)) //nolint:forcetypeassert // It is one.
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	first, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if _, err := own.Write([]byte("own")); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Read(make([]byte, 3)); err != nil {
		t.Errorf("the sweep connected to a running host: %v", err)
	}
}
