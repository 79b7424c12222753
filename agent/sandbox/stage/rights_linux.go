package stage

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// confine takes from root inside a namespace what files alone give it: devices are those
// outside, whose mode it could change, and in a namespace of its own it could mount the control
// groups.
func (r Root) confine() error {
	for _, path := range r.Hide {
		if err := hide(path); err != nil && !errors.Is(err, syscall.ENOENT) {
			return wrap("hide "+path, err)
		}
	}
	for _, path := range r.Fix {
		err := syscall.Mount(path, path, "", syscall.MS_BIND, "")
		if err == nil {
			err = setAttributes(path, readOnly|noSetuid|noDevices)
		}
		if err != nil && !errors.Is(err, syscall.ENOENT) {
			return wrap("protect "+path, err)
		}
	}
	for _, path := range r.Devices {
		// Reading and writing a device needs no writable mount. Linux before 5.12 has no such call.
		err := setAttributes(path, readOnly)
		if err != nil && !errors.Is(err, syscall.ENOENT) && !errors.Is(err, syscall.EINVAL) &&
			!errors.Is(err, syscall.ENOSYS) {
			return wrap("protect "+path, err)
		}
	}
	if err := DropCapabilities(); err != nil {
		return err
	}
	if scopesKnown() {
		// The first process inside may still mount. A domain below its own cannot trace it.
		if err := restrictScopes(); err != nil {
			return err
		}
	}
	return r.Filter.install()
}

// flags are bubblewrap's flags for what the inner program cannot do without the rights
// of root.
func (r Root) flags() (all []string) {
	for _, path := range r.Hide {
		all = append(all, Hide(path)...)
	}
	for _, path := range r.Fix {
		all = append(all, "--ro-bind", path, path)
	}
	return all
}

// Hide returns bubblewrap's flags that cover a path with nothing.
func Hide(path string) []string {
	var info syscall.Stat_t
	if err := syscall.Stat(path, &info); err == nil && info.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		return []string{"--ro-bind", "/dev/null", path}
	}
	return []string{"--perms", "0555", "--size", "4096", "--tmpfs", path, "--remount-ro", path}
}

// The attributes of a mount.
const (
	readOnly  = 1
	noSetuid  = 2
	noDevices = 4
)

// hide puts nothing over a path.
func hide(path string) error {
	var info syscall.Stat_t
	if err := syscall.Lstat(path, &info); err != nil {
		return err
	}
	if info.Mode&syscall.S_IFMT == syscall.S_IFDIR {
		const flags = syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_RDONLY
		return syscall.Mount("tmpfs", path, "tmpfs", flags, "mode=0555,size=4096")
	}
	if err := syscall.Mount("/dev/null", path, "", syscall.MS_BIND, ""); err != nil {
		return err
	}
	return setAttributes(path, readOnly|noSetuid|noDevices)
}

// setAttributes adds to what a mount has.
func setAttributes(path string, add uint64) error {
	at := [...]uint64{add, 0, 0, 0} // set, clear, propagation, user namespace
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return err
	}
	const here = ^uintptr(99) // AT_FDCWD
	_, _, failed := syscall.Syscall6(numberMountSetattr, here, uintptr(unsafe.Pointer(name)), 0,
		uintptr(unsafe.Pointer(&at)), unsafe.Sizeof(at), 0)
	if failed != 0 {
		return failed
	}
	return nil
}

// MountsInside reports whether the first program inside can hide and fix paths.
func MountsInside() bool {
	return !errors.Is(setAttributes("/dev/null/nothing", readOnly), syscall.ENOSYS)
}

// restrictScopes has Landlock restrict signals and abstract sockets only: programs inside may still
// mount files in namespaces of their own.
func restrictScopes() error {
	const both = 3
	rules := [...]uint64{0, 0, both} // files, network, scopes
	fd, _, failed := syscall.RawSyscall(numberLandlockCreate, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules), 0)
	if failed == 0 {
		syscall.CloseOnExec(int(fd))
		if err := noNewPrivileges(); err != nil {
			return err
		}
		_, _, failed = syscall.RawSyscall(numberLandlockRestrict, fd, 0, 0)
	}
	if failed != 0 {
		return wrap("restrict signals with Landlock", failed)
	}
	return nil
}

// scopesKnown reports whether the kernel has such a restriction.
func scopesKnown() bool {
	const version, least = 1, 6
	abi, _, failed := syscall.RawSyscall(numberLandlockCreate, 0, 0, version)
	return failed == 0 && abi >= least
}

// The operations of prctl.
const (
	prSetSeccomp      = 22
	prCapbsetRead     = 23
	prCapbsetDrop     = 24
	prSetNoNewPrivs   = 38
	seccompModeFilter = 2
)

func prctl(operation, first, second uintptr) (uintptr, error) {
	r, _, failed := syscall.RawSyscall6(syscall.SYS_PRCTL, operation, first, second, 0, 0, 0)
	if failed != 0 {
		return 0, failed
	}
	return r, nil
}

func noNewPrivileges() error {
	if _, err := prctl(prSetNoNewPrivs, 1, 0); err != nil {
		return wrap("give up new privileges", err)
	}
	return nil
}

// install installs the filter for this thread and what it starts.
func (f Filter) install() error {
	if len(f) == 0 {
		return errors.New("no filter of system calls")
	}
	program := struct {
		length uint16
		first  *Instruction
	}{uint16(len(f)), &f[0]} //nolint:gosec // the kernel takes 4096
	if err := noNewPrivileges(); err != nil {
		return err
	}
	if _, err := prctl(prSetSeccomp, seccompModeFilter, uintptr(unsafe.Pointer(&program))); err != nil {
		return wrap("install the filter of system calls", err)
	}
	return nil
}

// DropCapabilities gives up, for good, what root may do besides owning its files.
func DropCapabilities() error {
	if os.Geteuid() != 0 {
		return nil
	}
	for c := range uintptr(64) { // A kernel that does not know one has no such capability.
		if held, err := prctl(prCapbsetRead, c, 0); err != nil || held == 0 {
			continue // inside a sandbox there are none left, nor the right to drop one
		}
		if _, err := prctl(prCapbsetDrop, c, 0); err != nil {
			return wrap("give up a capability", err)
		}
	}
	header := struct {
		version uint32
		pid     int32
	}{version: 0x20080522}
	var none [6]uint32
	_, _, failed := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)),
		uintptr(unsafe.Pointer(&none)), 0)
	if failed != 0 {
		return wrap("give up capabilities", failed)
	}
	return nil
}
