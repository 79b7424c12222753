package sandbox

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The versions of Landlock.
const (
	abiLeast   = 3 // without it a file can be truncated
	abiIoctl   = 5
	abiScopes  = 6 // signals and abstract sockets
	abiSockets = 9
)

// What a rule allows. A right of directories in the rule of a file is an error of the kernel.
const (
	readFile  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE
	readTree  = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writeFile = readFile | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	writeTree = readTree | writeFile | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM
)

// fileRule allows access to a file, or to a directory and everything below it.
type fileRule struct {
	path   string
	access uint64
}

// landlockABI returns the kernel's version of Landlock, 0 without any.
func landlockABI() int {
	abi, _, failed := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if failed != 0 {
		return 0
	}
	return int(abi)
}

// restrict refuses this thread, and the program that it becomes, every access to files that
// no rule allows. It is one ruleset: a second one would refuse every link and move between
// directories.
func restrict(abi int, rules []fileRule) error {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handledAccess(abi)}
	if abi >= abiScopes {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	fd, _, failed := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET,
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if failed != 0 {
		return fmt.Errorf("landlock_create_ruleset: %w", failed)
	}
	defer unix.Close(int(fd))
	for _, r := range rules {
		if err := r.add(int(fd), attr.Handled_access_fs); err != nil {
			return fmt.Errorf("allow %s: %w", r.path, err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("prctl(PR_SET_NO_NEW_PRIVS): %w", err)
	}
	if _, _, failed := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); failed != 0 {
		return fmt.Errorf("landlock_restrict_self: %w", failed)
	}
	return nil
}

// handledAccess returns every access that this version can refuse.
func handledAccess(abi int) uint64 {
	access := uint64(writeTree)
	if abi >= abiIoctl {
		access |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= abiSockets {
		access |= unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	}
	return access
}

// add adds a rule to a ruleset; one about a missing file allows nothing.
func (r fileRule) add(ruleset int, handled uint64) error {
	file, err := unix.Open(r.path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer unix.Close(file)
	attr := unix.LandlockPathBeneathAttr{
		Allowed_access: r.access & handled,
		Parent_fd:      int32(file), //nolint:gosec // a descriptor
	}
	_, _, failed := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset),
		unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if failed != 0 {
		return fmt.Errorf("landlock_add_rule: %w", failed)
	}
	return nil
}
