package host

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What killed hosts left is removed, in every project; a socket that a host listens at,
// or may be about to, stays.
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
	proxy, err := MakeProxy("session") // whose host is about to listen
	if err != nil {
		t.Fatal(err)
	}
	if n := Sweep(); n != 2 {
		t.Errorf("%d sockets were removed", n)
	}
	for path, stays := range map[string]bool{
		dead: false, filepath.Dir(dead): false, sibling: false, lives: true, begins: true,
		filepath.Dir(proxy): true,
	} {
		if _, err := os.Lstat(path); (err == nil) != stays {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// heardNothing closes a listener that nothing must have connected to: the first connection is its own.
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
		t.Errorf("the sweep connected to a host that lives: %v", err)
	}
}
