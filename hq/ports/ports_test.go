package ports

import (
	"bufio"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"
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

func (b Dir) must(t *testing.T, owner string) int {
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

// portsEnv has this program ask for the ports of ten directories below a root at once, and print them: "book root".
const portsEnv = "FERRUS_TEST_PORTS"

func TestMain(m *testing.M) {
	if book, root, is := strings.Cut(os.Getenv(portsEnv), "\n"); is {
		if err := askFor(Dir(book), root); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// askFor is that program.
func askFor(b Dir, root string) error {
	var all errgroup.Group
	dirs, err := os.ReadDir(root)
	for _, d := range dirs {
		all.Go(func() error {
			dir := filepath.Join(root, d.Name())
			port, err := b.Of(dir)
			if err == nil {
				fmt.Println(dir, port)
			}
			return err
		})
	}
	return errors.Join(err, all.Wait())
}

// B.5 8: twenty worktrees of two repositories are set up at once, by two processes that are killed again and again:
// no port is given twice, and each worktree has the same ports after the kill and after a restart.
func TestTwoRepositoriesAtOnce(t *testing.T) {
	b, roots, given := In(t.TempDir()), []string{t.TempDir(), t.TempDir()}, map[string]string{}
	for _, root := range roots {
		for n, made := 0, 0; made < 10; n++ { // all of them want the same ports
			sum := fnv.New32a()
			sum.Write([]byte(filepath.Join(root, strconv.Itoa(n))))
			if sum.Sum32()%blocks == 7 {
				owner(t, root, n)
				made++
			}
		}
	}
	for _, lines := range []int{1, 2, 5, 8, 11, 11} { // a process is killed once it has printed so many of its ten
		var running [2]*exec.Cmd
		var outs [2]io.Reader
		for i, root := range roots {
			c := exec.Command(os.Args[0])
			c.Env, c.Stderr = append(os.Environ(), portsEnv+"="+string(b)+"\n"+root), os.Stderr
			out, err := c.StdoutPipe()
			if err == nil {
				err = c.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			running[i], outs[i] = c, out
		}
		for i, c := range running {
			printed := bufio.NewScanner(outs[i])
			for n := 1; printed.Scan(); n++ {
				dir, port, _ := strings.Cut(printed.Text(), " ")
				if was := given[dir]; was != "" && was != port {
					t.Errorf("%s has %s after %s", dir, port, was)
				}
				given[dir] = port
				if n == lines {
					c.Process.Kill() //nolint:errcheck // it may be over
				}
			}
			if err := c.Wait(); err != nil && lines > 10 {
				t.Fatal(err)
			}
		}
	}
	of := map[string]string{}
	for dir, port := range given {
		if other := of[port]; other != "" {
			t.Errorf("%s and %s both have %s", dir, other, port)
		}
		of[port] = dir
	}
	if len(given) != 20 {
		t.Errorf("%d worktrees have ports", len(given))
	}
}
