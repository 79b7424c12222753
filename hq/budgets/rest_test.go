package budgets

import (
	"testing"
	"time"

	"ferrus/hq/benchtest"
)

// settling is how long programs have to become idle, and watched how long they are then measured. A
// notice from the start stays on the screen for 20 s.
const settling, watched = 30 * time.Second, 20 * time.Second

// usage is what processes used in a period.
type usage struct{ cpu, bytes, switches float64 }

// idle measures what HQ and its hosts cost while two sessions are quiet.
func idle(b *testing.B) {
	s := openHQ(b, newProject(b, 0, "off"))
	hq := s.command.Process.Pid
	var hosts []int
	for _, pid := range benchtest.Running(program(b)) {
		if pid != hq {
			hosts = append(hosts, pid)
		}
	}
	t := openTmux(b, 0)
	time.Sleep(settling)
	ours, theirs, other := watch(s, hq), watch(nil, hosts...), watch(t, t.command.Process.Pid)
	got, behind, tmux := ours(), theirs(), other()
	budget{"idle: CPU of HQ", "%", 0.3, false}.report(b, got.cpu, "tmux", tmux.cpu)
	budget{"idle: bytes to the terminal", "B/s", 0, false}.report(b, got.bytes, "tmux", tmux.bytes)
	budget{"idle: context switches of HQ", "1/s", 5, false}.report(b, got.switches, "tmux", tmux.switches)
	budget{"idle: CPU of the hosts", "%", 0.3, false}.report(b, behind.cpu, "", 0)
	budget{"idle: context switches of the hosts", "1/s", 5, false}.report(b, behind.switches, "", 0)
}

// watch starts measuring processes, and the output to a screen. The function that it returns waits
// for the end of the period.
func watch(s *screen, pids ...int) func() usage {
	count := func() (u usage) {
		for _, pid := range pids {
			u.cpu += benchtest.Ran(pid).Seconds() * 100
			u.switches += float64(benchtest.Switches(pid))
		}
		if s != nil {
			u.bytes = float64(s.written.Load())
		}
		return u
	}
	before, began := count(), time.Now()
	return func() usage {
		time.Sleep(time.Until(began.Add(watched)))
		after, seconds := count(), time.Since(began).Seconds()
		return usage{(after.cpu - before.cpu) / seconds, (after.bytes - before.bytes) / seconds,
			(after.switches - before.switches) / seconds}
	}
}

// memory measures HQ's memory with two panes of 10,000 lines.
func memory(b *testing.B) {
	s := openHQ(b, newProject(b, 12_000, "off"))
	time.Sleep(settling)
	hq := s.command.Process.Pid
	var behind float64
	for _, pid := range benchtest.Running(program(b)) {
		if pid != hq {
			behind += benchtest.Proportional(pid)
		}
	}
	openTmux(b, 12_000)
	budget{"memory: HQ with two panes of 10,000 lines", "MB", 30, false}.report(b, benchtest.Proportional(hq), "tmux",
		tmuxMemory())
	budget{"memory: the two hosts of these", "MB", 60, false}.report(b, behind, "", 0)
}
