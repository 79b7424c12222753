package remote

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"ferrus/agent/program"
	"ferrus/hq/wire"
)

// maxServers is how many servers a session has at a time, as at a door.
const maxServers = 4

// servers are the servers of a session of a worker: children of its process here, so that they know
// by it whose they are.
type servers struct {
	ctx     context.Context
	channel *wire.Channel
	argv    []string
	asking  []string // argv, where the client asks for permission
	texts   *texts   // that what servers send may name; nil: none

	mu    sync.Mutex        // guards the rest
	paths *strings.Replacer // from the worktree at home to the workspace on the worker
	link  wire.Link
	open  map[uint32]*server
	all   sync.WaitGroup
}

type server struct {
	cmd *exec.Cmd
	in  io.WriteCloser
}

func newServers(ctx context.Context, c *wire.Channel, argv, asking []string) *servers {
	return &servers{ctx: ctx, channel: c, argv: argv, asking: asking, open: map[uint32]*server{}}
}

// use says over which link work is fetched.
func (s *servers) use(l wire.Link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.link = l
}

func (s *servers) present() wire.Link {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link
}

// receive handles what the agent says, in its order.
func (s *servers) receive(v *shown) {
	for {
		m, err := s.channel.Receive(s.ctx)
		if err != nil {
			return
		}
		if len(m) < 5 {
			continue
		}
		id, body := binary.BigEndian.Uint32(m[1:]), m[5:]
		switch m[0] {
		case wire.ToolsOpen:
			argv := s.argv
			if len(body) > 0 {
				argv = s.asking
			}
			s.start(id, argv)
		case wire.ToolsData:
			s.pass(id, body)
		case wire.ToolsClose:
			s.end(id)
		case wire.ToolsTree:
			if !s.fetch(v, body) {
				return // nothing that follows is passed on
			}
		case wire.ToolsTurn:
			v.noteTurn(len(body) > 0)
		case wire.ToolsHost:
			if err := v.askHost(string(body)); err != nil {
				v.say("The worker %s broke the protocol: it %v", v.Name, err)
				v.mark(err)
				v.refuse()
				return
			}
		}
	}
}

// start starts a server for a connection.
func (s *servers) start(id uint32, argv []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) >= maxServers || s.open[id] != nil {
		go s.closed(id)
		return
	}
	cmd := exec.CommandContext(s.ctx, argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // signals to this process's group are not for it
	cmd.WaitDelay = time.Second
	in, out, err := program.StartPiped(cmd)
	if err != nil {
		go s.closed(id)
		return
	}
	s.open[id] = &server{cmd, in}
	s.all.Go(func() {
		s.copy(id, out)
		_ = cmd.Wait() // its session has ended
		s.end(id)
		s.closed(id)
	})
}

func (s *servers) closed(id uint32) {
	_ = s.channel.Send(s.ctx, binary.BigEndian.AppendUint32([]byte{wire.ToolsClose}, id)) // the end closes all
}

// translate replaces the worktree's path here by the workspace's on the worker in what servers send.
func (s *servers) translate(here, there string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths = strings.NewReplacer(here, there)
}

// copy sends what a server says, each line as a whole.
func (s *servers) copy(id uint32, out io.Reader) {
	lines := bufio.NewReaderSize(out, 64<<10)
	for {
		line, err := lines.ReadString('\n')
		s.mu.Lock()
		paths := s.paths
		s.mu.Unlock()
		if paths != nil {
			line = paths.Replace(s.sendTexts(line))
		}
		for len(line) > 0 {
			n := min(len(line), 48<<10)
			m := append(binary.BigEndian.AppendUint32([]byte{wire.ToolsData}, id), line[:n]...)
			if s.channel.Send(s.ctx, m) != nil {
				return
			}
			line = line[n:]
		}
		if err != nil {
			return
		}
	}
}

// sendTexts sends the texts that a line names, and returns the line with their paths on the worker. It tries until the
// worker is connected.
func (s *servers) sendTexts(line string) string {
	for {
		there, err := s.texts.send(s.ctx, s.present(), line)
		if err == nil || !IsLost(err) {
			return there // the agent learns that it cannot read one that was refused
		}
		select {
		case <-s.ctx.Done():
			return line
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (s *servers) pass(id uint32, body []byte) {
	s.mu.Lock()
	one := s.open[id]
	s.mu.Unlock()
	if one != nil {
		_, _ = one.in.Write(body) // one that has ended reads nothing
	}
}

func (s *servers) end(id uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.open[id]; one != nil {
		_ = one.in.Close() // the server reads the end of its input
		delete(s.open, id)
	}
}

func (s *servers) closeAll() {
	s.mu.Lock()
	for id, one := range s.open {
		_ = one.in.Close()
		delete(s.open, id)
		defer time.AfterFunc(10*time.Second, func() { _ = one.cmd.Process.Kill() }).Stop()
	}
	s.mu.Unlock()
	s.all.Wait()
}

// fetch brings the worktree to a tree that the worker announced, before what follows is passed on.
// It tries until it can: a call that looked at older work would prove the wrong thing.
// It returns false for work that was refused, which ends the session.
func (s *servers) fetch(v *shown, body []byte) bool {
	var there wire.Workspace
	_ = json.Unmarshal(body, &there) // what cannot be read names no tree
	for s.ctx.Err() == nil {
		l := s.present()
		err := v.work.receive(s.ctx, l, there)
		if err == nil {
			return true
		}
		if !IsLost(err) {
			v.say("The work of the worker %s was refused: %s", v.Name, wire.Words(err.Error(), 400))
			v.mark(err)
			v.refuse()
			return false
		}
		select {
		case <-s.ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	return false
}

// refuse ends the session: nothing that it asks for is passed on.
func (v *shown) refuse() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Signal(syscall.SIGTERM)
	}
}
