package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// auditArch are the numbers of the machines that the filter knows.
var auditArch = map[string]uint32{
	"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64, "riscv64": unix.AUDIT_ARCH_RISCV64,
}

// refusedCalls are system calls that are refused as if the kernel had none: each reaches
// what no other rule here sees, or has a long record of faults in the kernel.
var refusedCalls = []uint32{
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_BPF,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_USERFAULTFD, unix.SYS_PERF_EVENT_OPEN,
	unix.SYS_KEXEC_LOAD, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_SYSLOG,
}

// mountCalls are refused to root inside of a namespace: in one of its own it could mount the
// control groups, whose files are root's.
var mountCalls = []uint32{
	unix.SYS_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR,
}

// families are the kinds of sockets that a program may make. Others leave a namespace, such
// as those of virtual machines, or are protocols that no build needs.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// The fields of seccomp_data.
const (
	dataNumber = 0
	dataArch   = 4
	dataArg0   = 16 // its lower half on machines with little-endian numbers
	dataArg1   = 24
)

// x32 marks calls of another ABI of amd64.
const x32 = 0x40000000

// filter is a program for the kernel.
type filter []unix.SockFilter

func (f *filter) add(code uint16, value uint32, jumpTrue, jumpFalse uint8) {
	*f = append(*f, unix.SockFilter{Code: code, Jt: jumpTrue, Jf: jumpFalse, K: value})
}

func (f *filter) load(offset uint32) { f.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset, 0, 0) }

func (f *filter) answer(action uint32) { f.add(unix.BPF_RET|unix.BPF_K, action, 0, 0) }

// ifEqual skips the next instructions unless the value is loaded.
func (f *filter) ifEqual(value uint32, skip uint8) {
	f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, value, 0, skip)
}

func refuse(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }

// newFilter returns the filter for a machine, which refuses some calls.
func newFilter(arch uint32, refused []uint32) filter {
	f := filter{}
	f.load(dataArch)
	f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, arch, 1, 0)
	f.answer(unix.SECCOMP_RET_KILL_PROCESS)
	f.load(dataNumber)
	if arch == unix.AUDIT_ARCH_X86_64 {
		f.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, x32, 0, 1)
		f.answer(refuse(unix.ENOSYS))
	}
	for _, call := range refused {
		f.ifEqual(call, 1)
		f.answer(refuse(unix.ENOSYS))
	}
	for _, call := range []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR} {
		f.ifEqual(call, uint8(len(families))+3)
		f.load(dataArg0)
		for i, family := range families {
			f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, family, uint8(len(families)-i), 0)
		}
		f.answer(refuse(unix.EAFNOSUPPORT))
		f.answer(unix.SECCOMP_RET_ALLOW)
	}
	f.ifEqual(unix.SYS_IOCTL, 5)
	f.load(dataArg1)
	f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, unix.TIOCSTI, 1, 0)
	f.ifEqual(unix.TIOCLINUX, 1)
	f.answer(refuse(unix.EPERM))
	f.answer(unix.SECCOMP_RET_ALLOW)
	f.answer(unix.SECCOMP_RET_ALLOW)
	return f
}

// dropCapabilities gives up what a root has beside its files, for good.
func dropCapabilities() error {
	if unix.Geteuid() != 0 {
		return nil
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if held, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, c, 0, 0, 0); err == nil && held == 0 {
			continue // inside of a sandbox none is left, and neither is the right to give one up
		}
		// A kernel that does not know one has no such capability.
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("give up a capability: %w", err)
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("give up capabilities: %w", err)
	}
	return nil
}

// refuseCalls installs the filter for this thread and what it starts.
func refuseCalls(refused []uint32) error {
	arch, known := auditArch[runtime.GOARCH]
	if !known {
		return fmt.Errorf("no filter of system calls for %s", runtime.GOARCH)
	}
	f := newFilter(arch, refused)
	program := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
	if err != nil {
		return fmt.Errorf("install the filter of system calls: %w", err)
	}
	return nil
}
