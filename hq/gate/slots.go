package gate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ferrus/hq/project"
	"ferrus/store"
)

// As many gates run at the same time as [limits] max_parallel_gates says. Each holds the lock of one lane
// and works in the lane's own directory, and each task has one gate at most. The first lane has the names
// that older versions know.

// laneLock returns the name of the lock of a lane.
func laneLock(n int) string {
	if n == 0 {
		return project.GateLock
	}
	return fmt.Sprintf("gate-%d.lock", n)
}

// laneFile returns the name of the file that says what runs in a lane.
func laneFile(n int) string {
	if n == 0 {
		return gateFile
	}
	return fmt.Sprintf("run/gate-%d.json", n)
}

// isLaneFile reports whether a file says what runs in a lane.
func isLaneFile(file string) bool { return strings.HasPrefix(file, "run/gate") }

// slot is a lane that this process holds, with the task's right to a gate.
type slot struct {
	lane              int
	lock, files, task *store.Lock // of the lane, of its files, and of the task; nil: none
}

func (s slot) close() {
	for _, lock := range []*store.Lock{s.task, s.files, s.lock} {
		if lock != nil {
			lock.Close()
		}
	}
}

// takeLane takes a lane. The lock beside its files counts even if something replaced the one in .ferrus: two gates in a
// directory would run each other's tree.
func takeLane(p *project.Task, n int) (s slot, err error) {
	s.lane = n
	if s.lock, err = p.Files.TryLock(laneLock(n)); err != nil {
		return s, err
	}
	files := laneOf(p, n)
	if files.Make() == nil {
		s.files, err = store.TryLockFile(filepath.Join(string(files), "lock"))
	}
	if errors.As(err, new(*store.LockedError)) {
		s.close()
		return slot{}, err
	}
	return s, nil // The lane's preparation says what else is wrong; not every file system has locks.
}

// lanes returns how many gates of a project run at the same time.
func lanes(p *project.Task) int {
	cfg, _ := p.Config()
	return max(cfg.Limits.MaxParallelGates, 1)
}

// lockGate takes a free lane. A run of the base gives its lane up; for any other gate it does not wait.
// The error is *store.LockedError if no lane is free, or the task has a gate already.
func lockGate(ctx context.Context, p *project.Task) (s slot, err error) {
	task, err := p.Store.TryLock(project.TaskGateLock)
	if err != nil {
		return s, err
	}
	for {
		if s, err = anyLane(p); !errors.As(err, new(*store.LockedError)) {
			break
		}
		_, background, unknown := p.Files.Holder(project.BaseLock)
		if unknown != nil || !background {
			s, err = anyLane(p) // It may have ended meanwhile.
			break
		}
		if err = p.Files.WriteFile(wantedFile, nil); err != nil {
			break
		}
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(lockEvery):
			continue
		}
		break
	}
	if _, missing := p.Files.ReadFile(wantedFile); missing == nil && !errors.As(err, new(*store.LockedError)) {
		_ = p.Files.Remove(wantedFile) // Another that waits writes it again.
	}
	if err != nil {
		task.Close()
		return slot{}, err
	}
	s.task = task
	return s, nil
}

// tryGate is lockGate for a caller that has no checks to run: a run of the base keeps its lane.
func tryGate(p *project.Task) (s slot, err error) {
	task, err := p.Store.TryLock(project.TaskGateLock)
	if err != nil {
		return s, err
	}
	if s, err = anyLane(p); err != nil {
		task.Close()
		return slot{}, err
	}
	s.task = task
	return s, nil
}

// anyLane takes the first lane that is free.
func anyLane(p *project.Task) (s slot, err error) {
	for n := range lanes(p) {
		if s, err = takeLane(p, n); !errors.As(err, new(*store.LockedError)) {
			return s, err
		}
	}
	return s, err
}

// busy reports whether no gate of a task can begin. It continues the gates that are in the way: a stopped one would
// never notice that its check was cancelled, and hold its lock for ever.
func busy(p *project.Task) (bool, error) {
	pid, held, err := p.Store.Holder(project.TaskGateLock)
	if err != nil || held {
		wake(pid)
		return held, err
	}
	for n := range lanes(p) {
		pid, held, err := p.Files.Holder(laneLock(n))
		if err != nil || !held {
			return false, err
		}
		wake(pid)
	}
	return true, nil
}

// wake continues a process if it is stopped.
func wake(pid int) {
	if pid > 1 {
		_ = syscall.Kill(pid, syscall.SIGCONT) // It may have ended, which frees its lock.
	}
}

// otherLanes calls f for each other lane in which a runner may have died, and holds it meanwhile.
func (r *runner) otherLanes(f func(file string) error) error {
	names, err := r.project.Files.List("run")
	if err != nil {
		return err
	}
	for _, name := range names {
		var n int
		if name == "gate.json" {
			n = 0
		} else if _, err := fmt.Sscanf(name, "gate-%d.json", &n); err != nil || "run/"+name != laneFile(n) {
			continue
		}
		if n == r.slot.lane {
			continue
		}
		other, err := takeLane(r.project, n)
		if errors.As(err, new(*store.LockedError)) {
			continue // It lives.
		}
		if err == nil {
			err = f(laneFile(n))
			other.close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
