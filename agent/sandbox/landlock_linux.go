package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"ferrus/agent/sandbox/stage"
)

// landlock restricts this thread to the files of a policy, and its signals and abstract
// sockets to what is inside.
func (p Policy) landlock(abi int) error {
	if abi < abiLeast {
		return fmt.Errorf("the kernel's Landlock ABI is %d, and %d is needed", abi, abiLeast)
	}
	if err := restrict(abi, p.landlockRules(abi)); err != nil {
		return fmt.Errorf("restrict files and signals with Landlock: %w", err)
	}
	return nil
}

// landlockRules returns the files of a policy.
func (p Policy) landlockRules(abi int) []fileRule {
	read, write := slices.Concat(systemRead, linkedFiles(), p.Read, []string{"/proc"}), p.Write
	if self, err := os.Executable(); err == nil {
		read = append(read, self)
	}
	for _, m := range p.Mounts {
		if m.From == m.To && m.Write {
			write = append(write, m.From)
		} else if m.From == m.To {
			read = append(read, m.From)
		}
	}
	secrets := slices.Concat(hidden(), p.Hide)
	held := trees(slices.Concat(p.Write, p.Shared))
	var rules []fileRule
	for _, m := range p.Mounts { // a session's door is in one
		if isDir(m.From) && m.From == m.To && abi >= abiSockets {
			rules = append(rules, fileRule{held.pin(m.From), readTree | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX})
		}
	}
	for _, path := range read {
		rules = append(rules, held.readable(path, secrets)...)
	}
	for _, path := range slices.Concat(write, usualDevices, p.Devices) {
		rules = append(rules, writableRule(held.pin(path)))
	}
	for _, path := range p.Sockets {
		rules = append(rules, fileRule{held.pin(path), writeFile | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX})
	}
	return rules
}

// readable returns the rules to read a tree without some parts of it: of a directory with
// such a part, every other entry is named.
func (t trees) readable(path string, secrets []string) []fileRule {
	if slices.Contains(secrets, path) {
		return nil
	}
	at := t.pin(path)
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return nil
	case !info.IsDir():
		return []fileRule{{at, readFile}}
	case !slices.ContainsFunc(secrets, func(secret string) bool { return within(path, secret) }):
		return []fileRule{{at, readTree}}
	}
	entries, err := os.ReadDir(at)
	if err != nil {
		return nil
	}
	rules := []fileRule{{at, unix.LANDLOCK_ACCESS_FS_READ_DIR}}
	for _, entry := range entries {
		if name := filepath.Join(path, entry.Name()); entry.Type()&os.ModeSymlink == 0 {
			rules = append(rules, t.readable(name, secrets)...)
		}
	}
	return rules
}

// pin returns a path that leads to the same file whatever other programs do: of one in a tree that they change, a
// descriptor of this process, which ends with it. What is a link by now leads nowhere.
func (t trees) pin(path string) string {
	if !t.hold(path) {
		return path
	}
	fd, err := stage.OpenReal(path)
	if err != nil {
		return "/dev/fd/none"
	}
	return fmt.Sprintf("/proc/self/fd/%d", fd)
}

func writableRule(path string) fileRule {
	rule := fileRule{path, writeFile | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		rule.access |= writeTree
	}
	return rule
}
