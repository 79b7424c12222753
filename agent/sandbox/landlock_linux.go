package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"ferrus/agent/paths"
	"ferrus/agent/sandbox/stage"
)

// The versions of Landlock.
const (
	abiLeast   = 3 // without it a file can be truncated
	abiIoctl   = 5
	abiScopes  = 6 // signals and abstract sockets
	abiSockets = 9
)

// What Landlock can restrict in files, from the kernel's landlock.h.
const (
	rightsToRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_READ_DIR
	rightsToWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM

	// All that apply to a file: the kernel refuses the others outside of directories.
	rightsToFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
)

// handledRights returns all rights to files that a version of Landlock knows.
func handledRights(abi int) uint64 {
	switch {
	case abi >= abiSockets:
		return unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX<<1 - 1
	case abi >= abiIoctl:
		return unix.LANDLOCK_ACCESS_FS_IOCTL_DEV<<1 - 1
	}
	return unix.LANDLOCK_ACCESS_FS_TRUNCATE<<1 - 1
}

// A landlockRule allows what rights say in a file, or in a directory and below it. A path that is missing is ignored.
type landlockRule struct {
	path   string
	rights uint64
}

// landlockABI returns the version of the kernel, 0 without any.
func landlockABI() int {
	abi, _, err := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if err != 0 {
		return 0
	}
	return int(abi)
}

// landlock restricts this thread, and what it becomes by exec, to the files of a policy, and its signals and abstract
// sockets to what is inside.
func (p Policy) landlock(abi int) error {
	if abi < abiLeast {
		return fmt.Errorf("the kernel's Landlock ABI is %d, and %d is needed", abi, abiLeast)
	}
	if err := enforce(handledRights(abi), abi >= abiScopes, p.landlockRules()); err != nil {
		return fmt.Errorf("restrict files and signals with Landlock: %w", err)
	}
	return nil
}

// enforce makes one set of rules, since a second one would refuse every link and move between directories.
func enforce(handled uint64, scoped bool, rules []landlockRule) error {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handled}
	if scoped {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	set, _, failed := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)),
		unsafe.Sizeof(attr), 0)
	if failed != 0 {
		return fmt.Errorf("create a ruleset: %w", failed)
	}
	defer func() { _ = unix.Close(int(set)) }()
	for _, r := range rules {
		if r.rights &= handled; r.rights == 0 {
			continue // The kernel refuses a rule without a right.
		}
		if err := r.add(set); err != nil {
			return fmt.Errorf("allow %s: %w", r.path, err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forbid new privileges: %w", err)
	}
	if _, _, failed := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, set, 0, 0); failed != 0 {
		return failed
	}
	return nil
}

func (r landlockRule) add(set uintptr) error {
	fd, err := unix.Open(r.path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	attr := unix.LandlockPathBeneathAttr{Allowed_access: r.rights, Parent_fd: int32(fd)}
	_, _, failed := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, set, unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if failed != 0 {
		return failed
	}
	return nil
}

// landlockRules returns the files of a policy.
func (p Policy) landlockRules() []landlockRule {
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
	var rules []landlockRule
	for _, m := range p.Mounts { // a session's door is in one
		if isDir(m.From) && m.From == m.To {
			rules = append(rules, landlockRule{held.pin(m.From), unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX})
		}
	}
	for _, path := range read {
		rules = append(rules, held.readable(path, secrets)...)
	}
	for _, path := range slices.Concat(write, usualDevices, p.Devices) {
		rules = append(rules, writableRule(held.pin(path)))
	}
	for _, path := range p.Sockets {
		rules = append(rules, landlockRule{held.pin(path), rightsToFile &^ unix.LANDLOCK_ACCESS_FS_IOCTL_DEV})
	}
	return rules
}

// readable returns the rules to read a tree without some parts of it: of a directory with
// such a part, every other entry is named.
func (t trees) readable(path string, secrets []string) []landlockRule {
	if slices.Contains(secrets, path) {
		return nil
	}
	at := t.pin(path)
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return nil
	case !info.IsDir():
		return []landlockRule{{at, rightsToRead & rightsToFile}}
	case !slices.ContainsFunc(secrets, func(secret string) bool { return paths.Within(path, secret) }):
		return []landlockRule{{at, rightsToRead}}
	}
	entries, err := os.ReadDir(at)
	if err != nil {
		return nil
	}
	rules := []landlockRule{{at, unix.LANDLOCK_ACCESS_FS_READ_DIR}}
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

func writableRule(path string) landlockRule {
	rights := uint64(rightsToRead | rightsToWrite | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV)
	if isDir(path) {
		return landlockRule{path, rights | unix.LANDLOCK_ACCESS_FS_REFER}
	}
	return landlockRule{path, rights & rightsToFile}
}
