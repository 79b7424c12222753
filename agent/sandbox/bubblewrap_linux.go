package sandbox

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
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

// mounts are all that a policy has, the outer ones first.
func (p Policy) mounts() (seen []mount) {
	all := slices.Concat(p.systemMounts(), p.ownMounts())
	slices.SortStableFunc(all, func(a, b mount) int {
		return cmp.Or(slices.Compare(parts(a.path), parts(b.path)), cmp.Compare(a.rank, b.rank))
	})
	for i, m := range all {
		if i+1 < len(all) && all[i+1].path == m.path {
			continue // another one covers it
		}
		seen = append(seen, m)
	}
	return seen
}

func parts(path string) []string { return strings.Split(strings.TrimSuffix(path, "/"), "/") }

// bind shows a path of the outside at the same path inside.
func bind(rank int, flag, path string) mount { return mount{path, rank, []string{flag, path, path}} }

// tmpfs is an empty directory in memory, of which it takes at most a part.
func tmpfs(path string, part uint64) mount {
	return mount{path, rankTmpfs, []string{"--perms", "1777", "--size", strconv.FormatUint(memory()/part, 10),
		"--tmpfs", path}}
}

// memory is how much the machine has, in bytes.
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
		// All of them together leave more than half of the memory to others.
		tmpfs("/tmp", 4), tmpfs("/dev/shm", 8), tmpfs("/var/tmp", 16), tmpfs("/run", 64),
	}
	for _, path := range kernelSettings {
		if exists(path) {
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
		if unix.Geteuid() == 0 && exists(path) {
			all = append(all, hide(path))
		}
	}
	return all
}

// hide puts nothing over a path.
func hide(path string) mount {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return mount{path, rankHide, []string{"--ro-bind", "/dev/null", path}}
	}
	return mount{path, rankHide, []string{"--perms", "0555", "--size", "4096", "--tmpfs", path, "--remount-ro", path}}
}

// ownMounts are what the policy names.
func (p Policy) ownMounts() (all []mount) {
	add := func(m mount) {
		for _, dir := range p.between(m.path) {
			all = append(all, bind(rankPin, "--bind", dir))
		}
		all = append(all, m)
	}
	for _, l := range p.Links {
		covered := func(top string) bool { return within(top, l.To) }
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

// hasWorkingDirectory returns the policy with the working directory of this process, if it
// has none of its own and that one can be reached.
func (p Policy) hasWorkingDirectory() Policy {
	if p.Dir == "" {
		dir, err := os.Getwd()
		reachable := func(top string) bool { return within(top, dir) }
		if err == nil && slices.ContainsFunc(slices.Concat(p.Write, p.Read, systemRead), reachable) {
			p.Dir = filepath.Clean(dir)
		} else {
			p.Dir = "/"
		}
	}
	return p
}
