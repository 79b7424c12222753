package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"ferrus/agent/proxy"
	"ferrus/store/longtest"
)

var generate = flag.Bool("generate", false, "write the table of escapes into SECURITY")

// leaked is the descriptor of your home that the program that starts the sandbox has open.
const leaked = 3

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

// plan is what the two programs of the test are to do.
type plan struct {
	Base   string
	Column int
	Names  []string
	World  json.RawMessage `json:",omitempty"`
}

// outcome is what came of one escape.
type outcome struct {
	Name     string
	Happened bool
	Reason   string
}

// allEscapes are all of them, in the order of the table.
var allEscapes []escape

func init() {
	allEscapes = slices.Concat(escapes, laterEscapes, newestEscapes, freshEscapes, lastEscapes, sessionEscapes)
	commands["escapes-outside"] = tryOutside
	commands["escapes-inside"] = tryInside
}

// TestEscapes tries what a program inside must not do, or can do, in each kind of walls, as
// an ordinary user and, where it can, as root. -short and the usual run try some of them, drawn anew each time.
func TestEscapes(t *testing.T) {
	names := make([]string, 0, len(escapes))
	for _, e := range allEscapes {
		names = append(names, e.name)
	}
	if !longtest.On() {
		seed := rand.Uint64()
		t.Logf("a sample by seed %d; FERRUS_LONG=1 tries all", seed)
		draw := rand.New(rand.NewPCG(seed, 0))
		names = slices.DeleteFunc(names, func(string) bool { return draw.IntN(4) > 0 })
	}
	for i, c := range columns {
		t.Run(c.title, func(t *testing.T) {
			w := walls(t, c.kind, c.network)
			for _, o := range tryAll(t, i, names, false) {
				checkOutcome(t, w, i, o, nil)
			}
		})
	}
	for i, c := range columns {
		if os.Getuid() != 0 || c.kind == None {
			continue
		}
		t.Run(c.title+" as root", func(t *testing.T) {
			w := walls(t, c.kind, c.network)
			for _, o := range tryAll(t, i, names, true) {
				checkOutcome(t, w, i, o, asRoot)
			}
		})
	}
}

// checkOutcome compares what happened with the table, or what is otherwise.
func checkOutcome(t *testing.T, w Walls, column int, o outcome, other map[string]string) {
	t.Helper()
	at := slices.IndexFunc(allEscapes, func(e escape) bool { return e.name == o.Name })
	opens := allEscapes[at].opens
	if differs, ok := other[o.Name]; ok {
		opens = differs
	}
	want := opens[column]
	if want == 's' { // Landlock closes sockets from ABI 9 on.
		want = 'x'
		if w.ABI >= abiSockets {
			want = '.'
		}
	}
	if want != '?' && (want == 'x') != o.Happened {
		t.Errorf("%s: happened %v, want %c (%s)", o.Name, o.Happened, want, o.Reason)
	}
}

// tryAll runs the escapes in one sandbox, as a user without privileges or as this one.
func tryAll(t *testing.T, column int, names []string, root bool) []outcome {
	t.Helper()
	base, err := os.MkdirTemp("", "ferrus-escape-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	program := filepath.Join(base, "ferrus")
	copyProgram(t, program)
	data, err := json.Marshal(plan{Base: base, Column: column, Names: names})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "escapes-outside", string(data))
	cmd.Env = []string{"PATH=/usr/bin:/bin", "SECRET=of the environment"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // one escape signals the group
	if os.Getuid() == 0 && !root {
		for _, own := range []string{base, program} { // as one in ~/.local/bin does
			if err := os.Chown(own, unprivileged, unprivileged); err != nil {
				t.Fatal(err)
			}
		}
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: unprivileged, Gid: unprivileged}
	}
	var stderr bytes.Buffer
	cmd.Stderr, cmd.WaitDelay = &stderr, 10*time.Second
	out, err := cmd.Output()
	if err != nil && strings.Contains(err.Error(), "permission denied") {
		t.Skipf("programs in %s cannot be run by another user: %v", os.TempDir(), err)
	}
	var all []outcome
	if err == nil {
		err = json.Unmarshal(out, &all)
	}
	if err != nil || len(all) != len(names) {
		t.Fatalf("%d outcomes of %d: %v\n%s\n%s", len(all), len(names), err, out, stderr.Bytes())
	}
	return all
}

// unprivileged is an ordinary user.
const unprivileged = 65534

// copyProgram copies this program to where every user can run it.
func copyProgram(t *testing.T, to string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(to, data, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// tryOutside makes the targets, starts the sandbox among them, and reports what happened.
func tryOutside(data string, _ []string) error {
	var p plan
	if err := json.Unmarshal([]byte(data), &p); err != nil {
		return err
	}
	w := &outside{Base: p.Base, Addresses: map[string]string{}, PIDs: map[string]int{}, seen: map[string]bool{},
		processes: map[string]*exec.Cmd{}, before: map[string]string{}}
	defer w.close()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // for the group
	if err := w.make(); err != nil {
		return fmt.Errorf("make the targets: %w", err)
	}
	inside, err := w.start(p)
	if err != nil {
		return err
	}
	for i, o := range inside {
		at := slices.IndexFunc(allEscapes, func(e escape) bool { return e.name == o.Name })
		if look := allEscapes[at].happened; look != nil {
			w.worked = o.Happened
			inside[i].Happened = look(w)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(inside)
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
	policy := Policy{Dir: project, Write: []string{project}, Network: c.network, Env: []string{"TMPDIR=" + project}}
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

// tryInside tries the escapes.
func tryInside(data string, _ []string) error {
	var p plan
	w := &outside{}
	if err := json.Unmarshal([]byte(data), &p); err != nil {
		return err
	}
	if err := json.Unmarshal(p.World, w); err != nil {
		return err
	}
	all := []outcome{}
	for _, e := range allEscapes {
		if !slices.Contains(p.Names, e.name) {
			continue
		}
		err := e.try(w)
		all = append(all, outcome{Name: e.name, Happened: err == nil, Reason: fmt.Sprint(err)})
	}
	return json.NewEncoder(os.Stdout).Encode(all)
}

// protectedParts are the protected directories of the project.
var protectedParts = []string{".ferrus", ".git", "svc/.ferrus", "held1", "up/a/held", "deep/a/b/held", "held2", "held3",
	"held4", "absent/.ferrus"}

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
		"home/.Xauthority":         "cookie",
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

// words are what the table says of an escape.
var words = map[rune]string{'x': "possible", '.': "refused", '?': "varies", 's': "possible before ABI 9"}

// TestTheTableOfEscapes holds the table in SECURITY to the escapes; -generate writes it.
func TestTheTableOfEscapes(t *testing.T) {
	const file, begin, end = "../../.github/SECURITY.md", "<!-- generated: escapes -->\n", "<!-- end of generated -->"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", file)
	}
	var b strings.Builder
	b.WriteString("| A program inside tries to |")
	for _, c := range columns {
		b.WriteString(" " + c.title + " |")
	}
	b.WriteString("\n|" + strings.Repeat("---|", len(columns)+1) + "\n")
	for _, e := range allEscapes {
		fmt.Fprintf(&b, "| %s |", e.name)
		for _, c := range e.opens {
			b.WriteString(" " + words[c] + " |")
		}
		b.WriteString("\n")
	}
	want := before + begin + b.String() + end + after
	if *generate {
		err = os.WriteFile(file, []byte(want), 0o644)
	}
	if err != nil || !*generate && want != string(data) {
		t.Errorf("the table in %s is old; run: go test ./agent/sandbox -run Table -generate (%v)", file, err)
	}
}
