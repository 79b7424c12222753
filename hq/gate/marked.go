package gate

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"ferrus/agent/process"
	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
)

// The files that say what runs now. They are there only while it does, or after its
// runner died.
const (
	gateFile  = "run/gate.json"
	setupFile = "run/setup.json"

	teardownFile = "run/teardown.json"
)

// marked is a run of commands as its file has it: enough for the next runner to end
// what is left, should this one die.
type marked struct {
	Ticket uint64            `json:"ticket"`         // of the gate; 0: the run has none
	Task   string            `json:"task,omitempty"` // whose worktree is prepared
	Of     string            `json:"of,omitempty"`   // directory of the gate's task; empty: its record is .ferrus
	Marker string            `json:"marker"`         // carried by every process of the commands
	Group  int               `json:"group"`          // process group of the present command; see groupFile
	Log    string            `json:"log"`            // below .ferrus
	Runner *process.Identity `json:"runner,omitempty"`

	project *project.Task
	file    string
	nice    bool         // the commands get what others leave of the processor
	written func() error // returns when the file is; nil: it is
}

// lowest is the priority of commands for which nothing waits.
const lowest = 15

// mark writes down what is about to run, while the caller prepares it: [marked.run] waits for that.
func mark(p *project.Task, file string, m marked) *marked {
	var random [16]byte
	_, _ = rand.Read(random[:]) // It never fails.
	m.project, m.file, m.Of, m.Marker = p, file, p.ID, hex.EncodeToString(random[:])
	m.Runner, _ = process.Identify(os.Getpid()) // For diagnosis; nothing depends on it.
	m.written = inBackground(m.write)
	return &m
}

// inBackground runs a function on a goroutine of its own, and returns one that waits for what it returns.
func inBackground(do func() error) (wait func() error) {
	result := make(chan error, 1)
	go func() { result <- do() }()
	return sync.OnceValue(func() error { return <-result })
}

// wait returns when the file is written.
func (m *marked) wait() error {
	if m.written == nil {
		return nil
	}
	return m.written()
}

func (m marked) write() error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	files := filesOf(m.project, m.file)
	if err := files.WriteFile(m.file, append(data, '\n')); err != nil {
		return err
	}
	groups, err := files.Append(groupFile(m.file))
	if err != nil {
		return err
	}
	return groups.Close()
}

// filesOf returns where a file is that says what runs: the gate's is beside its lock, which the
// tasks of a project share.
func filesOf(p *project.Task, file string) *store.Files {
	if isLaneFile(file) {
		return p.Files
	}
	return &p.Store.Files
}

// run runs the commands of a definition under the mark. None of them starts before it is written.
func (m *marked) run(ctx context.Context, d core.Definition, log io.Writer, o checks.Options) checks.Record {
	if err := m.wait(); err != nil {
		return checks.NotRun(o.Tree, err.Error())
	}
	o.Commands, o.Timeout = d.Commands, time.Duration(d.TimeoutSecs)*time.Second
	o.AllowNone, o.Log, o.Marker = o.AllowNone || d.AllowNone, log, m.Marker
	o.Started = func(group int) {
		m.Group = group
		if m.nice {
			_ = syscall.Setpriority(syscall.PRIO_PGRP, group, lowest) // If it fails, they only slow down other work.
		}
		_ = m.noteGroup() // The marker still finds every process that did not clear its environment.
	}
	return checks.Run(ctx, o)
}

// groupFile returns the name of the file beside the one that says what runs, with the process groups of its commands,
// each on a line with the marker. It is not made durable, for no process outlives the system; nor is its hash kept: a
// group in which no process has the marker is left alone. Where it is missing, the commands have ended.
func groupFile(file string) string { return strings.TrimSuffix(file, ".json") + ".groups" }

// noteGroup writes down the process group of the present command.
func (m *marked) noteGroup() error {
	f, err := filesOf(m.project, m.file).Append(groupFile(m.file))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s %d\n", m.Marker, m.Group)
	return errors.Join(err, f.Close())
}

// readGroup reads the process group of the last command; the file of an earlier ferrus has it itself.
func (m *marked) readGroup() {
	data, _ := filesOf(m.project, m.file).ReadFile(groupFile(m.file)) // Without it the marker counts.
	for line := range strings.Lines(string(data)) {
		var group int
		marker := ""
		if n, _ := fmt.Sscanf(line, "%s %d", &marker, &group); n == 2 && marker == m.Marker && group > 0 {
			m.Group = group
		}
	}
}

// remove says that nothing of the run is left.
func (m *marked) remove() error {
	_ = m.wait() // What was not written is removed, too.
	return filesOf(m.project, m.file).Remove(m.file, groupFile(m.file))
}

// fail says that nothing of the run is left, though it came to no result. On a full disk the file that says what ran
// cannot be removed, as that takes a write of its hash; the one beside it can.
func (m *marked) fail(err error) error {
	if m.remove() != nil {
		_ = filesOf(m.project, m.file).Remove(groupFile(m.file)) // If it stays, the runner counts as one that died.
	}
	return err
}

// died reports whether a runner died during a run: one that failed has ended its commands.
func (m *marked) died() bool {
	groups, err := filesOf(m.project, m.file).OpenFile(groupFile(m.file))
	if err == nil {
		groups.Close()
	}
	return err == nil
}

// killLeftover ends what a runner that died had running, and returns what that was;
// nil when none died.
func killLeftover(p *project.Task, file string) (*marked, error) {
	data, err := filesOf(p, file).ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	dead := marked{project: p, file: file}
	if err == nil {
		if err = json.Unmarshal(data, &dead); err != nil {
			err = fmt.Errorf("%s is damaged: %w; run: ferrus doctor --repair", file, err)
		}
	}
	if err == nil {
		dead.readGroup()
		err = checks.KillMarked(dead.Marker, dead.Group)
	}
	return &dead, err
}
