package sandbox

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"

	"ferrus/agent/sandbox/stage"
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
	unix.SYS_PIDFD_GETFD, // a socket gives a descriptor of the program at its other end, whatever its namespace is
}

// mountCalls are refused to root inside a namespace: in one of its own it could mount the
// control groups, whose files are root's.
var mountCalls = []uint32{
	unix.SYS_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR,
	unix.SYS_FSPICK, unix.SYS_FSCONFIG, unix.SYS_OPEN_TREE_ATTR,
}

// lastCall is the newest call of Linux that this filter was written for (file_setattr, 6.17). A later one may do what a
// refused one does; programs do without it on older kernels, too. The numbers are the same on all machines.
const lastCall = 469

// families are the kinds of sockets that a program may make. Other kinds leave a namespace,
// such as sockets of virtual machines, or are protocols that no build needs.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// protocols are what a program may ask the kernel by a socket: about networks, sockets and devices. The others
// configure filters of packets, IPsec and audits, and have a long record of faults.
var protocols = []uint32{
	unix.NETLINK_ROUTE, unix.NETLINK_SOCK_DIAG, unix.NETLINK_KOBJECT_UEVENT, unix.NETLINK_GENERIC,
}

// internetProtocols are what a program may speak over IPv4 and IPv6. Others, such as SCTP, are modules of the
// kernel that a first socket loads.
var internetProtocols = []uint32{
	0, unix.IPPROTO_TCP, unix.IPPROTO_UDP, unix.IPPROTO_ICMP, unix.IPPROTO_ICMPV6, unix.IPPROTO_UDPLITE,
	unix.IPPROTO_MPTCP,
}

// filterOptions are the socket options at the levels of IPv4 and IPv6 with which root, even the root of
// a user namespace, changes the kernel's packet filters for IP, ARP and Ethernet.
var filterOptions = []uint32{64, 65, 96, 97, 128, 129}

// refusedArguments are calls that are refused with some values of an argument.
var refusedArguments = []struct {
	call, argument uint32
	values         []uint32
}{
	// Input for a terminal, the console, and other code of the kernel behind a terminal.
	{unix.SYS_IOCTL, dataArg1, []uint32{unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCSETD}},
	// Processes outside may be in the same process group, and belong to the same user.
	{unix.SYS_SETPRIORITY, dataArg0, []uint32{unix.PRIO_PGRP, unix.PRIO_USER}},
	{unix.SYS_IOPRIO_SET, dataArg0, []uint32{2, 3}}, // a process group, a user
	// A lease delays every other process that opens the file.
	{unix.SYS_FCNTL, dataArg1, []uint32{unix.F_SETLEASE}},
}

// consoles are the requests to a terminal, without their last byte, that are for the console of a machine: what its
// keys type, and which one is seen.
var consoles = []uint32{'K' << 8, 'V' << 8}

// The fields of seccomp_data.
const (
	dataNumber = 0
	dataArch   = 4
	dataArg0   = 16 // its lower half on machines with little-endian numbers
	dataArg1   = 24
	dataArg2   = 32
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
	f.add(unix.BPF_JMP|unix.BPF_JGT|unix.BPF_K, lastCall, 0, 1)
	f.answer(refuse(unix.ENOSYS))
	for _, call := range refused {
		f.ifEqual(call, 1)
		f.answer(refuse(unix.ENOSYS))
	}
	f.limitTypes()
	f.limitProtocols()
	f.limitOptions()
	f.limitConsoles()
	for _, call := range []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR} {
		f.ifEqual(call, uint8(len(families))+3)
		f.load(dataArg0)
		f.skipIfAny(families, 1)
		f.answer(refuse(unix.EAFNOSUPPORT))
		f.answer(unix.SECCOMP_RET_ALLOW)
	}
	for _, r := range refusedArguments {
		f.ifEqual(r.call, uint8(len(r.values))+3)
		f.load(r.argument)
		f.skipIfAny(r.values, 1)
		f.answer(unix.SECCOMP_RET_ALLOW)
		f.answer(refuse(unix.EPERM))
	}
	f.answer(unix.SECCOMP_RET_ALLOW)
	return f
}

// on adds instructions for one call. What was loaded before is loaded after them.
func (f *filter) on(call uint32, body func(*filter)) {
	var of filter
	body(&of)
	of.load(dataNumber)
	f.ifEqual(call, uint8(len(of))) //nolint:gosec // few
	*f = append(*f, of...)
}

// limitTypes refuses an old type that has a socket for packets, whatever its family is said to be.
func (f *filter) limitTypes() {
	f.on(unix.SYS_SOCKET, func(f *filter) {
		const withoutFlags = 0xf
		f.load(dataArg1)
		f.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, withoutFlags, 0, 0)
		f.ifEqual(unix.SOCK_PACKET, 1)
		f.answer(refuse(unix.EAFNOSUPPORT))
	})
}

// limitProtocols refuses sockets of other protocols.
func (f *filter) limitProtocols() {
	for _, of := range []struct {
		family    uint32
		protocols []uint32
	}{{unix.AF_NETLINK, protocols}, {unix.AF_INET, internetProtocols}, {unix.AF_INET6, internetProtocols}} {
		f.on(unix.SYS_SOCKET, func(f *filter) {
			f.load(dataArg0)
			f.ifEqual(of.family, uint8(len(of.protocols))+2) //nolint:gosec // few
			f.load(dataArg2)
			f.skipIfAny(of.protocols, 1)
			f.answer(refuse(unix.EPROTONOSUPPORT))
		})
	}
}

// limitOptions refuses options of sockets that change packet filters.
func (f *filter) limitOptions() {
	for _, call := range []uint32{unix.SYS_SETSOCKOPT, unix.SYS_GETSOCKOPT} {
		for _, level := range []uint32{unix.SOL_IP, unix.SOL_IPV6} {
			f.on(call, func(f *filter) {
				f.load(dataArg1)
				f.ifEqual(level, uint8(len(filterOptions))+3) //nolint:gosec // few
				f.load(dataArg2)
				f.skipIfAny(filterOptions, 1)
				f.add(unix.BPF_JMP|unix.BPF_JA, 1, 0, 0)
				f.answer(refuse(unix.EPERM))
			})
		}
	}
}

// limitConsoles refuses requests to the console.
func (f *filter) limitConsoles() {
	f.on(unix.SYS_IOCTL, func(f *filter) {
		const withoutLast = 0xffffff00
		f.load(dataArg1)
		f.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, withoutLast, 0, 0)
		f.skipIfAny(consoles, 1)
		f.add(unix.BPF_JMP|unix.BPF_JA, 1, 0, 0)
		f.answer(refuse(unix.EPERM))
	})
}

// skipIfAny skips some instructions after it if one of the values is loaded.
func (f *filter) skipIfAny(values []uint32, skip int) {
	for i, value := range values {
		f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, value, uint8(len(values)-1-i+skip), 0) //nolint:gosec // few
	}
}

// callFilter returns the filter for this machine.
func callFilter(refused []uint32) (stage.Filter, error) {
	arch, known := auditArch[runtime.GOARCH]
	if !known {
		return nil, fmt.Errorf("there is no system call filter for %s", runtime.GOARCH)
	}
	var all stage.Filter
	for _, i := range newFilter(arch, refused) {
		all = append(all, stage.Instruction(i))
	}
	return all, nil
}
