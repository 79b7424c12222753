package sandbox

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// newestEscapes are tried at last: by what processes share without a file or socket, by calls that name several
// processes at once, by the kernel's own protocols, and by other spellings for the proxy.
var newestEscapes = []escape{
	{"change the priority of all your processes", "....?", func(*outside) error {
		return unix.Setpriority(unix.PRIO_USER, 0, 6)
	}, nil},
	{"change the priority of the process group", "....?", func(*outside) error {
		return unix.Setpriority(unix.PRIO_PGRP, 0, 7)
	}, func(w *outside) bool { return priority(w.PIDs["group slowed"]) == 7 }},
	{"have the disk serve the process group last", "....?", func(*outside) error {
		const group, last = 2, 2<<13 | 7 // of the usual class
		_, _, e := unix.Syscall(unix.SYS_IOPRIO_SET, group, 0, last)
		return errorOf(e)
	}, nil},
	{"have the kernel signal the process group", "....x", signalsByPipe, died("group by pipe")},
	{"change the line discipline of a terminal", "....x", func(*outside) error {
		return onTerminal(unix.TIOCSETD)
	}, nil},
	{"take the messages of the console", ".....", func(*outside) error { return onTerminal(unix.TIOCCONS) }, nil},
	{"reach the packet filter of the kernel", "....?", netlink(unix.NETLINK_NETFILTER), nil},
	{"reach the audit of the kernel", "....?", netlink(unix.NETLINK_AUDIT), nil},
	{"reach IPsec", "....?", netlink(unix.NETLINK_XFRM), nil},
	{"be notified when processes start and end", "....?", netlink(unix.NETLINK_CONNECTOR), nil},
	{"delay who opens a file", "....x", takesLease, nil},
	{"watch a whole mount", ".....", watchesMount, nil},
	{"join another control group", ".....", appends("/sys/fs/cgroup/cgroup.procs"), nil},
	{"read the mounts of a process", "...xx", readsProcess("mountinfo"), nil},
	{"list what a process has open", "...?x", func(w *outside) error {
		return ignoring(os.ReadDir(fmt.Sprintf("/proc/%d/fd", w.PIDs["bystander"])))
	}, nil},
	{"open the network of a process", "....x", func(w *outside) error {
		return ignoring(os.Open(fmt.Sprintf("/proc/%d/ns/net", w.PIDs["bystander"])))
	}, nil},
	{"read the state of all pages of memory", ".....", reads("/proc/kpageflags"), nil},
	{"read where the kernel has its memory", ".....", reads("/proc/vmallocinfo"), nil},
	{"write a protected file through memory", ".....", writesMapped, changed("project/.git/mapped")},

	{"reach the loopback by a short address", ".....", asksProxy("127.1:%s"), reached("refused")},
	{"reach the loopback by the number 0", ".....", asksProxy("0:%s"), reached("refused")},
	{"reach the loopback by the empty IPv6 address", ".....", asksProxy("[::]:%s"), reached("refused")},
	{"reach the loopback by an old form of IPv6", ".....", asksProxy("[::127.0.0.1]:%s"), reached("refused")},
	{"reach the loopback by an address with a zone", ".....", asksProxy("[::1%25lo]:%s"), reached("refused")},
	{"reach the loopback by a name of IPv6", ".....", asksProxy("ip6-localhost:%s"), reached("refused")},
	{"reach the loopback by the full stops of another script", ".....", asksProxy("127。0。0。1:%s"), reached("refused")},
	{"reach the loopback by the name of the machine", ".....", func(w *outside) error {
		name, err := os.Hostname()
		if err != nil {
			return err
		}
		return asksProxy(name + ":%s")(w)
	}, reached("refused")},
	{"reach a refused host by the header Host", ".....", requests("GET / HTTP/1.1\r\nHost: %s\r\n\r\n"),
		reached("refused")},
	{"reach a refused host behind a user in a URI", ".....",
		requests("GET http://%a@%s/ HTTP/1.1\r\nHost: %a\r\n\r\n"), reached("refused")},
	{"reach a refused host by a second header Host", ".....",
		requests("GET http://%a/ HTTP/1.1\r\nHost: %a\r\nHost: %s\r\n\r\n"), reached("refused")},
	{"reach a refused host by a continued header", ".....",
		requests("GET http://%a/ HTTP/1.1\r\nHost: %a\r\nX: y\r\n Host: %s\r\n\r\n"), reached("refused")},
	{"reach a refused host by a second request", ".....",
		requests("GET http://%a/ HTTP/1.1\r\nHost: %a\r\n\r\nGET http://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n"),
		reached("refused")},
	{"reach a refused host by an old request", ".....", requests("GET http://%s/\r\n\r\n"), reached("refused")},
	{"reach a refused host by another scheme", ".....",
		requests("GET ftp://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n"), reached("refused")},
}

// priority returns the nice value of a process; 100: it is unknown.
func priority(pid int) int {
	got, err := unix.Getpriority(unix.PRIO_PROCESS, pid)
	if err != nil {
		return 100
	}
	return 20 - got
}

// signalsByPipe has the process group signalled when a pipe has something to read.
func signalsByPipe(*outside) error {
	signal.Ignore(unix.SIGHUP) // bubblewrap does, too
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	defer unix.Close(pipe[0])
	defer unix.Close(pipe[1])
	for _, step := range [][2]int{
		{unix.F_SETOWN, -unix.Getpgrp()}, {unix.F_SETSIG, int(unix.SIGHUP)}, {unix.F_SETFL, unix.O_ASYNC},
	} {
		if _, err := unix.FcntlInt(uintptr(pipe[0]), step[0], step[1]); err != nil {
			return err
		}
	}
	return ignoring(unix.Write(pipe[1], []byte("x")))
}

// onTerminal calls ioctl on a new terminal, with a number that is 0.
func onTerminal(call uintptr) error {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	defer master.Close()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return err
	}
	terminal, _, e := unix.Syscall(unix.SYS_IOCTL, master.Fd(), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY)
	if e != 0 {
		return e
	}
	defer unix.Close(int(terminal))
	var zero int32
	_, _, e = unix.Syscall(unix.SYS_IOCTL, terminal, call, uintptr(unsafe.Pointer(&zero)))
	return errorOf(e)
}

func netlink(protocol int) func(*outside) error {
	return func(*outside) error {
		fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, protocol)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}
}

// takesLease has the kernel hold up the next program that opens a file: here its own, elsewhere another's.
func takesLease(w *outside) error {
	f, err := os.Create(w.path("project/leased"))
	if err != nil {
		return err
	}
	defer f.Close()
	return ignoring(unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK))
}

func watchesMount(*outside) error {
	fd, err := unix.FanotifyInit(unix.FAN_CLASS_NOTIF|unix.FAN_REPORT_FID, unix.O_RDONLY)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.FanotifyMark(fd, unix.FAN_MARK_ADD|unix.FAN_MARK_MOUNT, unix.FAN_OPEN, unix.AT_FDCWD, "/usr")
}

// writesMapped writes a file that it may only read by the memory that it is mapped to.
func writesMapped(w *outside) error {
	f, err := os.Open(w.path("project/.git/mapped"))
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := unix.Mmap(int(f.Fd()), 0, 4, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	defer unix.Munmap(data) //nolint:errcheck // the process ends
	memory, err := os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer memory.Close()
	return ignoring(memory.WriteAt([]byte("evil"), int64(uintptr(unsafe.Pointer(&data[0])))))
}

// requests sends a text to the proxy: %a is an address that is named, %s one that is refused.
func requests(text string) func(*outside) error {
	return func(w *outside) error {
		_, named, _ := net.SplitHostPort(w.Addresses["allowed"])
		_, refused, _ := net.SplitHostPort(w.Addresses["refused"])
		return throughProxy(strings.NewReplacer("%a", "127.0.0.1:"+named, "%s", "127.0.0.1:"+refused).Replace(text))
	}
}
