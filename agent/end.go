package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"
)

const (
	settling = 500 * time.Millisecond // for what a session that ended by itself left behind
	dying    = 5 * time.Second        // for the system to carry out a kill
)

// End ends a session and everything it started: interrupt, grace, terminate,
// grace, kill. A session that is over already is cleaned up after. The end of
// ctx ends the patience, not the work.
func End(ctx context.Context, s Session, grace time.Duration) Exit {
	if owner, ok := s.(ender); ok {
		return owner.End(ctx, grace)
	}
	tree := treeOf(s)
	var err error
	if isClosed(s.Done()) {
		if !tree.gone(ctx, settling) {
			err = tree.end(ctx, grace)
		}
	} else {
		tree.living()                // orphans are known only if they were seen with their parents
		_ = s.Signal(syscall.SIGINT) // one that is over by now is cleaned up after
		if !tree.gone(ctx, grace) {
			err = tree.end(ctx, grace)
		}
	}
	select {
	case <-s.Done():
	case <-time.After(dying):
		return Exit{Code: -1, Ended: time.Now(), Err: errors.Join(errors.New("end session: its terminal does not close"), err)}
	}
	exit := s.Exit()
	exit.Err = errors.Join(exit.Err, err)
	return exit
}

// ender is a session whose terminal another process owns, which also ends it.
type ender interface {
	End(ctx context.Context, grace time.Duration) Exit
}

// KillTree ends what is left of a session whose conductor is dead: the recorded
// process, its group, session and descendants, and whatever carries the mark.
// mark is FERRUS_NONCE=<nonce>, or the session id, which is what is on disk. A
// process that has the recorded number but not the mark is another one. The host
// that owns the session's terminal is ended with it, when mark is a session id.
func KillTree(pid int, mark string) error {
	var kin []process
	tree := each(func() []process {
		all := processes()
		kin = family(all, pid, append(kin, hosting(all, mark)...), carries(mark))
		return kin
	})
	if len(tree.living()) == 0 {
		return nil
	}
	return tree.end(context.Background(), settling)
}

// SignalHost signals the hosts of a session, which are known by what they carry;
// false when there is none. The number that a file names may be anybody's.
func SignalHost(session string, sig syscall.Signal) bool {
	signalled := false
	for _, p := range hosting(processes(), session) {
		if !p.dead && p.send(sig) == nil {
			signalled = true
		}
	}
	return signalled
}

// tree is everything that a session runs.
type tree struct {
	living func() []process
	send   func(syscall.Signal)
}

// each is a tree whose processes are signalled one by one, by identity. One that
// is gone, or that cannot be signalled, is looked for again.
func each(living func() []process) tree {
	return tree{living: living, send: func(sig syscall.Signal) {
		for _, p := range living() {
			_ = p.send(sig)
		}
	}}
}

func treeOf(s Session) tree {
	if own, ok := s.(*local); ok {
		return each(own.living)
	}
	return tree{
		living: func() []process {
			if isClosed(s.Done()) {
				return nil
			}
			return []process{{pid: s.PID()}}
		},
		send: func(sig syscall.Signal) { _ = s.Signal(sig) },
	}
}

// end terminates and then kills. What starts new processes while it is killed is
// killed until it has none.
func (t tree) end(ctx context.Context, grace time.Duration) error {
	t.send(syscall.SIGTERM)
	if t.gone(ctx, grace) {
		return nil
	}
	for deadline := time.Now().Add(dying); time.Now().Before(deadline); {
		t.send(syscall.SIGKILL)
		if t.gone(context.Background(), settling) {
			return nil
		}
	}
	var left []int
	for _, p := range t.living() {
		left = append(left, p.pid)
	}
	slices.Sort(left)
	return fmt.Errorf("end session: still alive: %v", left)
}

// gone waits until nothing is left, no longer than the time given and no longer
// than ctx.
func (t tree) gone(ctx context.Context, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for pause := 5 * time.Millisecond; len(t.living()) > 0; pause = min(2*pause, 100*time.Millisecond) {
		select {
		case <-ctx.Done():
			return len(t.living()) == 0
		case <-time.After(pause):
		}
	}
	return true
}
