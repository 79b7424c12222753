package agent

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"ferrus/agent/process"
)

const (
	cleanupTime = 500 * time.Millisecond // for what a session that ended by itself left behind
	closeTime   = 5 * time.Second        // for a terminal that has no process any more
)

// End ends a session and everything it started: interrupt, grace, terminate, grace, kill.
// After a session that has already ended it cleans up. The end of ctx shortens the grace;
// the rest is still done.
func End(ctx context.Context, s *Session, grace time.Duration) Exit {
	tree, patience := process.Set{Living: s.living}, cleanupTime
	if !isClosed(s.Done()) {
		_, _ = tree.Living()         // orphans are known only if they were seen with their parents
		_ = s.Signal(syscall.SIGINT) // a session that has ended by now is only cleaned up after
		patience = grace
	}
	gone, err := tree.Gone(ctx, patience)
	if !gone && err == nil {
		err = tree.End(ctx, grace)
	}
	select {
	case <-s.Done():
	case <-time.After(closeTime):
		return Exit{Code: -1, Ended: time.Now(),
			Err: errors.Join(errors.New("end session: its terminal did not close"), err)}
	}
	if process.AdoptsOrphans() {
		err = errors.Join(err, process.EndOrphans())
	}
	if err != nil {
		err = fmt.Errorf("end session: %w", err)
	}
	exit := s.Exit()
	exit.Err = errors.Join(exit.Err, err)
	return exit
}

// KillTree kills what is left of a session whose conductor has died: the recorded process,
// its group, session and descendants, and every process that carries the mark. The mark is
// FERRUS_NONCE=<nonce> or the session id, which is what is on disk. A process with the
// recorded number but without the mark is a different one. If the mark is a session id, the
// host that owns the session's terminal is killed as well.
func KillTree(pid int, mark string) error {
	var kin process.Table
	tree := process.Set{Living: func() (left process.Table, err error) {
		kin, err = findTree(pid, mark, kin)
		return kin, err
	}}
	if err := tree.End(context.Background(), cleanupTime); err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	return nil
}

// FindTree returns what [KillTree] would kill.
func FindTree(pid int, mark string) (process.Table, error) { return findTree(pid, mark, nil) }

// findTree is FindTree, with processes that are known to belong to the session.
func findTree(pid int, mark string, known process.Table) (process.Table, error) {
	all, err := processes()
	if err != nil {
		return known, err
	}
	return family(all, pid, append(known, hosting(all, mark)...), carries(mark)), nil
}

// SignalHost signals the hosts of a session and reports whether there is one. They are found
// by their environment: the number in a file may belong to another process by now.
func SignalHost(session string, sig syscall.Signal) bool {
	all, _ := processes() // None can be signalled that cannot be seen.
	signalled := false
	for _, p := range hosting(all, session) {
		if !p.Zombie && p.Signal(sig) == nil {
			signalled = true
		}
	}
	return signalled
}
