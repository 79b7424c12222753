package host

import (
	"net"
	"os"
	"testing"
)

// OwnerOfSelf asks only the hosts of sessions, because a worker and the link to one speak another
// protocol.
func TestOnlyHostsAreAsked(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "o") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	for _, kind := range []string{WorkerSocket, LinkSocket} {
		socket, err := NamedSocket(kind, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		l, err := Listen(socket)
		if err != nil {
			t.Fatal(err)
		}
		first := make(chan byte, 1)
		go func() {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			b := make([]byte, 1)
			_, _ = conn.Read(b)
			first <- b[0]
		}()
		if owner, ok := OwnerOfSelf(""); ok {
			t.Errorf("%s: OwnerOfSelf returned %+v, want nothing", kind, owner)
		}
		conn, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte("m")); err != nil {
			t.Fatal(err)
		}
		if b := <-first; b != 'm' {
			t.Errorf("the %s received %q, want only the test's own byte m", kind, b)
		}
		conn.Close()
		l.Close()
	}
}
