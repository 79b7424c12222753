package chaos

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"ferrus/hq/project"
)

// observed is a running process of a trial.
type observed struct {
	pid, parent, group int
	start              string
	args               []string
	gate               string // the marker of the gate that runs the command
	task               string // whose it is; empty for the checkout's task, or none
}

func (p observed) same(o observed) bool { return p.pid == o.pid && p.start == o.start }

func (p observed) String() string { return fmt.Sprintf("%d %s", p.pid, strings.Join(p.args, " ")) }

// part returns the part of ferrus that a process is.
func (p observed) part() string {
	switch {
	case p.gate != "":
		return "command"
	case len(p.args) < 2:
		return ""
	case p.args[1] == "demo-agent":
		return slotOf(p.flag("--role"), p.flag("--mode"))
	case p.args[1] == "demo" || p.args[1] == "run":
		return "conductor"
	case filepath.Base(p.args[0]) == "git":
		return "git"
	}
	return p.args[1]
}

func (p observed) flag(name string) string {
	if i := slices.Index(p.args, name); i >= 0 && i+1 < len(p.args) {
		return p.args[i+1]
	}
	return ""
}

func slotOf(role, mode string) string {
	switch {
	case role == "executor":
		return "executor"
	case mode == "review":
		return "reviewer"
	case mode == "consult":
		return "consultant"
	}
	return "planner"
}

// watcher lists the processes of one trial. A process of no trial is examined only once.
type watcher struct {
	mark      []byte
	mu        sync.Mutex // guards strangers
	strangers map[processID]bool
}

type processID struct {
	pid   int
	start string
}

func newWatcher(dir string) *watcher {
	return &watcher{mark: []byte(trialEnv + "=" + dir), strangers: map[processID]bool{}}
}

// living returns the trial's processes, without zombies.
func (e *watcher) living() []observed {
	e.mu.Lock()
	defer e.mu.Unlock()
	dir, err := os.Open("/proc")
	if err != nil {
		panic(err)
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var all []observed
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, ok := e.inspect(pid); ok {
				all = append(all, p)
			}
		}
	}
	return all
}

func (e *watcher) inspect(pid int) (observed, bool) {
	p := observed{pid: pid}
	if !p.stat() || e.strangers[processID{pid, p.start}] {
		return p, false
	}
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil || len(environ) == 0 {
		return p, false
	}
	ours := false
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		ours = ours || bytes.Equal(entry, e.mark)
		if gate, ok := bytes.CutPrefix(entry, []byte("FERRUS_GATE=")); ok {
			p.gate = string(gate)
		}
		if task, ok := bytes.CutPrefix(entry, []byte(project.TaskEnv+"=")); ok {
			p.task = string(task)
		}
	}
	if !ours {
		e.strangers[processID{pid, p.start}] = true
		return p, false
	}
	args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	p.args = strings.Split(strings.TrimRight(string(args), "\x00"), "\x00")
	return p, true
}

// stat returns false for a process that is gone or a zombie.
func (p *observed) stat() bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return false
	}
	f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(f) < 20 || f[0] == "Z" || f[0] == "X" {
		return false
	}
	p.parent, _ = strconv.Atoi(f[1])
	p.group, _ = strconv.Atoi(f[2])
	p.start = f[19]
	return true
}

// lives polls once more.
func (p observed) lives() bool {
	now := observed{pid: p.pid}
	return now.stat() && now.same(p)
}

// parts returns the running processes that are a part of ferrus. A child that has not yet executed
// its program is not one yet.
func (e *watcher) parts(part string) []observed {
	all := slices.DeleteFunc(e.living(), func(p observed) bool { return p.part() != part })
	return slices.DeleteFunc(slices.Clone(all), func(p observed) bool {
		return p.gate == "" && slices.ContainsFunc(all, func(q observed) bool { return q.pid == p.parent })
	})
}

// kill ends it at once, and for a gate's commands the whole group.
func (p observed) kill() {
	if !p.lives() {
		return
	}
	if p.gate != "" {
		_ = syscall.Kill(-p.group, syscall.SIGKILL)
		return
	}
	_ = syscall.Kill(p.pid, syscall.SIGKILL)
}

// watch looks for what must never exist twice, until stop is closed, and returns what it saw.
func (e *watcher) watch(stop <-chan struct{}) []string {
	seen := map[string]string{} // what, by the clashing processes
	ticks := time.NewTicker(15 * time.Millisecond)
	defer ticks.Stop()
	for {
		maps.Copy(seen, findClashes(e.living()))
		select {
		case <-stop:
			return slices.Sorted(maps.Values(seen))
		case <-ticks.C:
		}
	}
}

// findClashes names two agents of one slot, and two gates, that run at the same time. The first one
// of two was seen earlier, so it is checked again.
func findClashes(all []observed) map[string]string {
	found := map[string]string{}
	for i, p := range all {
		for _, q := range all[i+1:] {
			if what := clash(p, q); what != "" && p.lives() && q.lives() && p.lives() {
				found[what] = fmt.Sprintf("%s: %v and %v", what, p, q)
			}
		}
	}
	return found
}

func clash(p, q observed) string {
	agents := map[string]bool{"planner": true, "executor": true, "consultant": true, "reviewer": true}
	switch {
	case p.parent == q.pid || q.parent == p.pid: // has not executed its program yet
	case p.gate != "" && q.gate != "" && p.gate != q.gate:
		return fmt.Sprintf("two gates %.6s %.6s", min(p.gate, q.gate), max(p.gate, q.gate))
	case agents[p.part()] && p.part() == q.part() && p.task == q.task:
		return fmt.Sprintf("two of the slot %s %s %d %d", p.task, p.part(), min(p.pid, q.pid), max(p.pid, q.pid))
	}
	return ""
}
