package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
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
	"sync/atomic"
	"syscall"
	"time"

	"ferrus/agent/proxy"
)

// The findings of the probe: what is tried from inside, and what must come of it.
const (
	findWrite    = "a writable tree can be written"
	findOutside  = "nothing else can be written"
	findRead     = "what is not named cannot be read"
	findSignal   = "no signal reaches a process outside"
	findSocket   = "no socket outside can be reached"
	findAbstract = "no abstract socket outside can be reached"
	findLoopback = "without network your loopback cannot be reached"
	findProxy    = "the proxy reaches what is named"
	findRefused  = "the proxy reaches nothing else"
	findVsock    = "no socket of another kind can be made"
	findCalls    = "system calls are filtered"
	findRename   = "a protected path cannot be moved"
	findParent   = "the directory of a protected path cannot be moved"
	findTerminal = "a terminal can be made"
)

func init() { commands[probeCommand] = tryEverything }

// probeTime is how long a probe may take on a busy machine.
const probeTime = 20 * time.Second

// targets are what the probe inside tries to reach.
type targets struct {
	Write, Outside, Secret string // files
	Protected, Parent      string // directories
	PID                    int
	Socket, Abstract, TCP  string // addresses
	Named, Other           string // addresses, by the proxy
}

// report is what the probe inside says of things that only it can see.
type report struct {
	Secret   string `json:"secret"`
	Vsock    string `json:"vsock"`
	Calls    string `json:"calls"`
	Terminal string `json:"terminal"`
}

// probe runs the probe inside and looks at what came of it.
func (w Walls) probe(ctx context.Context) ([]Finding, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	s, err := newProbeTargets()
	if err != nil {
		return nil, fmt.Errorf("prepare the probe of the sandbox: %w", err)
	}
	defer s.close()
	own, err := stageCommand(probeCommand, s.targets, nil)
	if err != nil {
		return nil, err
	}
	policy := Policy{Dir: s.in, Write: []string{s.in}, Protect: []string{s.Protected + "/"}, Read: own[:1],
		Network: w.Network}
	if w.Network == Proxied {
		_, port, _ := net.SplitHostPort(s.Named) // A listener has one.
		outside := proxy.New(proxy.Rules{Ports: []string{port}})
		defer outside.Close()
		policy.Proxy = filepath.Join(s.base, "p")
		if err := outside.Listen(policy.Proxy); err != nil {
			return nil, fmt.Errorf("prepare the probe of the sandbox: %w", err)
		}
	}
	argv, err := w.Command(policy, own...)
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, time.Second
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	if err := cmd.Run(); err != nil {
		return nil, &Error{"start " + string(w.Kind) + " walls", lastLine(stderr.String(), err)}
	}
	var r report
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		return nil, &Error{"read the probe of " + string(w.Kind) + " walls", err.Error()}
	}
	found := s.findings(r)
	return slices.DeleteFunc(found, func(f Finding) bool {
		of := strings.HasPrefix(f.Name, "the proxy ")
		return f.Name == findLoopback && w.Network == Open || of && w.Network != Proxied ||
			slices.Contains(notHere, f.Name)
	}), nil
}

// lastLine returns the last line of what a program printed; of nothing, the error.
func lastLine(text string, err error) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return err.Error()
	}
	return text[strings.LastIndex(text, "\n")+1:]
}

// probeTargets is what is outside during a probe.
type probeTargets struct {
	targets
	base, in  string
	secret    string
	victim    *exec.Cmd
	stdin     interface{ Close() error }
	listeners []net.Listener
	reached   map[string]*atomic.Bool
	parent    os.FileInfo
	protected os.FileInfo
}

func newProbeTargets() (s *probeTargets, err error) {
	s = &probeTargets{reached: map[string]*atomic.Bool{}, secret: rand.Text()}
	if s.base, err = os.MkdirTemp(shortTemp(), "ferrus-probe-"); err != nil {
		return nil, err
	}
	if s.base, err = filepath.EvalSymlinks(s.base); err == nil {
		err = s.fill()
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *probeTargets) fill() (err error) {
	s.in = filepath.Join(s.base, "in")
	s.Write, s.Outside = filepath.Join(s.in, "written"), filepath.Join(s.base, "written")
	s.Parent = filepath.Join(s.in, "parent")
	s.Protected, s.Secret = filepath.Join(s.Parent, "protected"), filepath.Join(s.base, "secret")
	err = errors.Join(os.MkdirAll(s.Protected, 0o700), os.WriteFile(s.Secret, []byte(s.secret), 0o600))
	if err != nil {
		return err
	}
	if s.protected, err = os.Stat(s.Protected); err != nil {
		return err
	}
	if s.parent, err = os.Stat(s.Parent); err != nil {
		return err
	}
	s.Socket, s.Abstract = filepath.Join(s.base, "s"), abstract(s.base, s.secret)
	for _, l := range []struct{ network, address string }{
		{"unix", s.Socket}, {"unix", s.Abstract}, {"tcp", "127.0.0.1:0"}, {"tcp", "127.0.0.1:0"},
		{"tcp", "127.0.0.1:0"},
	} {
		if err := s.listen(l.network, l.address); err != nil {
			return err
		}
	}
	for i, address := range []*string{&s.TCP, &s.Named, &s.Other} {
		*address = s.listeners[2+i].Addr().String()
	}
	s.victim = exec.Command("/bin/sh", "-c", "read line")
	if s.stdin, err = s.victim.StdinPipe(); err != nil {
		return err
	}
	if err := s.victim.Start(); err != nil {
		s.victim = nil
		return err
	}
	s.PID = s.victim.Process.Pid
	return nil
}

// listen remembers whether a socket was reached.
func (s *probeTargets) listen(network, address string) error {
	l, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	reached := &atomic.Bool{}
	s.reached[l.Addr().String()], s.listeners = reached, append(s.listeners, l)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			reached.Store(true)
			c.Close()
		}
	}()
	return nil
}

func (s *probeTargets) close() {
	for _, l := range s.listeners {
		l.Close()
	}
	s.endVictim()
	os.RemoveAll(s.base)
}

// endVictim ends the process that the probe tried to kill, and reports whether it was
// alive until then.
func (s *probeTargets) endVictim() bool {
	if s.victim == nil {
		return false
	}
	s.stdin.Close()
	_ = s.victim.Wait() // Its status says how it ended.
	status, _ := s.victim.ProcessState.Sys().(syscall.WaitStatus)
	s.victim = nil
	return !status.Signaled()
}

// findings looks at the outside after the probe.
func (s *probeTargets) findings(r report) []Finding {
	find := func(name string, holds bool, got string) Finding {
		if holds {
			got = ""
		}
		return Finding{name, holds, got}
	}
	connected := func(name, address string) Finding {
		return find(name, !s.reached[address].Load(), "it was reached")
	}
	same := func(path string, before os.FileInfo) bool {
		now, err := os.Stat(path)
		return err == nil && os.SameFile(now, before)
	}
	return []Finding{
		find(findWrite, exists(s.Write), "the file is not there"),
		find(findOutside, !exists(s.Outside), "a file is there"),
		find(findRead, r.Secret != s.secret, "a file was read"),
		find(findSignal, s.endVictim(), "a process was killed"),
		connected(findSocket, s.Socket), connected(findAbstract, s.Abstract), connected(findLoopback, s.TCP),
		find(findProxy, s.reached[s.Named].Load(), "it was not reached"), connected(findRefused, s.Other),
		find(findVsock, r.Vsock == syscall.EAFNOSUPPORT.Error(), r.Vsock),
		find(findCalls, r.Calls == syscall.ENOSYS.Error(), r.Calls),
		find(findRename, same(s.Protected, s.protected), "it was moved"),
		find(findParent, same(s.Parent, s.parent), "it was moved"),
		find(findTerminal, r.Terminal == "", r.Terminal),
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// tryEverything is the probe inside.
func tryEverything(data string, _ []string) error {
	var t targets
	if err := json.Unmarshal([]byte(data), &t); err != nil {
		return err
	}
	// What comes of most attempts is seen from outside.
	_ = os.WriteFile(t.Write, nil, 0o600)
	_ = os.WriteFile(t.Outside, nil, 0o600)
	_ = syscall.Kill(t.PID, syscall.SIGKILL)
	_ = os.Rename(t.Protected, t.Protected+".moved")
	_ = os.Rename(t.Parent, t.Parent+".moved")
	for _, a := range []struct{ network, address string }{
		{"unix", t.Socket}, {"unix", t.Abstract}, {"tcp", t.TCP}, {"tcp", t.Other},
	} {
		if c, err := net.DialTimeout(a.network, a.address, time.Second); err == nil {
			_, _ = c.Read(make([]byte, 1)) // until it was seen
			c.Close()
		}
	}
	for _, address := range []string{t.Named, t.Other} {
		askProxy(address)
	}
	var r report
	secret, _ := os.ReadFile(t.Secret)
	r.Secret = string(secret)
	r.tryKernel()
	return json.NewEncoder(os.Stdout).Encode(r)
}

// askProxy asks the proxy for a connection and reads from it until that was seen.
func askProxy(address string) {
	c, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(proxy.Port)), time.Second)
	if err != nil {
		return
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(probeTime)); err == nil {
		fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", address, address) //nolint:errcheck // read fails then
		_, _ = io.Copy(io.Discard, c)
	}
}
