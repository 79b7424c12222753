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

// limit is the time limit of a trial on a busy machine.
const limit = 3 * time.Minute

// trial is one run of the demo's task, from init to Complete.
type trial struct {
	*testing.T
	root, dir string // the trial's and the project's directories
	processes *watcher
	killed    killedParts
	output    bytes.Buffer // the conductors' output, shown if the trial fails
	hung      bytes.Buffer // what still ran at the time limit
}

// newTrial creates the project of the demo's one task.
func newTrial(t *testing.T) *trial { return newTrialOf(t, demo.Scaffold) }

func newTrialOf(t *testing.T, scaffold func(dir string) error) *trial {
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
	p := &trial{T: t, root: root, dir: filepath.Join(root, "project"), processes: newWatcher(root)}
	if err := scaffold(p.dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.killAll)
	return p
}

// killAll ends every process of the trial, even after a failure.
func (p *trial) killAll() {
	for _, one := range p.processes.living() {
		one.kill()
	}
}

// setUp creates the state, which otherwise only a demo does by itself, and trusts the checks.
func (p *trial) setUp() {
	if code, out := p.ferrus("init"); code != 0 {
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

func (p *trial) project() *project.Task {
	p.Helper()
	opened, err := project.OpenKept(p.dir, store.UserHeads())
	if err != nil {
		p.Fatal(err)
	}
	return opened
}

// world returns the state, which is Idle until there is one.
func (p *trial) world() store.State[core.World] {
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
func (p *trial) command(args ...string) *exec.Cmd {
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
	c.Env = append(c.Env, trialEnv+"="+p.root, "XDG_CONFIG_HOME="+config)
	return c
}

// ferrus runs ferrus to its end. Its output goes to a file, because processes that outlive it may
// still write.
func (p *trial) ferrus(args ...string) (code int, output string) {
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

// killedParts has the parts that the trial killed, in order.
type killedParts struct {
	mu  sync.Mutex // guards all
	all []string
}

func (d *killedParts) add(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, what)
}

// count counts the kills of a part.
func (d *killedParts) count(part string) int {
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

// modes has a trial's modes. Each returns when the task is complete.
var modes = map[string]func(*trial, context.Context){
	"demo": (*trial).runDemo, "screen": (*trial).runHQ, "run": (*trial).runHeadless, "hand": (*trial).runByHand,
}

// runDemo runs `ferrus demo`, and restarts it while its conductor is killed.
func (p *trial) runDemo(ctx context.Context) {
	for ctx.Err() == nil {
		killed := p.killed.count("conductor")
		switch code, _ := p.ferrus("demo", "--headless", "--dir", p.dir); {
		case code == 0:
			return
		case code == -1 && p.killed.count("conductor") > killed:
		default:
			p.Errorf("ferrus demo ended with %d", code)
			return
		}
	}
}

// runHQ runs the demo in HQ in a terminal, and ends HQ once the task is complete.
func (p *trial) runHQ(ctx context.Context) {
	for ctx.Err() == nil && p.world().World.State != "Complete" {
		killed := p.killed.count("conductor")
		c := p.command("demo", "--auto", "--speed", "0", "--dir", p.dir)
		terminal, err := pty.StartWithSize(c, &pty.Winsize{Cols: 120, Rows: 40})
		if err != nil {
			p.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, terminal) }() // ends with the terminal
		ended := make(chan error, 1)                         // one end
		go func() { ended <- c.Wait() }()
		err = p.awaitComplete(ctx, c.Process, ended)
		terminal.Close()
		if p.world().World.State != "Complete" && p.killed.count("conductor") == killed {
			p.Errorf("HQ ended with %v, want a complete task", err)
			return
		}
	}
}

// awaitComplete ends HQ once the task is complete, and waits for it.
func (p *trial) awaitComplete(ctx context.Context, hq *os.Process, ended <-chan error) error {
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
			if p.isComplete() {
				_ = hq.Signal(syscall.SIGTERM)
				return <-ended
			}
		}
	}
}

// isComplete reports whether the task is complete.
func (p *trial) isComplete() bool {
	state, err := os.ReadFile(filepath.Join(p.dir, ".ferrus", "STATE.json"))
	return err == nil && bytes.Contains(state, []byte(`"state": "Complete"`))
}

// runHeadless runs `ferrus run`, and answers its question.
func (p *trial) runHeadless(ctx context.Context) {
	p.setUp()
	for ctx.Err() == nil {
		args := []string{"run"}
		state := p.world()
		if state.World.State == "Idle" {
			args = append(args, demo.Text)
		}
		if state.World.State == "Complete" {
			return
		}
		killed := p.killed.count("conductor")
		switch code, _ := p.ferrus(args...); {
		case code == 0:
			return
		case code == 3:
			p.answerQuestion()
		case code == -1 && p.killed.count("conductor") > killed:
		default:
			p.Errorf("ferrus run ended with %d", code)
			return
		}
	}
}

func (p *trial) answerQuestion() {
	if q := p.world().World.Question; q == nil || q.Answered {
		return
	}
	if code, out := p.ferrus("answer", demo.Answer); code != 0 {
		p.Errorf("ferrus answer: %d %s", code, out)
	}
}

// runByHand runs the task without a conductor: it starts each missing session, and the gate runs
// detached.
func (p *trial) runByHand(ctx context.Context) {
	p.setUp()
	changed, err := p.project().Store.Watch(ctx)
	if err != nil {
		p.Fatal(err)
	}
	cast := &agentSet{trial: p, live: map[string]bool{}, ended: make(chan string)}
	defer cast.close()
	for {
		state := p.world()
		switch state.World.State {
		case "Complete", "Failed":
			return
		case "AwaitingHuman":
			p.answerQuestion()
		}
		cast.startMissing(state.World)
		select {
		case slot := <-cast.ended:
			cast.live[slot] = false
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// agentSet has the agents of a trial without a conductor.
type agentSet struct {
	*trial
	live  map[string]bool
	ended chan string
	all   sync.WaitGroup
}

// startMissing starts the missing sessions, whichever others run. If a killed session's server
// completes its part after another session was started for it, that one waits.
func (c *agentSet) startMissing(w core.World) {
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

func (c *agentSet) startSession(slot, role, mode string) {
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
		_ = agent.Wait() // the state says how it ended
		log.Close()
		c.ended <- slot
	})
}

// close waits for the remaining agents.
func (c *agentSet) close() {
	go func() { c.all.Wait(); close(c.ended) }()
	for range c.ended { //nolint:revive // until all have ended
	}
}
