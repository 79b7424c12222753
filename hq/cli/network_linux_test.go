package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/hq/worktree"
)

// computer is a network namespace with its own home: one machine, as ferrus sees it.
type computer struct {
	t                *testing.T
	name, space, dir string
	address, link    string
	daemon           []func() *exec.Cmd // what runs there from its boot on
}

// network is a test's machines, joined by a bridge in its own namespace.
type network struct {
	t    *testing.T
	root string
	hub  string
	all  map[string]*computer
}

func tryIP(args ...string) error {
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

func (n *network) ip(args ...string) {
	n.t.Helper()
	if err := tryIP(args...); err != nil {
		n.t.Fatal(err)
	}
}

// newNetwork makes namespaces and joins them, or skips the test.
func newNetwork(t *testing.T, names ...string) *network {
	t.Helper()
	root, err := os.MkdirTemp("/tmp", "fn") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	n := &network{t: t, root: root, hub: filepath.Base(root) + "-hub", all: map[string]*computer{}}
	if err := tryIP("netns", "add", n.hub); err != nil {
		t.Skip("set FERRUS_LONG as root, where network namespaces can be made: " + err.Error())
	}
	t.Cleanup(func() { n.remove(n.hub) })
	n.ip("-n", n.hub, "link", "add", "br0", "type", "bridge")
	n.ip("-n", n.hub, "addr", "add", "10.99.0.1/24", "dev", "br0")
	n.ip("-n", n.hub, "link", "set", "br0", "up")
	for i, name := range names {
		n.add(name, i+2)
	}
	return n
}

func (n *network) add(name string, number int) {
	m := &computer{t: n.t, name: name, space: filepath.Base(n.root) + "-" + name, dir: filepath.Join(n.root, name),
		address: fmt.Sprintf("10.99.0.%d", number), link: "to-" + name}
	m.mount()
	n.ip("netns", "add", m.space)
	n.t.Cleanup(func() { n.remove(m.space) })
	n.ip("-n", n.hub, "link", "add", m.link, "type", "veth", "peer", "name", "up0", "netns", m.space)
	n.ip("-n", n.hub, "link", "set", m.link, "master", "br0", "up")
	n.ip("-n", m.space, "addr", "add", m.address+"/24", "dev", "up0")
	n.ip("-n", m.space, "link", "set", "up0", "up")
	n.ip("-n", m.space, "link", "set", "lo", "up")
	for _, below := range []string{"run", "bin", "tmp"} {
		if err := os.MkdirAll(filepath.Join(m.dir, below), 0o700); err != nil {
			n.t.Fatal(err)
		}
	}
	n.all[name] = m
}

// diskSize is in bytes.
const diskSize = 512 << 20

// mount gives a machine a disk of its own.
func (m *computer) mount() {
	err := os.MkdirAll(m.dir, 0o700)
	if err == nil {
		err = syscall.Mount("tmpfs", m.dir, "tmpfs", 0, fmt.Sprintf("size=%d", diskSize))
	}
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = syscall.Unmount(m.dir, syscall.MNT_DETACH) })
}

// fillDisk fills a machine's disk to the last byte until it has waited.
func (m *computer) fillDisk(wait func()) {
	name := filepath.Join(m.dir, "filler")
	defer os.Remove(name)
	f, err := os.Create(name)
	if err != nil {
		return // it is full already
	}
	defer f.Close()
	block := make([]byte, 64<<10)
	for size := len(block); size > 0; {
		if _, err := f.Write(block[:size]); err != nil {
			size /= 2 // what is left is less
		}
	}
	wait()
}

// remove ends every process in a namespace, and removes it.
func (n *network) remove(space string) {
	signalAll(space, syscall.SIGKILL)
	_ = tryIP("netns", "del", space) // the test has failed already if it cannot be
}

// signalAll sends a signal to all processes of a namespace.
func signalAll(space string, s syscall.Signal) {
	out, _ := exec.Command("ip", "netns", "pids", space).Output() // a namespace that is gone has none
	for _, field := range strings.Fields(string(out)) {
		if pid, err := strconv.Atoi(field); err == nil {
			_ = syscall.Kill(pid, s) // it may have ended
		}
	}
}

// command returns a command that runs on a machine.
func (m *computer) command(args ...string) *exec.Cmd {
	c := exec.Command("ip", append([]string{"netns", "exec", m.space}, args...)...)
	c.Dir = m.dir
	c.Env = []string{"HOME=" + m.dir, "XDG_RUNTIME_DIR=" + m.dir + "/run", "TMPDIR=" + m.dir + "/tmp", "USER=root",
		"PATH=" + m.dir + "/bin:" + os.Getenv("PATH"), "FERRUS_PROJECT=", "FERRUS_NONCE=", "LANG=C.UTF-8"}
	log, err := os.OpenFile(filepath.Join(m.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		m.t.Fatal(err)
	}
	c.Stdout, c.Stderr = log, log
	m.t.Cleanup(func() { log.Close() })
	return c
}

// run runs a command on a machine, and returns what it printed.
func (m *computer) run(dir string, args ...string) string {
	m.t.Helper()
	c := m.command(args...)
	c.Dir, c.Stdout, c.Stderr = dir, nil, nil
	out, err := c.CombinedOutput()
	if err != nil {
		m.t.Fatalf("%s on %s: %v: %s", strings.Join(args, " "), m.name, err, out)
	}
	return string(out)
}

// boot starts what runs on a machine.
func (m *computer) boot() {
	for _, make := range m.daemon {
		c := make()
		if err := c.Start(); err != nil {
			m.t.Error(err)
			return
		}
		go func() { _ = c.Wait() }() // it ends by a signal
	}
}

// reboot kills all that runs on a machine, and boots it.
func (m *computer) reboot() {
	signalAll(m.space, syscall.SIGKILL)
	m.boot()
}

// cut disconnects a machine from the network for as long as a wait takes.
func (n *network) cut(m *computer, wait func()) {
	n.ip("-n", n.hub, "link", "set", m.link, "down")
	wait()
	n.ip("-n", n.hub, "link", "set", m.link, "up")
}

// deafen drops what a machine sends to the others, while their packets still reach it: connections
// are half-open.
func (n *network) deafen(m *computer, wait func()) {
	for _, other := range n.all {
		if other != m {
			n.ip("-n", m.space, "route", "add", "blackhole", other.address+"/32")
		}
	}
	wait()
	n.ip("-n", m.space, "route", "flush", "type", "blackhole")
}

// faults has home run the tasks while things fail, and counts the results.
func (n *network) faults(t *testing.T, home *computer, app string, tasks int) (o outcome) {
	t.Helper()
	began := time.Now()
	o.seed = rand.Uint64()
	if fixed, err := strconv.ParseUint(os.Getenv("FERRUS_SEED"), 10, 64); err == nil {
		o.seed = fixed
	}
	random := rand.New(rand.NewPCG(o.seed, 0))
	home.boot()
	for range 24 {
		pause(random, 2, 5)
		o.faults = append(o.faults, n.fault(random))
		if n.landed(home, app) == tasks {
			break
		}
	}
	before, end := -1, time.Time{} // five minutes without another task on the branch: six are checked at once
	for now := n.landed(home, app); now < tasks; now = n.landed(home, app) {
		if now > before {
			before, end = now, time.Now().Add(5*time.Minute)
		} else if time.Now().After(end) {
			break
		}
		pause(random, 1, 2)
		if !home.lives("ferrus run") {
			home.run(app, "ferrus", "resume") // after too many errors a task waits for you
			home.boot()
		}
	}
	pause(random, 12, 13) // workers forget what is over
	n.count(&o, home, app, tasks)
	o.took = time.Since(began)
	return o
}

// fault makes one thing fail, and says which.
func (n *network) fault(random *rand.Rand) string {
	m := n.all[[]string{"home", "far", "near"}[random.IntN(3)]]
	took := 1 + random.IntN(12)
	wait := func() { time.Sleep(time.Duration(took) * time.Second) }
	switch random.IntN(7) {
	case 0:
		n.cut(m, wait)
		return fmt.Sprintf("%s cut off for %d s", m.name, took)
	case 1:
		n.deafen(m, wait)
		return fmt.Sprintf("%s half-open for %d s", m.name, took)
	case 2:
		signalAll(m.space, syscall.SIGSTOP)
		wait()
		signalAll(m.space, syscall.SIGCONT)
		return fmt.Sprintf("%s asleep for %d s", m.name, took)
	case 3:
		m.reboot()
		return m.name + " rebooted"
	case 4:
		n.all["hub"].reboot()
		return "nats restarted"
	case 5:
		if m.name != "home" { // home stops at once, and says so; see the store's tests
			m.fillDisk(wait)
			return fmt.Sprintf("the disk of %s full for %d s", m.name, took)
		}
	}
	out, _ := exec.Command("ip", "netns", "pids", m.space).Output()
	pids := strings.Fields(string(out))
	if len(pids) == 0 {
		return "nothing to kill on " + m.name
	}
	pid, _ := strconv.Atoi(pids[random.IntN(len(pids))])
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	_ = syscall.Kill(pid, syscall.SIGKILL)
	words := strings.ReplaceAll(strings.Trim(string(name), "\x00"), "\x00", " ")
	if !n.all["far"].lives("ferrus worker --nats") {
		n.all["far"].boot() // as its service manager does
	}
	return fmt.Sprintf("killed on %s: %.60q", m.name, words)
}

// lives reports whether a process with such a command line is running on a machine.
func (m *computer) lives(command string) bool {
	return slices.ContainsFunc(m.processes(), func(line string) bool { return strings.Contains(line, command) })
}

// processes returns the command lines of all processes on a machine, that is, in its namespace.
func (m *computer) processes() (all []string) {
	out, _ := exec.Command("ip", "netns", "pids", m.space).Output() // a namespace that is gone has none
	for _, pid := range strings.Fields(string(out)) {
		data, _ := os.ReadFile("/proc/" + pid + "/cmdline") // it may have ended
		if len(data) > 0 {
			all = append(all, strings.ReplaceAll(strings.Trim(string(data), "\x00"), "\x00", " "))
		}
	}
	return all
}

// landed returns how many tasks have landed.
func (n *network) landed(home *computer, app string) int {
	c := home.command("git", "-C", app, "log", "--format=%s", "main")
	c.Stdout = nil
	out, _ := c.Output()
	return strings.Count(string(out), "Task ")
}

// count counts what was lost, done twice, and left behind.
func (n *network) count(o *outcome, home *computer, app string, tasks int) {
	note := func(to *int, format string, args ...any) {
		*to++
		o.why = append(o.why, fmt.Sprintf(format, args...))
	}
	subjects := home.run(app, "git", "log", "--format=%s", "main")
	var want strings.Builder
	for i := range lines {
		fmt.Fprintln(&want, i)
	}
	for i := range tasks {
		title := fmt.Sprintf("Task %d", i+1)
		switch commits := strings.Count(subjects, title+"\n"); {
		case commits == 0:
			note(&o.lost, "%s has not landed", title)
			continue
		case commits > 1:
			note(&o.doubled, "%s has landed %d times", title, commits)
		}
		name := strings.ReplaceAll(strings.ToLower(title), " ", "-") + ".txt"
		switch got := home.run(app, "git", "show", "main:"+name); {
		case len(got) > want.Len():
			note(&o.doubled, "%s: %q", title, got)
		case got != want.String():
			note(&o.lost, "%s: %q", title, got)
		}
	}
	for _, m := range []*computer{n.all["far"], n.all["near"]} {
		for _, line := range m.processes() {
			if strings.Contains(line, "slowagent") || strings.Contains(line, "ferrus host") {
				note(&o.leaked, "on %s runs %s", m.name, line)
			}
		}
		state := filepath.Join(m.dir, ".local/state/ferrus/worker")
		for _, pattern := range []string{"homes/*", "nats/*/homes/*"} {
			kept, _ := filepath.Glob(filepath.Join(state, pattern))
			for _, one := range kept {
				o.homes++
				workspaces, _ := filepath.Glob(filepath.Join(one, ".ferrus", worktree.Folder, "t-*"))
				refs := m.run(one, "git", "for-each-ref", "--format=%(refname)", "refs/ferrus/work")
				for _, left := range append(workspaces, strings.Fields(refs)...) {
					note(&o.leaked, "on %s is %s", m.name, left)
				}
			}
		}
	}
	for _, line := range home.processes() {
		if strings.Contains(line, "ferrus host") || strings.Contains(line, "worker session") {
			note(&o.leaked, "at home runs %s", line)
		}
	}
}
