package project

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"sync"

	"ferrus/hq/core"
)

// errGone means that there is no such process any more.
var errGone = errors.New("there is no such process")

// here is the host and its boot: where a pid means something.
var here = sync.OnceValues(func() (core.Process, error) {
	host, err := os.Hostname()
	if err != nil {
		return core.Process{}, fmt.Errorf("identify this host: %w", err)
	}
	boot, err := bootID()
	if err != nil {
		return core.Process{}, fmt.Errorf("identify this boot: %w", err)
	}
	return core.Process{Host: host, Boot: boot}, nil
})

// Identity is what tells a process from every other, also from a later one with
// the same pid.
func Identity(pid int) (*core.Process, error) {
	p, err := here()
	if err != nil {
		return nil, err
	}
	p.PID = pid
	if p.Start, _, err = startAndParent(pid); err != nil {
		return nil, fmt.Errorf("identify process %d: %w", pid, err)
	}
	return &p, nil
}

// Alive reports whether the process lives. Known is false where that cannot be
// said: for a process of another host, which is never judged dead.
func Alive(process *core.Process) (alive, known bool) {
	if process == nil {
		return false, false
	}
	place, err := here()
	if err != nil || place.Host != process.Host {
		return false, false
	}
	if place.Boot != process.Boot {
		return false, true
	}
	start, _, err := startAndParent(process.PID)
	if err != nil {
		return false, errors.Is(err, errGone)
	}
	return start == process.Start, true
}

// SessionOf is the public name of a nonce: the first 16 hex of its SHA-256.
func SessionOf(nonce string) string {
	if nonce == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(nonce))
	return hex.EncodeToString(sum[:])[:16]
}
