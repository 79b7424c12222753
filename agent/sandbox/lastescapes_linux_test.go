package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/unix"
)

// lastEscapes go by the other end of a socket, by terminals and the console, by what /proc has of a process, and by
// what protects a file beside its content.
var lastEscapes = []escape{
	{"take a descriptor of the program at the other end of a socket", "....?", func(w *outside) error {
		return w.atPeer(func(pidfd int) error {
			fd, _, e := unix.Syscall(unix.SYS_PIDFD_GETFD, uintptr(pidfd), 0, 0)
			if e == 0 {
				unix.Close(int(fd))
			}
			return errorOf(e)
		})
	}, nil},
	{"signal the program at the other end of a socket", "....x", func(w *outside) error {
		return w.atPeer(func(pidfd int) error { return unix.PidfdSendSignal(pidfd, unix.SIGWINCH, nil, 0) })
	}, nil},
	{"open the network of the program at the other end of a socket", "....?", func(w *outside) error {
		return w.atPeer(func(pidfd int) error {
			const networkOf = 0xff05 // PIDFD_GET_NET_NAMESPACE
			fd, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(pidfd), networkOf, 0)
			if e == 0 {
				unix.Close(int(fd))
			}
			return errorOf(e)
		})
	}, nil},
	{"enter the namespaces of the program at the other end of a socket", ".....", func(w *outside) error {
		return w.atPeer(func(pidfd int) error { return unix.Setns(pidfd, unix.CLONE_NEWNS|unix.CLONE_NEWUSER) })
	}, nil},
	{"take a descriptor of its own process by a call that reaches others", "....x", func(*outside) error {
		self, err := unix.PidfdOpen(os.Getpid(), 0)
		if err != nil {
			return err
		}
		defer unix.Close(self)
		return ignoring(unix.PidfdGetfd(self, 0, 0))
	}, nil},
	{"find the mounts of another namespace", ".....", func(*outside) error {
		own, err := os.Open("/proc/self/ns/mnt")
		if err != nil {
			return err
		}
		defer own.Close()
		const previous = 0x8010b70c // NS_MNT_GET_PREV
		var info [64]byte
		_, _, e := unix.Syscall(unix.SYS_IOCTL, own.Fd(), previous, uintptr(unsafe.Pointer(&info)))
		return errorOf(e)
	}, nil},

	{"read what is typed into another terminal", "...xx", func(w *outside) error {
		return w.onOther(func(*os.File) error { return nil })
	}, nil},
	{"change the modes of another terminal", "...xx", func(w *outside) error {
		return w.onOther(func(f *os.File) error {
			modes, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
			if err != nil {
				return err
			}
			return unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, modes)
		})
	}, nil},
	{"make another terminal its own", "....?", func(w *outside) error {
		return w.onOther(func(f *os.File) error { return unix.IoctlSetInt(int(f.Fd()), unix.TIOCSCTTY, 0) })
	}, nil},
	{"have a key of the console type a command", "....x", onConsole(0x4b49), nil},
	{"change the keys of the console", "....x", onConsole(0x4b47), nil},
	{"switch to another console", "....x", onConsole(0x5606), nil},

	{"signal a process with data", "....x", func(w *outside) error {
		var info [128]byte
		*(*int32)(unsafe.Pointer(&info[8])) = -1 // SI_QUEUE
		_, _, e := unix.Syscall(unix.SYS_RT_SIGQUEUEINFO, uintptr(w.PIDs["bystander"]), uintptr(unix.SIGWINCH),
			uintptr(unsafe.Pointer(&info)))
		return errorOf(e)
	}, nil},
	{"signal a thread", "....x", func(w *outside) error {
		return unix.Tgkill(w.PIDs["bystander"], w.PIDs["bystander"], unix.SIGWINCH)
	}, nil},
	{"change how late a process wakes up", "....?", writesProcess("timerslack_ns", "50000"), nil},
	{"change what a crash of a process would store", "....x", writesProcess("coredump_filter", "0x33"), nil},
	{"write to what a process has open", "....x", func(w *outside) error {
		f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/0", w.PIDs["bystander"]), os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err == nil {
			f.Close()
		}
		return err
	}, nil},
	{"read how much a process has read and written", "....x", readsProcess("io"), nil},
	{"read which call a process is in", "....?", readsProcess("syscall"), nil},
	{"read the auxiliary vector of a process", "....?", readsProcess("auxv"), nil},
	{"read the control group of a process", "...xx", readsProcess("cgroup"), nil},
	{"advise the kernel on the memory of a process", "....?", func(w *outside) error {
		pidfd, err := unix.PidfdOpen(w.PIDs["bystander"], 0)
		if err != nil {
			return err
		}
		defer unix.Close(pidfd)
		_, _, e := unix.Syscall6(unix.SYS_PROCESS_MADVISE, uintptr(pidfd), 0, 0, unix.MADV_COLD, 0, 0)
		return errorOf(e)
	}, nil},
	{"share a processor's core with a process alone", "....?", func(w *outside) error {
		const share, process = 2, 1
		return unix.Prctl(unix.PR_SCHED_CORE, share, uintptr(w.PIDs["bystander"]), process, 0)
	}, nil},

	{"change the mode of a protected file", "...xx", func(w *outside) error {
		return os.Chmod(w.path("project/.git/config"), 0o640)
	}, func(w *outside) bool { return w.mode("project/.git/config") == 0o640 }},
	{"change the group of a protected file", "...xx", func(w *outside) error {
		return os.Chown(w.path("project/.git/config"), -1, os.Getgid())
	}, nil},
	{"set an attribute of a protected file", "...xx", func(w *outside) error {
		return unix.Setxattr(w.path("project/.git/config"), "user.x", []byte("y"), 0)
	}, nil},
	{"lock a protected file that others lock", "xxxxx", func(w *outside) error {
		f, err := os.Open(w.path("project/.git/config"))
		if err != nil {
			return err
		}
		defer f.Close()
		return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}, nil},
	{"run a program as another user by sudo", ".....", func(*outside) error {
		return exec.Command("sudo", "-n", "true").Run()
	}, nil},

	{"reach the loopback by Teredo", ".....", asksProxy("[2001:0:7f00:1::]:%s"), reached("refused")},
	{"reach the loopback by stateless translation", ".....", asksProxy("[::ffff:0:127.0.0.1]:%s"), reached("refused")},
	{"reach the loopback by a domain of its own", ".....", asksProxy("localhost.localdomain:%s"), reached("refused")},
	{"reach the loopback by a name in a query", ".....", asksProxy("example.com?@127.0.0.1:%s"), reached("refused")},
}

// atPeer does something to the program that listens in the worktree, by the descriptor that the kernel gives of it.
func (w *outside) atPeer(do func(pidfd int) error) error {
	c, err := net.Dial("unix", w.Addresses["worktree"])
	if err != nil {
		return err
	}
	defer c.Close()
	raw, err := c.(*net.UnixConn).SyscallConn() //nolint:forcetypeassert // of a Unix socket
	if err != nil {
		return err
	}
	failed := raw.Control(func(fd uintptr) {
		var pidfd int
		const peerPIDFD = 77
		if pidfd, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, peerPIDFD); err == nil {
			defer unix.Close(pidfd)
			err = do(pidfd)
		}
	})
	return errors.Join(err, failed)
}

// onOther does something to a terminal outside.
func (w *outside) onOther(do func(*os.File) error) error {
	f, err := os.OpenFile(w.Terminal, os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return do(f)
}

// onConsole asks a terminal for what a console alone has. Another one that says so was asked.
func onConsole(call uintptr) func(*outside) error {
	return func(*outside) error {
		err := onTerminal(call)
		if errors.Is(err, unix.ENOTTY) {
			return nil
		}
		return err
	}
}
