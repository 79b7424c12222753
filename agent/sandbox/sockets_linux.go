package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ferrus/agent/paths"
)

// withoutSockets returns the policy with the sockets hidden that programs have now in what may be read. To connect to a
// socket needs no writable mount, and a program that listens beside the files of an installation may start others.
// Those in a tree that programs inside change are left: they may be of the session.
func (p Policy) withoutSockets() Policy {
	shown := slices.Concat(systemRead, p.Read)
	named := slices.Concat(p.Sockets, p.Write)
	for _, m := range p.Mounts {
		named = append(named, m.From)
	}
	p.Hide = slices.Clone(p.Hide)
	for _, path := range boundSockets() {
		above := func(top string) bool { return paths.Within(top, path) }
		if slices.ContainsFunc(shown, above) && !slices.ContainsFunc(slices.Concat(named, p.Hide), above) {
			p.Hide = append(p.Hide, path)
		}
	}
	return p
}

// boundSockets returns the sockets of this network that have a file. The kernel tells the name that a program gave: a
// relative one says nothing, and at another one there may be something else.
func boundSockets() (all []string) {
	data, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil
	}
	names := map[string]bool{} // a server's connections have its name
	for line := range strings.Lines(string(data)) {
		const before = 7 // columns
		if at := strings.Index(line, " /"); at > 0 && len(strings.Fields(line[:at])) == before {
			names[strings.TrimSuffix(line[at+1:], "\n")] = true
		}
	}
	for name := range names {
		real, err := filepath.EvalSymlinks(name)
		var info unix.Stat_t
		if err == nil && unix.Lstat(real, &info) == nil && info.Mode&unix.S_IFMT == unix.S_IFSOCK {
			all = append(all, real)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
