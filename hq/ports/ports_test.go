package ports

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// owner makes a directory that can have ports.
func owner(t *testing.T, root string, n int) string {
	t.Helper()
	dir := filepath.Join(root, strconv.Itoa(n))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (b Book) must(t *testing.T, owner string) int {
	t.Helper()
	port, err := b.Of(owner)
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func TestEachOwnerHasItsOwnPorts(t *testing.T) {
	b, root := In(t.TempDir()), t.TempDir()
	var all sync.WaitGroup
	ports := make([]int, 40)
	for n := range ports {
		dir := owner(t, root, n/2) // each asks twice, at the same time
		all.Go(func() { ports[n], _ = b.Of(dir) })
	}
	all.Wait()
	of := map[int]int{}
	for n, port := range ports {
		if other, is := of[port]; is && other != n/2 || port < first || port%Count != 0 {
			t.Errorf("owners %d and %d both have %d", other, n/2, port)
		}
		of[port] = n / 2
	}
	if len(of) != len(ports)/2 {
		t.Errorf("%d owners have %d blocks", len(ports)/2, len(of))
	}
}

func TestPortsStayUntilTheOwnerIsGone(t *testing.T) {
	b, dir := In(t.TempDir()), owner(t, t.TempDir(), 1)
	port := b.must(t, dir)
	taken, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port+3)))
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if again := b.must(t, dir); again != port {
		t.Errorf("an owner that uses its ports got %d after %d", again, port)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	b.must(t, owner(t, t.TempDir(), 2))
	if _, err := os.Stat(b.file(port)); !os.IsNotExist(err) {
		t.Errorf("the ports of an owner that is gone are still written down (%v)", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if again := b.must(t, dir); again == port {
		t.Errorf("a new owner got %d, of which one is open", port)
	}
}
