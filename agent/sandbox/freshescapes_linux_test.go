package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"ferrus/agent/sandbox/stage"
)

// freshEscapes are by older and newer forms of calls that are refused, by devices and files of /proc that do what a
// refused call does, by what belongs to a process without being its memory, and by requests that a proxy and a
// program could read differently.
var freshEscapes = []escape{
	{"make a socket for packets by an old type", "....?", nested("packet"), nil},
	{"make a socket of SCTP", "....?", sockets4(unix.SOCK_STREAM, unix.IPPROTO_SCTP), nil},
	{"make a socket of DCCP", "....?", sockets4(unix.SOCK_DCCP, unix.IPPROTO_DCCP), nil},
	{"make a socket of L2TP", "....?", sockets4(unix.SOCK_DGRAM, unix.IPPROTO_L2TP), nil},
	{"replace the packet filter by an option of a socket", "....?", nested("filter"), nil},
	{"replace the filter of Ethernet by an option of a socket", "....?", nested("ethernet"), nil},
	{"make what protects writable by a detached mount", "...?x", nested("detached"), changed("project/.git/detached")},
	{"make what protects writable by one newer call", "...?x", nested("attributes"),
		changed("project/.git/attributes")},
	{"use a call of another ABI (x32)", "....?", calls(x32 | unix.SYS_GETPID), nil},
	{"use a call that is newer than the filter", "....?", calls(lastCall + 1), nil},
	{"start another kernel", ".....", calls(unix.SYS_KEXEC_FILE_LOAD, ^uintptr(0), ^uintptr(0)), nil},
	{"turn swapping off", ".....", calls(unix.SYS_SWAPOFF, uintptr(unsafe.Pointer(&[]byte("/no\x00")[0]))), nil},
	{"hang up a terminal", ".....", calls(unix.SYS_VHANGUP), nil},
	{"stop a file system", ".....", thaws, nil},
	{"leave a program with capabilities", ".....", leavesCapabilities, nil},
	{"forge an event of the kernel", ".....", forgesEvent, nil},
	{"answer page faults by a device", "....?", opens("/dev/userfaultfd"), nil},
	{"make a virtual machine", "....?", opens("/dev/kvm"), nil},
	{"make a network device", "....?", opens("/dev/net/tun"), nil},
	{"reach the host of a virtual machine by a device", "....?", opens("/dev/vhost-vsock"), nil},
	{"make a disk of a file", ".....", opens("/dev/loop-control"), nil},
	{"read the disk", ".....", readsDisk, nil},
	{"read the text of the console", ".....", opens("/dev/vcs1"), nil},
	{"read the messages of the kernel by a device", "....?", reads("/dev/kmsg"), nil},
	{"change the handler of crashes", ".....", opens("/proc/sys/kernel/core_pattern"), nil},
	{"change the program that loads modules", ".....", opens("/proc/sys/kernel/modprobe"), nil},
	{"change the program of events", ".....", opens("/sys/kernel/uevent_helper"), nil},
	{"register an interpreter for the programs of all", ".....", opens("/proc/sys/fs/binfmt_misc/register"), nil},
	{"give an order to the kernel by a key", ".....", opens("/proc/sysrq-trigger"), nil},
	{"steer the interrupts of the machine", ".....", opens("/proc/irq/default_smp_affinity"), nil},
	{"put the machine to sleep", ".....", opens("/sys/power/state"), nil},
	{"make a control group", ".....", func(w *outside) error {
		return os.Mkdir(w.path("/sys/fs/cgroup/%"), 0o755)
	}, there("/sys/fs/cgroup/%")},
	{"start your handler of crashes", "....?", func(*outside) error {
		var limit unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_CORE, &limit); err != nil || !stage.HandlesCrashes() || limit.Max == 1 {
			return errors.Join(unix.EPERM, err)
		}
		return nil
	}, nil},
	{"have the kernel signal a process", "....x", signalsOwner, died("by pipe")},
	{"write the memory of a process by a call", "....?", writesVM, nil},
	{"read the locks of a process", "....x", readsLocks, nil},
	{"read the addresses of a process", "....x", readsProcess("auxv"), nil},
	{"forget what a process has used", "....x", writesProcess("clear_refs", "1"), nil},
	{"change the priority of the processes of a terminal", "....?", writesProcess("autogroup", "5"), nil},
	{"change how a process is scheduled", "...xx", schedules, nil},
	{"have the disk serve a process last", "...xx", func(w *outside) error {
		const process, last = 1, 2<<13 | 7
		_, _, e := unix.Syscall(unix.SYS_IOPRIO_SET, process, uintptr(w.PIDs["bystander"]), last)
		return errorOf(e)
	}, nil},
	{"hold a descriptor of a process", "...xx", func(w *outside) error {
		fd, err := unix.PidfdOpen(w.PIDs["bystander"], 0)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}, nil},
	{"connect to a socket through the root of a process", "....x", func(w *outside) error {
		c, err := net.Dial("unix", fmt.Sprintf("/proc/%d/root%s", w.PIDs["bystander"], w.path("door")))
		if err == nil {
			c.Close()
		}
		return err
	}, nil},
	{"listen where your programs look for a socket without a file", "x..xx", func(w *outside) error {
		if at, err := os.Readlink("/proc/self/ns/net"); err != nil || at != w.Addresses["network"] {
			return fmt.Errorf("another network: %s %w", at, errors.Join(err, unix.EACCES))
		}
		l, err := net.Listen("unix", "@squat"+filepath.Base(w.Base))
		if err == nil {
			l.Close()
		}
		return err
	}, nil},
	{"set an attribute of a file", "...xx", func(w *outside) error {
		return unix.Setxattr(w.path("home/mode"), "user.mine", []byte("x"), 0)
	}, nil},
	{"see your shared memory", "...xx", func(w *outside) error {
		var about unix.SysvShmDesc
		return ignoring(unix.SysvShmCtl(w.Shared, unix.IPC_STAT, &about))
	}, nil},

	{"reach the loopback by an address with a space", ".....", asksProxy("127.0.0.1\t:%s"), reached("refused")},
	{"reach the loopback by an escaped address", ".....", asksProxy("%%31%%32%%37.0.0.1:%s"), reached("refused")},
	{"reach the loopback by a hexadecimal IPv4 in IPv6", ".....", asksProxy("[::ffff:7f00:1]:%s"), reached("refused")},
	{"reach the loopback by NAT64 of a provider", ".....", asksProxy("[64:ff9b::7f00:1]:%s"), reached("refused")},
	{"reach the loopback by 6to4", ".....", asksProxy("[2002:7f00:1::]:%s"), reached("refused")},
	{"reach the loopback by the other end of its network", ".....", asksProxy("127.255.255.254:%s"),
		reached("refused")},
	{"reach the loopback by a broadcast address", ".....", asksProxy("255.255.255.255:%s"), reached("refused")},
	{"reach a refused host behind a backslash", ".....",
		requests("GET http://%a\\@%s/ HTTP/1.1\r\nHost: %a\r\n\r\n"), reached("refused")},
	{"reach a refused host behind a fragment", ".....",
		requests("GET http://%a#@%s/ HTTP/1.1\r\nHost: %a\r\n\r\n"), reached("refused")},
	{"reach a refused host by an upgraded connection", ".....",
		requests("GET http://%s/ HTTP/1.1\r\nHost: %a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
		reached("refused")},
	{"reach a refused host by HTTP/2", ".....",
		requests("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nCONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n"), reached("refused")},
	{"reach a refused host by two lengths of a body", ".....",
		requests("POST http://%a/ HTTP/1.1\r\nHost: %a\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\n" +
			"GET http://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n"), reached("refused")},
	{"reach a refused host by a body of chunks with a name in front", ".....",
		requests("POST http://%a/ HTTP/1.1\r\nHost: %a\r\nTransfer-Encoding: x, chunked\r\n\r\n0\r\n\r\n" +
			"GET http://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n"), reached("refused")},
	{"reach a refused host by bare line feeds", ".....",
		requests("GET http://%a/ HTTP/1.1\nHost: %a\n\nCONNECT %s HTTP/1.1\nHost: %s\n\n"), reached("refused")},
	{"reach a refused host by the name of a port", ".....",
		requests("CONNECT 127.0.0.1:http HTTP/1.1\r\nHost: %s\r\n\r\n"), reached("refused")},
}

func sockets4(kind, protocol int) func(*outside) error {
	return func(*outside) error {
		fd, err := unix.Socket(unix.AF_INET, kind, protocol)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}
}

// opens opens a file to be written, and writes nothing.
func opens(path string) func(*outside) error {
	return func(*outside) error {
		f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0)
		if err == nil {
			f.Close()
		}
		return err
	}
}

// thaws asks for the opposite of what would stop a file system, which needs the same right.
func thaws(w *outside) error {
	dir, err := os.Open(w.path("project"))
	if err != nil {
		return err
	}
	defer dir.Close()
	const fithaw = 0xc0045878
	_, _, e := unix.Syscall(unix.SYS_IOCTL, dir.Fd(), fithaw, 0)
	if e == unix.EINVAL { // It is not stopped.
		return nil
	}
	return errorOf(e)
}

func leavesCapabilities(w *outside) error {
	name := w.path("project/capable")
	if err := os.WriteFile(name, nil, 0o755); err != nil {
		return err
	}
	return unix.Setxattr(name, "security.capability", []byte("\x01\x00\x00\x02\xff\xff\xff\xff\x00\x00\x00\x00\xff\xff"+
		"\xff\xff\x00\x00\x00\x00"), 0)
}

// forgesEvent tells udev of a device that is not there.
func forgesEvent(*outside) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Sendto(fd, []byte("libudev\x00"), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: 2})
}

func readsDisk(*outside) error {
	for _, pattern := range []string{"/dev/[shv]d[a-z]", "/dev/nvme*n*", "/dev/loop[0-9]*", "/dev/dm-*"} {
		found, _ := filepath.Glob(pattern)
		for _, name := range found {
			if f, err := os.Open(name); err == nil {
				f.Close()
				return nil
			}
		}
	}
	return unix.ENOENT
}

// signalsOwner has a process signalled when a pipe has something to read.
func signalsOwner(w *outside) error {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	defer unix.Close(pipe[0])
	defer unix.Close(pipe[1])
	for _, step := range [][2]int{
		{unix.F_SETOWN, w.PIDs["by pipe"]}, {unix.F_SETSIG, int(unix.SIGHUP)}, {unix.F_SETFL, unix.O_ASYNC},
	} {
		if _, err := unix.FcntlInt(uintptr(pipe[0]), step[0], step[1]); err != nil {
			return err
		}
	}
	return ignoring(unix.Write(pipe[1], []byte("x")))
}

func writesVM(w *outside) error {
	text := []byte("x")
	local := []unix.Iovec{{Base: &text[0], Len: 1}}
	_, err := unix.ProcessVMWritev(w.PIDs["bystander"], local, []unix.RemoteIovec{{Base: 1 << 12, Len: 1}}, 0)
	if errors.Is(err, unix.EFAULT) { // It may, and nothing is there.
		return nil
	}
	return err
}

// readsLocks asks for the list of locks that a process leaves to others when it ends, which has an address of it.
func readsLocks(w *outside) error {
	var head, length uintptr
	_, _, e := unix.Syscall(unix.SYS_GET_ROBUST_LIST, uintptr(w.PIDs["bystander"]), uintptr(unsafe.Pointer(&head)),
		uintptr(unsafe.Pointer(&length)))
	return errorOf(e)
}

func writesProcess(file, text string) func(*outside) error {
	return func(w *outside) error {
		f, err := os.OpenFile(fmt.Sprintf("/proc/%d/%s", w.PIDs["bystander"], file), os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		return ignoring(f.WriteString(text))
	}
}

func schedules(w *outside) error {
	const least = 19
	last := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH, Nice: least}
	return unix.SchedSetAttr(w.PIDs["bystander"], &last, 0)
}

// freshSteps returns what the root of a namespace does for these, below a protected
// directory.
func freshSteps(git string) map[string][2]func() error {
	nothing := func() error { return nil }
	filter := func(option int) func() error {
		return func() error {
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
			if err != nil {
				return err
			}
			defer unix.Close(fd)
			err = unix.SetsockoptString(fd, unix.SOL_IP, option, "")
			if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EFAULT) { // It came that far.
				return nil
			}
			return err
		}
	}
	write := func(fd int, name string) error {
		file, err := unix.Openat(fd, name, unix.O_CREAT|unix.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer unix.Close(file)
		return ignoring(unix.Write(file, []byte("evil")))
	}
	writable := unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	return map[string][2]func() error{
		"packet": {func() error {
			const all = 0x300 // ETH_P_ALL, in the order of the network
			return ignoring(unix.Socket(unix.AF_INET, unix.SOCK_PACKET, all))
		}, nothing},
		"filter": {filter(64), nothing}, "ethernet": {filter(128), nothing},
		"detached": {func() error {
			fd, err := unix.OpenTree(unix.AT_FDCWD, git, unix.OPEN_TREE_CLONE|unix.AT_RECURSIVE)
			if err != nil {
				return err
			}
			if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &writable); err != nil {
				return err
			}
			return write(fd, "detached")
		}, nothing},
		"attributes": {func() error {
			name := append([]byte(git), 0)
			minus := unix.AT_FDCWD
			fd, _, e := unix.Syscall6(unix.SYS_OPEN_TREE_ATTR, uintptr(minus), uintptr(unsafe.Pointer(&name[0])),
				unix.OPEN_TREE_CLONE, uintptr(unsafe.Pointer(&writable)), unsafe.Sizeof(writable), 0)
			if e != 0 {
				return e
			}
			return write(int(fd), "attributes")
		}, nothing},
	}
}

// makeFresh makes what these escapes look for.
func (w *outside) makeFresh() (err error) {
	w.Addresses["network"], err = os.Readlink("/proc/self/ns/net")
	w.before["project/.git/detached"], w.before["project/.git/attributes"] = "", ""
	if strings.HasPrefix(w.Addresses["network"], "net:") {
		return err
	}
	return errors.Join(err, fmt.Errorf("no network: %q", w.Addresses["network"]))
}
