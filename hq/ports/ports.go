// Package ports gives each task in a worktree, and each lane of a gate, ten TCP ports of its own
// among all repositories of this user, so that several of them can run servers at the same time.
package ports

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"ferrus/store"
)

// Count is how many ports an owner has.
const Count = 10

// Env is the variable with the first of them.
const Env = "FERRUS_PORT"

// The ports are given in blocks between first and last: below the ports of
// outgoing connections (from 32768 on Linux, from 49152 on macOS), above the usual ones of servers.
const (
	first  = 20000
	blocks = 1200
)

// Dir is the directory in which the blocks that are in use are written down: a file for each,
// which has the name of its first port, and the path of its owner as its text.
type Dir string

// In returns the book of the user whose state directory this is.
func In(state string) Dir { return Dir(filepath.Join(state, "ports")) }

// Of returns the first port of an owner: an existing directory. It has the same ports until the
// directory is gone. New ports are ten of which none is open on the loopback interface at the
// time.
func (b Dir) Of(owner string) (int, error) {
	port, err := b.of(owner)
	if err != nil {
		return 0, fmt.Errorf("find ports for %s: %w", owner, err)
	}
	return port, nil
}

func (b Dir) of(owner string) (int, error) {
	if err := os.MkdirAll(string(b), 0o700); err != nil {
		return 0, err
	}
	lock, err := store.LockFile(context.Background(), filepath.Join(string(b), "lock")) // held for an instant
	if err != nil {
		return 0, err
	}
	defer lock.Close()
	taken, err := b.read()
	if err != nil {
		return 0, err
	}
	for port, of := range taken {
		if of == owner {
			return port, nil
		}
	}
	sum := fnv.New32a()
	sum.Write([]byte(owner))
	start := int(sum.Sum32() % blocks) // an owner that comes back is likely to get what it had
	for k := range blocks {
		port := first + (start+k)%blocks*Count
		if taken[port] == "" && areFree(port) {
			return port, os.WriteFile(b.file(port), []byte(owner), 0o600)
		}
	}
	return 0, fmt.Errorf("all ports from %d to %d are in use", first, first+blocks*Count-1)
}

func (b Dir) file(port int) string { return filepath.Join(string(b), strconv.Itoa(port)) }

// read returns the owners by their first ports, and frees the block of an owner that is gone.
func (b Dir) read() (map[int]string, error) {
	names, err := os.ReadDir(string(b))
	if err != nil {
		return nil, err
	}
	taken := map[int]string{}
	for _, n := range names {
		port, err := strconv.Atoi(n.Name())
		if err != nil {
			continue
		}
		owner, err := os.ReadFile(b.file(port))
		if err != nil {
			return nil, err
		}
		if _, err := os.Lstat(string(owner)); errors.Is(err, fs.ErrNotExist) || len(owner) == 0 {
			if err := os.Remove(b.file(port)); err != nil {
				return nil, err
			}
			continue
		}
		taken[port] = string(owner)
	}
	return taken, nil
}

// areFree reports whether no program listens on any port of a block.
func areFree(port int) bool {
	for k := range Count {
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port+k)))
		if err != nil {
			return false
		}
		l.Close()
	}
	return true
}
