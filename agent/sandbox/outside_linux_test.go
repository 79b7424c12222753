package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"ferrus/agent/proxy"
	"golang.org/x/sys/unix"
)

// outside is what is there while escapes are tried: a home, a project with a task, another
// one, processes, sockets. It belongs to the user who starts the sandbox.
type outside struct {
	Base      string
	Addresses map[string]string // of listeners
	PIDs      map[string]int    // of processes
	Terminal  string
	Shared    int // memory
	Queue     int

	worked    bool // the escape that is looked at, as seen from inside
	ends      bool // everything inside ends with its first process
	mu        sync.Mutex
	seen      map[string]bool // listeners that were reached, terminals that were typed into
	processes map[string]*exec.Cmd
	inputs    []io.Closer
	closers   []func()
	before    map[string]string
}

// start runs the escapes inside, and returns what they look like from there.
func (w *outside) start(p plan) ([]outcome, error) {
	c := columns[p.Column]
	w.ends = c.kind == Namespace
	walls := Walls{Kind: c.kind, Network: c.network, ABI: landlockABI()}
	if c.kind == Namespace {
		var err error
		if walls.Bwrap, err = findBubblewrap(); err != nil {
			return nil, err
		}
	}
	var err error
	if p.World, err = json.Marshal(w); err != nil {
		return nil, err
	}
	own, err := stageCommand("escapes-inside", p, nil)
	if err != nil {
		return nil, err
	}
	project := w.path("project")
	policy := Policy{Dir: project, Write: []string{project}, Read: []string{w.path("tools")}, Network: c.network,
		Env: []string{"TMPDIR=" + project}}
	for _, below := range protectedParts {
		policy.Protect = append(policy.Protect, w.path("project/"+below)+"/")
	}
	_, port, _ := net.SplitHostPort(w.Addresses["allowed"])
	outside, err := walls.StartProxy(proxy.Rules{Ports: []string{port}})
	if err != nil {
		return nil, err
	}
	defer outside.Close()
	argv, err := walls.Command(outside.Policy(policy), own...)
	if err != nil {
		return nil, err
	}
	home, err := os.Open(w.path("home"))
	if err != nil {
		return nil, err
	}
	defer home.Close()
	var stdout bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles, cmd.Dir = &stdout, os.Stderr, []*os.File{home}, project
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, fmt.Errorf("%w: %s", err, stdout.Bytes())
	}
	var all []outcome
	return all, json.Unmarshal(stdout.Bytes(), &all)
}

// make makes the targets.
func (w *outside) make() error {
	for _, below := range protectedParts {
		if below != "absent/.ferrus" {
			if err := os.MkdirAll(w.path("project/"+below), 0o755); err != nil {
				return err
			}
		}
	}
	for name, text := range map[string]string{
		"home/.ssh/id_rsa": "secret", "home/.bash_history": "export TOKEN=secret", "home/.bashrc": "# mine",
		"home/.netrc": "password", "home/removed": "", "home/movable": "", "home/mode": "", "home/times": "",
		"home/.Xauthority": "cookie", "tools/var/state": "",
		"home/.claude/credentials": "", "home/bin/tool": "", "other/main.go": "package main",
		"project/.ferrus/STATE.json": "{}", "project/svc/.ferrus/STATE.json": "{}", "project/.git/config": "[core]",
		"project/.git/hooks/sample": "", "project/.git/remove": "", "project/.git/linked": "mine",
		"project/.git/mapped": "mine",
	} {
		if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(w.path(name), []byte(text), 0o644); err != nil {
			return err
		}
		w.before[name] = text
	}
	return errors.Join(w.makePipe(), w.makeListeners(), w.makeProcesses(), w.makeTerminal(), w.makeShared(),
		w.makeFresh())
}

// makePipe makes a pipe that a program outside reads.
func (w *outside) makePipe() error {
	if err := unix.Mkfifo(w.path("home/read"), 0o600); err != nil {
		return err
	}
	f, err := os.OpenFile(w.path("home/read"), os.O_RDWR, 0)
	if err == nil {
		w.closers = append(w.closers, func() { f.Close() })
	}
	return err
}

func (w *outside) makeListeners() error {
	for _, l := range []struct{ name, network, address string }{
		{"tmux", "unix", w.path("home/tmux")}, {"ssh-agent", "unix", w.path("home/ssh-agent")},
		{"installed", "unix", w.path("tools/var/socket")},
		{"docker", "unix", w.path("docker")}, {"door", "unix", w.path("door")},
		{"bus", "unix", "@" + filepath.Base(w.Base)}, {"tcp4", "tcp4", "127.0.0.1:0"},
		{"allowed", "tcp4", "127.0.0.1:0"}, {"refused", "tcp4", "127.0.0.1:0"}, {"proxy", "unix", w.path("proxy")},
		{"worktree", "unix", w.path("project/socket")}, {"display", "unix", w.path("/tmp/%-display")},
		{"bare display", "unix", "@/tmp/.X11-unix/X" + filepath.Base(w.Base)},
	} {
		listener, err := net.Listen(l.network, l.address)
		if err != nil {
			return err
		}
		w.closers, w.Addresses[l.name] = append(w.closers, func() { listener.Close() }), listener.Addr().String()
		go func() {
			for {
				c, err := listener.Accept()
				if err != nil {
					return
				}
				w.note(l.name)
				c.Close()
			}
		}()
	}
	return errors.Join(w.receive("gram", "unixgram", w.path("gram")), w.receive("udp4", "udp4", "127.0.0.1:0"))
}

// receive notes a message.
func (w *outside) receive(name, network, address string) error {
	c, err := net.ListenPacket(network, address)
	if err != nil {
		return err
	}
	w.closers, w.Addresses[name] = append(w.closers, func() { c.Close() }), c.LocalAddr().String()
	go func() {
		if _, from, err := c.ReadFrom(make([]byte, 16)); err == nil {
			w.note(name)
			_, _ = c.WriteTo([]byte("x"), from) // A socket without a name gets none.
		}
	}()
	return nil
}

func (w *outside) note(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[name] = true
}

func (w *outside) noted(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen[name]
}

func (w *outside) makeProcesses() error {
	for _, name := range []string{"bystander", "killed", "ended", "killed by descriptor", "group", "group by pipe",
		"group slowed", "by pipe"} {
		cmd := exec.Command("/bin/sh", "-c", "read line; true")
		cmd.Dir, cmd.SysProcAttr = w.path("home"), &syscall.SysProcAttr{Setpgid: !strings.HasPrefix(name, "group")}
		in, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		w.processes[name], w.PIDs[name], w.inputs = cmd, cmd.Process.Pid, append(w.inputs, in)
	}
	return nil
}

// makeTerminal makes a terminal and notes what is typed into it.
func (w *outside) makeTerminal() error {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		return err
	}
	w.Terminal = "/dev/pts/" + strconv.Itoa(number)
	// Without an open terminal a read of the master fails.
	other, err := os.OpenFile(w.Terminal, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	w.closers = append(w.closers, func() { other.Close(); master.Close() })
	go func() {
		if _, err := master.Read(make([]byte, 16)); err == nil {
			w.note("terminal")
		}
	}()
	return nil
}

func (w *outside) makeShared() error {
	var err error
	if w.Shared, err = unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600); err != nil {
		return err
	}
	w.closers = append(w.closers, func() { _, _ = unix.SysvShmCtl(w.Shared, unix.IPC_RMID, nil) })
	data, err := unix.SysvShmAttach(w.Shared, 0, 0)
	if err != nil {
		return err
	}
	copy(data, "secret")
	if err := unix.SysvShmDetach(data); err != nil {
		return err
	}
	queue, _, e := unix.Syscall(unix.SYS_MSGGET, 0, unix.IPC_CREAT|0o600, 0)
	if e != 0 {
		return e
	}
	w.Queue = int(queue)
	posix, _, e := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(w.queueName())), unix.O_CREAT|unix.O_RDWR,
		0o600, 0, 0, 0)
	if e != 0 {
		return e
	}
	w.closers = append(w.closers, func() {
		unix.Close(int(posix))
		_, _, _ = unix.Syscall(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(w.queueName())), 0, 0)
	})
	w.closers = append(w.closers, func() {
		_, _, _ = unix.Syscall(unix.SYS_MSGCTL, queue, unix.IPC_RMID, uintptr(unsafe.Pointer(nil)))
	})
	return nil
}

// close ends and removes everything.
func (w *outside) close() {
	for _, in := range w.inputs {
		in.Close()
	}
	for _, p := range w.processes {
		_ = p.Process.Kill()
		_ = p.Wait()
	}
	if pid := w.leftOver(); pid > 0 {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	for _, end := range slices.Backward(w.closers) {
		end()
	}
	for _, name := range []string{"/tmp/%", "/var/tmp/%", "/dev/shm/%"} {
		os.Remove(w.path(name + "-forged"))
	}
}

func there(path string) func(*outside) bool {
	return func(w *outside) bool { return exists(w.path(path)) }
}

func gone(path string) func(*outside) bool {
	return func(w *outside) bool { return !exists(w.path(path)) }
}

func changed(path string) func(*outside) bool {
	return func(w *outside) bool {
		data, _ := os.ReadFile(w.path(path))
		return string(data) != w.before[path]
	}
}

func reached(name string) func(*outside) bool {
	return func(w *outside) bool {
		// What was sent may have to be received yet, where anything was.
		for end := time.Now().Add(20 * time.Second); w.worked && time.Now().Before(end) && !w.noted(name); {
			time.Sleep(time.Millisecond)
		}
		return w.noted(name)
	}
}

// died reports whether a process was ended before its input was.
func died(name string) func(*outside) bool {
	return func(w *outside) bool {
		p := w.processes[name]
		for _, in := range w.inputs {
			in.Close()
		}
		_ = p.Wait()
		status, _ := p.ProcessState.Sys().(syscall.WaitStatus)
		return status.Signaled()
	}
}

func (w *outside) mode(path string) os.FileMode {
	info, err := os.Stat(w.path(path))
	if err != nil {
		return 0
	}
	return info.Mode() & (os.ModePerm | os.ModeSetuid)
}

func (w *outside) modified(path string) int64 {
	info, err := os.Stat(w.path(path))
	if err != nil {
		return 0
	}
	return info.ModTime().Unix()
}

func (w *outside) isLink(path string) bool {
	info, err := os.Lstat(w.path(path))
	return err == nil && info.Mode()&os.ModeSymlink != 0
}

func (w *outside) typed() bool { return reached("terminal")(w) }

// outlived reports whether a process is there that the session left. The kernel ends those of
// a namespace a little after its first process.
func (w *outside) outlived() bool {
	for end := time.Now().Add(20 * time.Second); w.ends && w.leftOver() > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	return w.leftOver() > 0
}

// leftOver returns a process whose working directory is the project; 0: none.
func (w *outside) leftOver() int {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if at, _ := os.Readlink("/proc/" + e.Name() + "/cwd"); err == nil && at == w.path("project") {
			return pid
		}
	}
	return 0
}
