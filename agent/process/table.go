package process

import (
	"os"
	"slices"
	"syscall"
)

// Process is one line of the process table.
type Process struct {
	PID, Parent, Group int
	Session            int    // 0 where the system does not tell
	Start              uint64 // as in [Identity]; with PID it tells a process from a later one
	Zombie             bool   // it ended, and its parent has not asked how
	// Env has those variables that [List] was asked for. It is empty for a process
	// of another user, whose environment is closed.
	Env map[string]string

	args     []string // where the table has them
	headless bool     // its first thread has ended, and others still run
	kernel   bool     // a thread of the kernel, where the table tells
}

// Same reports whether two snapshots show the same process.
func (p Process) Same(other Process) bool { return p.PID == other.PID && p.Start == other.Start }

// LeadsSession reports whether the process leads its session or, where the
// system does not report sessions, its group.
func (p Process) LeadsSession() bool {
	return p.Session == p.PID || p.Session == 0 && p.Group == p.PID
}

// Signal signals exactly the process of the snapshot. Where the system has a handle
// for a process, that is taken before its identity is checked.
func (p Process) Signal(sig syscall.Signal) error {
	handle, err := os.FindProcess(p.PID)
	if err != nil {
		return err
	}
	defer handle.Release()
	if now, err := Lookup(p.PID); err != nil || !now.Same(p) {
		return os.ErrProcessDone
	}
	return handle.Signal(sig)
}

// Table is the process table at one moment.
type Table []Process

// Find returns the process with a pid.
func (t Table) Find(pid int) (Process, bool) {
	i := slices.IndexFunc(t, func(p Process) bool { return p.PID == pid })
	if i < 0 {
		return Process{}, false
	}
	return t[i], true
}

// Children returns the processes whose parent is the process with a pid.
func (t Table) Children(pid int) Table {
	return slices.DeleteFunc(slices.Clone(t), func(p Process) bool { return p.Parent != pid })
}

// Family says which processes belong together.
type Family struct {
	// Mine are processes known to belong: they carry the mark, or were found before.
	Mine func(Process) bool
	// Root leads the group and the session of the family. A root of 0 or 1 leads
	// nothing: every process of the system may be in session 0.
	Root int
	// Held says that Root cannot be the number of a stranger, because its process is
	// not reaped. Otherwise its group and session count only if one of Mine is in it.
	Held bool
	// Apart are processes to exclude, with their descendants; nil: none.
	Apart func(Process) bool
}

// Family returns the processes of a family that did not end: its own, the group and
// session of its root, and the descendants of all of them. This process and its
// ancestors never belong: ferrus may run inside of ferrus.
func (t Table) Family(f Family) Table {
	in, apart := map[int]bool{}, map[int]bool{}
	for _, p := range t {
		apart[p.PID] = f.Apart != nil && f.Apart(p)
		in[p.PID] = f.Mine(p)
	}
	for t.add(apart, func(p Process) bool { return p.childOf(apart) }) {
	}
	ours := func(p Process) bool { return in[p.PID] && !apart[p.PID] }
	for grown := true; grown; {
		led := f.Held || slices.ContainsFunc(t, func(p Process) bool { return ours(p) && p.ledBy(f.Root) })
		grown = t.add(in, func(p Process) bool { return !apart[p.PID] && (p.childOf(in) || led && p.ledBy(f.Root)) })
	}
	spared := t.ancestors(os.Getpid())
	return slices.DeleteFunc(slices.Clone(t), func(p Process) bool { return !ours(p) || p.Zombie || spared[p.PID] })
}

// ledBy reports whether a process is in the group or session of root.
func (p Process) ledBy(root int) bool { return root > 1 && (p.Group == root || p.Session == root) }

// childOf reports whether a process has its parent in a set. The first process of
// the system has no children here: it adopts orphans.
func (p Process) childOf(in map[int]bool) bool { return p.Parent > 1 && in[p.Parent] }

// add adds to a set the processes that belong to it, and reports whether it grew.
func (t Table) add(in map[int]bool, belongs func(Process) bool) (grown bool) {
	for _, p := range t {
		if !in[p.PID] && belongs(p) {
			in[p.PID], grown = true, true
		}
	}
	return grown
}

// ancestors returns a process with its parent, the parent of that, and so on.
func (t Table) ancestors(pid int) map[int]bool {
	all := map[int]bool{0: true, 1: true}
	for p, ok := t.Find(pid); ok && !all[p.PID]; p, ok = t.Find(p.Parent) {
		all[p.PID] = true
	}
	return all
}
