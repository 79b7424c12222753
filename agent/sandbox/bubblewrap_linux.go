package sandbox

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ferrus/agent/paths"
	"ferrus/agent/sandbox/stage"
)

// mount is one thing at a path inside.
type mount struct {
	path string
	rank int // of two mounts at one path, the higher one is visible
	args []string
}

// The ranks of mounts.
const (
	rankSystem = iota
	rankTmpfs
	rankRead
	rankPin
	rankWrite
	rankProtect
	rankHide
)

// bubblewrapFlags return the flags of bubblewrap for a policy and its mounts: everything that decides
// what is inside.
func (p Policy) bubblewrapFlags(mounts []mount) []string {
	flags := []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--cap-drop", "ALL",
	}
	if p.Network != Open {
		flags = append(flags, "--unshare-net")
	}
	for _, m := range mounts {
		flags = append(flags, m.args...)
	}
	flags = append(flags, "--remount-ro", "/dev", "--remount-ro", "/")
	if p.Dir != "" {
		flags = append(flags, "--chdir", p.Dir)
	}
	return flags
}

// mounts returns all that a policy has, the outer ones first.
func (p Policy) mounts() (seen []mount) {
	all := slices.Concat(p.systemMounts(), p.ownMounts())
	slices.SortStableFunc(all, func(a, b mount) int {
		return cmp.Or(slices.Compare(parts(a.path), parts(b.path)), cmp.Compare(a.rank, b.rank))
	})
	var below mount // the last one that is a tree to read, and all that is in it
	for i, m := range all {
		if i+1 < len(all) && all[i+1].path == m.path {
			continue // another one covers it
		}
		if below.path != "" && paths.Within(below.path, m.path) && m.isReadOnly() {
			continue // it is readable there already
		}
		if seen = append(seen, m); m.isReadOnly() {
			below = m
		} else if paths.Within(below.path, m.path) {
			below = mount{} // Something else is in the tree.
		}
	}
	return seen
}

// isReadOnly reports whether a mount shows what is at its path, for reading.
func (m mount) isReadOnly() bool { return slices.Equal(m.args, []string{"--ro-bind", m.path, m.path}) }

func parts(path string) []string { return strings.Split(strings.TrimSuffix(path, "/"), "/") }

// bind shows a path of the outside at the same path inside.
func bind(rank int, flag, path string) mount { return mount{path, rank, []string{flag, path, path}} }

// atOnce is how many programs inside run at the same time by default: two sessions of each of three tasks, a gate, and
// a session that plans. What they keep in memory is never more than half of it, even if all of it is full: it stays
// there when the kernel ends a program because memory is short.
const atOnce = 8

// inMemory are the empty directories in memory, and the part of a program's share that each takes at most. A program
// that starts later has as much as the first: what a check finds must not depend on what else runs.
var inMemory = []struct {
	path string
	part uint64
}{{"/tmp", 2}, {"/dev/shm", 4}, {"/var/tmp", 8}, {"/run", 32}}

// tmpfs returns the flags for an empty directory in memory, of which it takes at most a part of a share.
func tmpfs(path string, part uint64) mount {
	const least = 4 << 20
	size := max(memory()/2/atOnce/part, least)
	return mount{path, rankTmpfs, []string{"--perms", "1777", "--size", strconv.FormatUint(size, 10), "--tmpfs", path}}
}

// memory returns how much the machine has, in bytes.
func memory() uint64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 4 << 30
	}
	return max(uint64(info.Totalram)*uint64(info.Unit), 256<<20) //nolint:unconvert // Its type differs by machine.
}

// systemMounts are the same for all policies.
func (p Policy) systemMounts() []mount {
	all := []mount{
		{"/dev", rankSystem, []string{"--dev", "/dev"}}, {"/proc", rankSystem, []string{"--proc", "/proc"}},
	}
	for _, m := range inMemory {
		all = append(all, tmpfs(m.path, m.part))
	}
	for _, path := range kernelSettings { // The kernel refuses them to an ordinary user; each mount takes time.
		if geteuid() == 0 && exists(path) {
			all = append(all, bind(rankSystem, "--ro-bind", path))
		}
	}
	for _, path := range systemRead {
		target, err := os.Readlink(path)
		if err == nil {
			all = append(all, mount{path, rankSystem, []string{"--symlink", target, path}})
		} else if _, err := os.Stat(path); err == nil {
			all = append(all, bind(rankSystem, "--ro-bind", path))
		}
	}
	for _, path := range linkedFiles() {
		all = append(all, bind(rankRead, "--ro-bind", path))
	}
	for _, path := range hidden() {
		all = append(all, hide(path))
	}
	for _, path := range rootViews {
		if geteuid() == 0 && exists(path) {
			all = append(all, hide(path))
		}
	}
	return all
}

// hide puts nothing over a path.
func hide(path string) mount { return mount{path, rankHide, stage.Hide(path)} }

// ownMounts returns what the policy names.
func (p Policy) ownMounts() (all []mount) {
	add := func(m mount) {
		for _, dir := range p.between(m.path) {
			all = append(all, bind(rankPin, "--bind", dir))
		}
		all = append(all, m)
	}
	for _, l := range p.Links {
		covered := func(top string) bool { return paths.Within(top, l.To) }
		if !slices.ContainsFunc(slices.Concat(p.Write, p.Read, systemRead), covered) {
			all = append(all, mount{l.To, rankSystem, []string{"--symlink", l.From, l.To}})
		}
	}
	for _, path := range p.Write {
		add(bind(rankWrite, "--bind", path))
	}
	for _, path := range p.Read {
		add(bind(rankRead, "--ro-bind", path))
	}
	for _, path := range p.Protect {
		add(bind(rankProtect, "--ro-bind", path))
	}
	for _, m := range p.Mounts {
		flag := "--ro-bind"
		if m.Write {
			flag = "--bind"
		}
		add(mount{m.To, rankProtect, []string{flag, m.From, m.To}})
	}
	for _, path := range p.Hide {
		add(hide(path))
	}
	for _, path := range p.Sockets {
		add(bind(rankProtect, "--ro-bind", path)) // it can be connected to, and not removed
	}
	for _, path := range p.Devices {
		add(bind(rankProtect, "--dev-bind", path))
	}
	return all
}
