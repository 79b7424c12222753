package sandbox

import (
	"errors"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// escape is one thing that a program inside tries.
type escape struct {
	name string
	// opens says in which walls it succeeds, in the order of columns: x succeeds, . fails,
	// ? depends on the machine.
	opens string
	try   func(w *outside) error
	// happened looks from outside; nil: what try returned counts.
	happened func(w *outside) bool
}

// columns are the walls that every escape is tried in.
var columns = []struct {
	title   string
	kind    Kind
	network Network
}{
	{"namespace", Namespace, Open}, {"namespace without network", Namespace, Unshared},
	{"namespace with proxy", Namespace, Proxied}, {"Landlock", Landlock, Open}, {"no walls", None, Open},
}

// escapes are in an order that leaves for the end what destroys what others need.
var escapes = []escape{
	{"read a key in your home", "....x", reads("home/.ssh/id_rsa"), nil},
	{"list your home", "....x", lists("home"), nil},
	{"read another worktree", "....x", reads("other/main.go"), nil},
	{"read a token from the shell's history", "....x", reads("home/.bash_history"), nil},
	{"read a key by a path with dots", "....x", reads("project/../home/.ssh/id_rsa"), nil},
	{"read a key through the root of a process", "....x", readsProcess("root%s/home/.ssh/id_rsa"), nil},
	{"read a key through the working directory of a process", "....x", readsProcess("cwd/.ssh/id_rsa"), nil},
	{"read a key through its own root", "....x", readsOwnRoot, nil},
	{"read a key through a symbolic link", "....x", readsLink(os.Symlink), nil},
	{"read a key through a hard link", "....x", readsLink(os.Link), nil},
	{"read a key through an inherited descriptor", "....x", readsDescriptor, nil},
	{"read a key by a file handle", ".....", readsHandle, nil},
	{"read the environment of a process", "....x", readsProcess("environ"), nil},
	{"read the command line of a process", "...??", readsProcess("cmdline"), nil},
	{"read the memory map of a process", "....?", readsProcess("maps"), nil},
	{"read the memory of a process", "....?", readsMemory, nil},
	{"see a process", "...??", seesProcess, nil},
	{"see a file's size and times", "...xx", statsKey, nil},
	{"read passwords of the system", ".....", reads("/etc/shadow"), nil},
	{"read keys of the SSH server", ".....", reads("/etc/ssh/ssh_host_rsa_key"), nil},
	{"read the memory of the machine", ".....", reads("/dev/mem"), nil},
	{"read the memory of the kernel", ".....", reads("/proc/kcore"), nil},

	{"write a file in your home", "....x", writes("home/new"), there("home/new")},
	{"append to your .bashrc", "....x", appends("home/.bashrc"), changed("home/.bashrc")},
	{"write a hook of a client", "....x", writes("home/.claude/settings.json"), there("home/.claude/settings.json")},
	{"write a program of PATH", "....x", writes("home/bin/git"), there("home/bin/git")},
	{"write another worktree", "....x", appends("other/main.go"), changed("other/main.go")},
	{"write through a symbolic link", "....x", writesLink, there("home/linked")},
	{"truncate a file in your home", "....x", func(w *outside) error { return os.Truncate(w.path("home/.netrc"), 0) },
		changed("home/.netrc")},
	{"remove a file in your home", "....x", func(w *outside) error { return os.Remove(w.path("home/removed")) },
		gone("home/removed")},
	{"make a directory in your home", "....x", func(w *outside) error { return os.Mkdir(w.path("home/dir"), 0o755) },
		there("home/dir")},
	{"make a pipe in your home", "....x", func(w *outside) error { return unix.Mkfifo(w.path("home/pipe"), 0o600) },
		there("home/pipe")},
	{"make a link in your home", "....x", func(w *outside) error { return os.Symlink("/", w.path("home/link")) },
		there("home/link")},
	{"make a socket in your home", "....x", listens("home/socket"), there("home/socket")},
	{"move a file out of your home", "....x", moves("home/movable", "project/movable"), gone("home/movable")},
	{"move a file into your home", "....x", moves("project/mine", "home/mine"), there("home/mine")},
	{"change the mode of a file", "...xx", func(w *outside) error { return os.Chmod(w.path("home/mode"), 0o666) },
		func(w *outside) bool { return w.mode("home/mode") == 0o666 }},
	{"change the times of a file", "...xx", func(w *outside) error {
		return os.Chtimes(w.path("home/times"), time.Unix(1, 0), time.Unix(1, 0))
	}, func(w *outside) bool { return w.modified("home/times") == 1 }},
	{"write a pipe that your program reads", "....x", writesPipe, nil},
	{"write in /tmp of all programs", "....x", writes("/tmp/%-forged"), there("/tmp/%-forged")},
	{"write in /var/tmp of all programs", "....?", writes("/var/tmp/%-forged"), there("/var/tmp/%-forged")},
	{"write in /dev/shm of all programs", "...??", writes("/dev/shm/%-forged"), there("/dev/shm/%-forged")},
	{"write programs of the system", ".....", writes("/usr/local/bin/%"), there("/usr/local/bin/%")},
	{"write settings of the system", ".....", writes("/etc/%"), there("/etc/%")},
	{"write settings of the kernel", ".....", appends("/proc/sys/kernel/core_pattern"), nil},
	{"write settings of the memory", ".....", appends("/proc/sys/vm/swappiness"), nil},
	{"fill the memory with devices", ".....", writes("/dev/%"), there("/dev/%")},
	{"change the mode of a device", ".....", func(*outside) error { return os.Chmod("/dev/full", 0o666) }, nil},
	{"change the program of the first process", ".....", func(*outside) error {
		return os.Chtimes("/proc/1/exe", time.Unix(1, 0), time.Unix(1, 0))
	}, func(*outside) bool { return oldProgram() }},
	{"watch your directory", "...xx", watches, nil},
	{"read the log of the kernel", "....?", func(*outside) error {
		return ignoring(unix.Klogctl(unix.SYSLOG_ACTION_READ_ALL, make([]byte, 64)))
	}, nil},
	{"load a module into the kernel", ".....", func(*outside) error {
		return unix.InitModule([]byte("module"), "")
	}, nil},
	{"write a control group", ".....", func(*outside) error { return os.Mkdir("/sys/fs/cgroup/escaped", 0o755) }, nil},
	{"write the root directory", ".....", writes("/%"), there("/%")},
	{"make a device", ".....", func(w *outside) error {
		return unix.Mknod(w.path("project/device"), unix.S_IFBLK|0o600, int(unix.Mkdev(8, 0)))
	}, nil},

	{"write the record of a task", "...xx", appends("project/.ferrus/STATE.json"),
		changed("project/.ferrus/STATE.json")},
	{"write a record below a directory", "...xx", appends("project/svc/.ferrus/STATE.json"),
		changed("project/svc/.ferrus/STATE.json")},
	{"write git's configuration", "...xx", appends("project/.git/config"), changed("project/.git/config")},
	{"write a hook of git", "...xx", writes("project/.git/hooks/post-commit"), there("project/.git/hooks/post-commit")},
	{"remove a protected file", "...xx", func(w *outside) error { return os.Remove(w.path("project/.git/remove")) },
		gone("project/.git/remove")},
	{"write a protected file by a hard link", "...xx", writesHardLink, changed("project/.git/linked")},
	{"move a protected directory", "...xx", moves("project/held1", "project/moved1"), gone("project/held1")},
	{"move the directory of a protected one", "...xx", moves("project/up", "project/moved2"),
		gone("project/up/a/held")},
	{"move the directory above that", "...xx", moves("project/deep/a", "project/deep/b"),
		gone("project/deep/a/b/held")},
	{"put a link for a protected directory", "...xx", replacesByLink,
		func(w *outside) bool { return w.isLink("project/held2") }},
	{"exchange a protected directory", "...xx", exchanges, there("project/held3/forged")},
	{"remove a protected directory", "...xx", func(w *outside) error { return os.RemoveAll(w.path("project/held4")) },
		gone("project/held4")},
	{"forge a protected directory that was absent", "...xx", writes("project/absent/.ferrus/STATE.json"),
		there("project/absent/.ferrus/STATE.json")},
	{"unmount what protects", ".....", func(w *outside) error {
		return unix.Unmount(w.path("project/.git"), unix.MNT_DETACH)
	}, nil},
	{"make what protects writable", ".....", remounts, nil},

	{"kill a process", "....x", signals(unix.SIGKILL, "killed"), died("killed")},
	{"stop a process", "....x", signals(unix.SIGTERM, "ended"), died("ended")},
	{"stop the process group", "....x", func(*outside) error {
		signal.Ignore(unix.SIGHUP) // bubblewrap does, too
		return unix.Kill(0, unix.SIGHUP)
	}, died("group")},
	{"kill a process by its descriptor", "....x", signalsDescriptor, died("killed by descriptor")},
	{"take a descriptor of a process", "....?", takesDescriptor, nil},
	{"read the memory of a process by a call", "....?", readsVM, nil},
	{"trace a process", "....?", traces, nil},
	{"change the priority of a process", "...xx", func(w *outside) error {
		return unix.Setpriority(unix.PRIO_PROCESS, w.PIDs["bystander"], 19)
	}, nil},
	{"change the limits of a process", "...xx", func(w *outside) error {
		return unix.Prlimit(w.PIDs["bystander"], unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
	}, nil},
	{"bind a process to a processor", "...xx", func(w *outside) error {
		set := unix.CPUSet{}
		return errors.Join(unix.SchedGetaffinity(0, &set), unix.SchedSetaffinity(w.PIDs["bystander"], &set))
	}, nil},
	{"have the kernel choose a process when memory ends", "....x", adjustsOOM, nil},
	{"gain privileges by a setuid program", "....?", gainsPrivileges, nil},
	{"outlive the session", "...xx", outlives, func(w *outside) bool { return w.outlived() }},

	{"connect to a socket in your home", "...sx", connects("unix", "tmux"), reached("tmux")},
	{"connect to a socket of an agent for keys", "...sx", connects("unix", "ssh-agent"), reached("ssh-agent")},
	{"connect to a socket of docker", "...sx", connects("unix", "docker"), reached("docker")},
	{"connect to another session's door", "...sx", connects("unix", "door"), reached("door")},
	{"connect to a message bus", "....x", connects("unix", "bus"), reached("bus")},
	{"send to a socket", "...sx", connects("unixgram", "gram"), reached("gram")},
	{"connect to your loopback", "x..xx", connects("tcp4", "tcp4"), reached("tcp4")},
	{"send to your loopback", "x..xx", connects("udp4", "udp4"), reached("udp4")},
	{"listen on your loopback", "x..xx", bindsPort, nil},
	{"reach the loopback by the proxy", ".....", asksProxy("127.0.0.1:%s"), reached("refused")},
	{"reach the loopback by its name", ".....", asksProxy("localhost:%s"), reached("refused")},
	{"reach the loopback by a name with a dot", ".....", asksProxy("localhost.:%s"), reached("refused")},
	{"reach the loopback behind a user name", ".....", asksProxy("example.com@127.0.0.1:%s"), reached("refused")},
	{"reach the loopback by IPv4 in IPv6", ".....", asksProxy("[::ffff:127.0.0.1]:%s"), reached("refused")},
	{"reach the loopback by a decimal address", ".....", asksProxy("2130706433:%s"), reached("refused")},
	{"reach the loopback by an octal address", ".....", asksProxy("0177.0.0.1:%s"), reached("refused")},
	{"reach the loopback by a hexadecimal address", ".....", asksProxy("0x7f.0.0.1:%s"), reached("refused")},
	{"reach the loopback by address 0", ".....", asksProxy("0.0.0.0:%s"), reached("refused")},
	{"reach the metadata of a cloud by the proxy", ".....", asksProxy("169.254.169.254:80"), nil},
	{"reach a refused host behind an allowed request", ".....", smuggles, reached("refused")},
	{"reach an allowed port by the proxy", "..x..", asksProxy("127.0.0.1:%a"), nil},
	{"reach an allowed port without the variables", "x.xxx", connects("tcp4", "allowed"), reached("allowed")},
	{"connect to the socket of another session's proxy", "...sx", connects("unix", "proxy"), reached("proxy")},
	{"ask a name server", "?..??", asksNameServer, nil},
	{"send an echo request (ICMP)", "?..??", sendsEcho, nil},
	{"connect to an address of the Internet", "?..??", connectsOut, nil},
	{"list your sockets", "x..xx", listsSockets, nil},
	{"make a socket to the host of a virtual machine", "....?", sockets(unix.AF_VSOCK, unix.SOCK_STREAM), nil},
	{"make a socket for packets", ".....", sockets(unix.AF_PACKET, unix.SOCK_RAW), nil},
	{"make a raw socket", ".....", sockets(unix.AF_INET, unix.SOCK_RAW), nil},
	{"make a socket to the kernel's ciphers", "....?", sockets(unix.AF_ALG, unix.SOCK_SEQPACKET), nil},
	{"make a socket for Bluetooth", "....?", sockets(unix.AF_BLUETOOTH, unix.SOCK_RAW), nil},
	{"attach shared memory", "...xx", attachesMemory, nil},
	{"read a message queue", "...xx", readsQueue, nil},
	{"type into another terminal", "...xx", typesElsewhere, func(w *outside) bool { return w.typed() }},
	{"type into its own terminal", "....?", typesHere, nil},
	{"read a keyring", "....?", func(*outside) error {
		return ignoring(unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true))
	}, nil},
	{"add a key", "....?", func(*outside) error {
		return ignoring(unix.AddKey("user", "escape", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING))
	}, nil},
	{"use io_uring", "....?", calls(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&[256]byte{}))), nil},
	{"load a program into the kernel", ".....",
		calls(unix.SYS_BPF, unix.BPF_PROG_LOAD, uintptr(unsafe.Pointer(&[256]byte{})), 128), nil},
	{"count events of the processor", "....?", countsEvents, nil},
	{"handle page faults", "....?", calls(unix.SYS_USERFAULTFD, 1), nil},
	{"rename the machine", ".....", func(*outside) error { return unix.Sethostname([]byte("escaped")) }, nil},
	{"change the root directory", ".....", func(w *outside) error { return unix.Chroot(w.path("project")) }, nil},
}

// asRoot is what root can do where an ordinary user cannot, or the other way round.
var asRoot = map[string]string{
	"trace the first process": "....", "write the memory of the first process": "....",
	"change the mode of a device":           "...x",
	"read the state of all pages of memory": "...?", "read where the kernel has its memory": "...?",
	"change the priority of a process": "....", "bind a process to a processor": "....", // of one with capabilities
	"change how a process is scheduled": "....", "have the disk serve a process last": "....",
}

func ignoring[T any](_ T, err error) error { return err }

// path returns a path of the fixture; % is a name of its own.
func (w *outside) path(name string) string {
	name = strings.ReplaceAll(name, "%", filepath.Base(w.Base))
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(w.Base, name)
}

func reads(path string) func(*outside) error {
	return func(w *outside) error {
		name := w.Base + "/" + path // as it is spelled
		if filepath.IsAbs(path) {
			name = path
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		return ignoring(f.Read(make([]byte, 1)))
	}
}

func statsKey(w *outside) error { return ignoring(os.Stat(w.path("home/.ssh/id_rsa"))) }

func lists(path string) func(*outside) error {
	return func(w *outside) error {
		entries, err := os.ReadDir(w.path(path))
		if err == nil && len(entries) == 0 {
			err = errors.New("it is empty")
		}
		return err
	}
}

func readsHandle(w *outside) error {
	handle := unix.NewFileHandle(1, make([]byte, 8))
	return ignoring(unix.OpenByHandleAt(unix.AT_FDCWD, handle, unix.O_RDONLY))
}

func writes(path string) func(*outside) error {
	return func(w *outside) error {
		name := w.path(path)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return os.WriteFile(name, []byte("forged"), 0o644)
	}
}

func appends(path string) func(*outside) error {
	return func(w *outside) error {
		f, err := os.OpenFile(w.path(path), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		return ignoring(f.WriteString("forged"))
	}
}

func writesLink(w *outside) error {
	if err := os.Symlink(w.path("home/linked"), w.path("project/tohome")); err != nil {
		return err
	}
	return os.WriteFile(w.path("project/tohome"), nil, 0o600)
}

func writesHardLink(w *outside) error {
	if err := os.Link(w.path("project/.git/linked"), w.path("project/hard")); err != nil {
		return err
	}
	return os.WriteFile(w.path("project/hard"), []byte("forged"), 0o600)
}

func writesPipe(w *outside) error {
	f, err := os.OpenFile(w.path("home/read"), os.O_WRONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return ignoring(f.WriteString("forged"))
}

func listens(path string) func(*outside) error {
	return func(w *outside) error {
		l, err := net.Listen("unix", w.path(path))
		if err == nil {
			l.(*net.UnixListener).SetUnlinkOnClose(false) //nolint:forcetypeassert // It is one.
			l.Close()
		}
		return err
	}
}

func moves(from, to string) func(*outside) error {
	return func(w *outside) error {
		_ = os.WriteFile(w.path("project/mine"), nil, 0o600)
		return os.Rename(w.path(from), w.path(to))
	}
}

func replacesByLink(w *outside) error {
	if err := os.Rename(w.path("project/held2"), w.path("project/away2")); err != nil {
		return err
	}
	return os.Symlink(w.path("home"), w.path("project/held2"))
}

func exchanges(w *outside) error {
	if err := os.MkdirAll(w.path("project/own/forged"), 0o755); err != nil {
		return err
	}
	return unix.Renameat2(unix.AT_FDCWD, w.path("project/own"), unix.AT_FDCWD, w.path("project/held3"),
		unix.RENAME_EXCHANGE)
}

func remounts(w *outside) error {
	return unix.Mount("", w.path("project/.git"), "", unix.MS_REMOUNT|unix.MS_BIND, "")
}

// watches hears of changes in a directory that it cannot read.
func watches(w *outside) error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return ignoring(unix.InotifyAddWatch(fd, w.path("home/.ssh"), unix.IN_CREATE))
}

func errorOf(e syscall.Errno) error {
	if e == 0 {
		return nil
	}
	return e
}
