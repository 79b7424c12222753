package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/hq/demo"
	"ferrus/hq/project"
	"ferrus/store"
)

// limit is how long a play may take: a machine at work with other things is slow.
const limit = 3 * time.Minute

// play is one telling of the story.
type play struct {
	*testing.T
	root, dir string // of the play, of the project
	eyes      *eyes
	deaths    deaths
	output    bytes.Buffer // of the conductors, for whom it fails
	stuck     bytes.Buffer // who lived when there was no end
}

// newPlay makes the project.
func newPlay(t *testing.T) *play {
	t.Helper()
	root := t.TempDir()
	if *keep {
		root, _ = os.MkdirTemp("", "chaos-")
		t.Log("kept:", root)
	}
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	p := &play{T: t, root: root, dir: filepath.Join(root, "project"), eyes: newEyes(root)}
	if err := demo.Scaffold(p.dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.clear)
	return p
}

// clear leaves no process behind, whatever went wrong.
func (p *play) clear() {
	for _, one := range p.eyes.living() {
		one.kill()
	}
}

// establish makes the state where no conductor does, and lets the checks run.
func (p *play) establish() {
	if code, out := p.run("init"); code != 0 {
		p.Fatalf("ferrus init: %d\n%s", code, out)
	}
	opened := p.project()
	opened.Trusts = &project.TrustStore{File: filepath.Join(p.root, "config", "ferrus", "trust.json")}
	all, err := opened.Untrusted(p.world().World)
	if err == nil {
		err = opened.Trust(all...)
	}
	if err != nil {
		p.Fatal(err)
	}
}

func (p *play) project() *project.Project {
	p.Helper()
	opened, err := project.OpenKept(p.dir, store.UserHeads())
	if err != nil {
		p.Fatal(err)
	}
	return opened
}

// world is the state; Idle before there is one.
func (p *play) world() store.State[core.World] {
	opened, err := project.OpenKept(p.dir, store.UserHeads())
	if err == nil {
		var state store.State[core.World]
		if state, err = opened.World(); err == nil {
			return state
		}
	}
	if !errors.Is(err, store.ErrNone) {
		p.Error(err)
	}
	return store.State[core.World]{World: core.New(time.Now())}
}

// command is ferrus in the project.
func (p *play) command(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		p.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Dir = p.dir
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "FERRUS_") {
			c.Env = append(c.Env, entry)
		}
	}
	config := filepath.Join(p.root, "config")
	c.Env = append(c.Env, playEnv+"="+p.root, "XDG_CONFIG_HOME="+config, "GORACE=atexit_sleep_ms=0")
	return c
}

// run runs ferrus to its end. Its output is a file: who outlives it may write on.
func (p *play) run(args ...string) (code int, output string) {
	p.Helper()
	out, err := os.CreateTemp(p.root, "out-")
	if err != nil {
		p.Fatal(err)
	}
	defer out.Close()
	c := p.command(args...)
	c.Stdout, c.Stderr = out, out
	if err = c.Start(); err != nil {
		p.Fatal(err)
	}
	err = c.Wait()
	data, _ := os.ReadFile(out.Name())
	fmt.Fprintf(&p.output, "$ ferrus %s\n%s(%v)\n", strings.Join(args, " "), data, err)
	return c.ProcessState.ExitCode(), string(data)
}

// deaths are the processes that the harness killed.
type deaths struct {
	mu  sync.Mutex // guards all
	all []string
}

func (d *deaths) add(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, what)
}

func (d *deaths) of(part string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, one := range d.all {
		if one == part {
			n++
		}
	}
	return n
}

// ways to tell the story, until it is complete.
var ways = map[string]func(*play, context.Context){
	"demo": (*play).demo, "screen": (*play).screen, "run": (*play).conduct, "hand": (*play).hand,
}

// demo lets `ferrus demo` play, again and again.
func (p *play) demo(ctx context.Context) {
	for ctx.Err() == nil {
		killed := p.deaths.of("conductor")
		switch code, _ := p.run("demo", "--headless", "--dir", p.dir); {
		case code == 0:
			return
		case code == -1 && p.deaths.of("conductor") > killed:
		default:
			p.Errorf("ferrus demo ended with %d", code)
			return
		}
	}
}

// screen lets HQ play in a terminal, and ends it when the story is over.
func (p *play) screen(ctx context.Context) {
	for ctx.Err() == nil && p.world().World.State != "Complete" {
		killed := p.deaths.of("conductor")
		c := p.command("demo", "--auto", "--speed", "0", "--dir", p.dir)
		terminal, err := pty.StartWithSize(c, &pty.Winsize{Cols: 120, Rows: 40})
		if err != nil {
			p.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, terminal) }() // ends with the terminal
		ended := make(chan error, 1)                         // one end
		go func() { ended <- c.Wait() }()
		err = p.leave(ctx, c.Process, ended)
		terminal.Close()
		if p.world().World.State != "Complete" && p.deaths.of("conductor") == killed {
			p.Errorf("HQ ended with %v", err)
			return
		}
	}
}

// leave asks HQ to end when there is nothing more to see, and waits for its end.
func (p *play) leave(ctx context.Context, hq *os.Process, ended <-chan error) error {
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
			_ = hq.Kill()
			return <-ended
		case <-ticks.C:
			state, err := os.ReadFile(filepath.Join(p.dir, ".ferrus", "STATE.json"))
			if err == nil && bytes.Contains(state, []byte(`"state": "Complete"`)) {
				_ = hq.Signal(syscall.SIGTERM)
				return <-ended
			}
		}
	}
}

// conduct lets `ferrus run` play, and answers.
func (p *play) conduct(ctx context.Context) {
	p.establish()
	for ctx.Err() == nil {
		args := []string{"run"}
		state := p.world()
		if state.World.State == "Idle" {
			args = append(args, demo.Text)
		}
		if state.World.State == "Complete" {
			return
		}
		killed := p.deaths.of("conductor")
		switch code, _ := p.run(args...); {
		case code == 0:
			return
		case code == 3:
			p.answer()
		case code == -1 && p.deaths.of("conductor") > killed:
		default:
			p.Errorf("ferrus run ended with %d", code)
			return
		}
	}
}

func (p *play) answer() {
	if q := p.world().World.Question; q == nil || q.Answered {
		return
	}
	if code, out := p.run("answer", demo.Answer); code != 0 {
		p.Errorf("ferrus answer: %d %s", code, out)
	}
}

// hand plays without a conductor: each missing session is started, and the gate runs
// detached.
func (p *play) hand(ctx context.Context) {
	p.establish()
	changed, err := p.project().Store.Watch(ctx)
	if err != nil {
		p.Fatal(err)
	}
	cast := &cast{play: p, live: map[string]bool{}, ended: make(chan string)}
	defer cast.close()
	for {
		state := p.world()
		switch state.World.State {
		case "Complete", "Failed":
			return
		case "AwaitingHuman":
			p.answer()
		}
		cast.call(state.World)
		select {
		case slot := <-cast.ended:
			cast.live[slot] = false
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// cast are the agents of a play by hand.
type cast struct {
	*play
	live  map[string]bool
	ended chan string
	all   sync.WaitGroup
}

// call starts the missing sessions, whichever others live: the server of one that was killed
// may end its part of the work after another was started for it, who then waits.
func (c *cast) call(w core.World) {
	switch w.State {
	case "Idle":
		c.startSession("planner", "supervisor", "task")
	case "Reviewing":
		c.startSession("reviewer", "supervisor", "review")
	default:
		if w.State == "Consultation" && w.Consult != nil && !w.Consult.Answered {
			c.startSession("consultant", "supervisor", "consult")
		}
		c.startSession("executor", "executor", "work")
	}
}

func (c *cast) startSession(slot, role, mode string) {
	if c.live[slot] {
		return
	}
	c.live[slot] = true
	agent := c.command("demo-agent", "--role", role, "--mode", mode)
	log, err := os.OpenFile(filepath.Join(c.root, "agents"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		agent.Stdout, agent.Stderr = log, log
		agent.Env = append(agent.Env, "FERRUS_PROJECT="+c.dir, "FERRUS_WAIT_SECS=5", process.NonceEnv+"="+nonce())
		err = agent.Start()
	}
	if err != nil {
		c.Error(err)
		return
	}
	c.all.Go(func() {
		_ = agent.Wait() // how it ended says the state
		log.Close()
		c.ended <- slot
	})
}

// close waits for those who still live.
func (c *cast) close() {
	go func() { c.all.Wait(); close(c.ended) }()
	for range c.ended { //nolint:revive // until all have ended
	}
}
