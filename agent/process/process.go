// Package process is the one reader of the process table.
//
// [Identify] distinguishes a process from every other, and [Alive] reports whether
// it is still running. [List] takes a snapshot of the table; [Table.Family] finds
// in it what belongs together, by a mark in the environment, by parents, and by
// group and session. [Set.End] ends such a set, even one that grows meanwhile.
//
// A pid alone does not identify a process: the system reuses it. A process that is recorded,
// compared or signalled is identified by its pid and its start time. Linux is read through /proc,
// other systems through ps; each function documents what cannot be known there.
package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ErrGone reports that there is no such process any more.
var ErrGone = errors.New("there is no such process")

// Identity tells a process from every other, on every host and at every time. Two
// identities are of the same process exactly when they are equal.
type Identity struct {
	Host  string `json:"host"`  // the name of the machine
	Boot  string `json:"boot"`  // changes each time the machine is started
	PID   int    `json:"pid"`   // used again after the process
	Start uint64 `json:"start"` // clock ticks since the boot on Linux, seconds since 1970 elsewhere
}

// here is the host and its boot: where a pid means something.
var here = sync.OnceValues(func() (Identity, error) {
	host, err := os.Hostname()
	if err != nil {
		return Identity{}, fmt.Errorf("identify this host: %w", err)
	}
	boot, err := bootID()
	if err != nil {
		return Identity{}, fmt.Errorf("identify this boot: %w", err)
	}
	return Identity{Host: host, Boot: boot}, nil
})

// Identify returns the identity of a process of this host. The error is [ErrGone]
// for one that ended, reaped or not.
func Identify(pid int) (*Identity, error) {
	id, err := here()
	if err != nil {
		return nil, err
	}
	p, err := running(pid)
	if err != nil {
		return nil, fmt.Errorf("identify process %d: %w", pid, err)
	}
	id.PID, id.Start = pid, p.Start
	return &id, nil
}

// Alive reports whether a process still runs; a zombie does not. Known is false
// where that cannot be told: for nil, and for a process of another host, which must
// never be taken for dead.
func Alive(id *Identity) (alive, known bool) {
	if id == nil {
		return false, false
	}
	place, err := here()
	if err != nil || place.Host != id.Host {
		return false, false
	}
	if place.Boot != id.Boot {
		return false, true
	}
	p, err := running(id.PID)
	if err != nil {
		return false, errors.Is(err, ErrGone)
	}
	return p.Start == id.Start, true
}

// running returns a process that did not end.
func running(pid int) (Process, error) {
	p, err := Lookup(pid)
	if err == nil && p.Zombie {
		err = ErrGone
	}
	return p, err
}

// Uptime returns how long ago the machine was started, with the time it slept, and
// the boot that this is counted from. A system that moves its boot time with its
// clock says false.
func Uptime() (up time.Duration, boot string, ok bool) {
	place, err := here()
	if err != nil {
		return 0, "", false
	}
	up, ok = sinceBoot()
	return up, place.Boot, ok
}

// WorkingIn returns the processes whose working directory is a folder or below it,
// each as its pid and the name of its program; this process is left out, and so are
// other users' processes, which cannot be examined.
func WorkingIn(dir string) ([]string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	return workingIn(real)
}

// Time is a time in the life of the system. The zero value is before every process.
type Time struct {
	start uint64    // that every process has, or a later one, that starts from then on; 0: it is not known
	pid   int       // that the system gave last; 0: it is not known
	at    time.Time // with the monotonic clock
}

// UsersSince returns the processes that started at a time or later and use a directory or what is below it: they work
// there, run a program from there, or have a file of it open. This process is left out, and so are other users'
// processes, which cannot be examined.
func UsersSince(m Time, dir string) (Table, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	return usersOf(m, real)
}
