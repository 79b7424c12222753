package process

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"time"
)

// dying is how long processes may take to be gone after the kill. One in an
// uninterruptible system call takes as long as that call.
const dying = 5 * time.Second

// Set is a set of processes that changes while it is looked at, such as everything
// that a session or a check command started.
type Set struct {
	Living func() (Table, error) // processes that have not ended; called repeatedly
	Signal func(syscall.Signal)  // signals the set; nil: each of Living, by its identity
}

// Gone waits until nothing of the set is left, no longer than the time given and no
// longer than ctx. An error of Living means that it is not known.
func (s Set) Gone(ctx context.Context, within time.Duration) (bool, error) {
	return s.poll(ctx, within, func(Table) {})
}

// End asks the set to terminate, gives it a time of grace, and then kills until
// nothing is left. The end of ctx ends the grace, not the work. The error says what
// is still alive.
func (s Set) End(ctx context.Context, grace time.Duration) error {
	left, err := s.Living()
	if err != nil || len(left) == 0 {
		return err
	}
	s.send(left, syscall.SIGTERM)
	s.send(left, syscall.SIGCONT) // one that is stopped takes the other signal only then
	if gone, err := s.Gone(ctx, grace); gone || err != nil {
		return err
	}
	gone, err := s.poll(context.Background(), dying, func(left Table) { s.send(left, syscall.SIGKILL) })
	if gone || err != nil {
		return err
	}
	left, err = s.Living()
	if err != nil || len(left) == 0 {
		return err
	}
	return fmt.Errorf("still alive: %v", left.pids())
}

// EndUsers ends every process that uses a directory, works there or has something of it open, and started at a time
// or later.
func EndUsers(ctx context.Context, dir string, since Time, grace time.Duration) error {
	return Set{Living: func() (Table, error) { return UsersSince(since, dir) }}.End(ctx, grace)
}

// poll asks for what is left until that is nothing, and passes it to each before it
// waits: soon at first, and then less and less often.
func (s Set) poll(ctx context.Context, within time.Duration, each func(Table)) (gone bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		left, err := s.Living()
		if err != nil || len(left) == 0 {
			return err == nil, err
		}
		each(left)
		select {
		case <-ctx.Done():
			left, err = s.Living()
			return err == nil && len(left) == 0, err
		case <-time.After(pause):
		}
	}
}

// send signals what was found. A process that is gone by now is what was wanted.
func (s Set) send(left Table, sig syscall.Signal) {
	if s.Signal != nil {
		s.Signal(sig)
		return
	}
	for _, p := range left {
		_ = p.Signal(sig)
	}
}

func (t Table) pids() []int {
	var all []int
	for _, p := range t {
		all = append(all, p.PID)
	}
	slices.Sort(all)
	return all
}
