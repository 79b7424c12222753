package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ferrus/agent"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/hq/wire"
	"ferrus/ui/text/lazyregexp"
)

// home is a project on another machine, as this worker has it: a repository without a checkout
// of its own, and the attempts of tasks that it was given.
type home struct {
	worker  *Worker
	dir     string
	project *project.Task

	placing sync.Mutex // held while a workspace is made, changed or read as a whole
	setups  sync.Map   // of *sync.Mutex by task, held while its workspace is prepared

	mu       sync.Mutex // guards the rest
	patience time.Duration
	heard    time.Time // monotonic
	attempts map[string]attempt
	sessions map[string]*running // by the id that home gave
	gates    map[string]*gateRun // by their names
}

// attempt is the newest attempt of a task that home has named, as it is recorded.
type attempt struct {
	Attempt int    `json:"attempt"`
	Commit  string `json:"commit,omitempty"` // that its workspace is based on; empty: it has none
	Below   string `json:"below,omitempty"`  // directory of the project in it
	Setup   string `json:"setup,omitempty"`  // hash of the commands that have prepared it; empty: none have
}

// attemptsFile records the attempts, and sessionsFile what may run.
const (
	attemptsFile = "attempts.json"
	sessionsFile = "sessions.json"
)

func openHome(ctx context.Context, w *Worker, id string) (*home, error) {
	h := &home{worker: w, dir: filepath.Join(w.Dir, "homes", id), heard: time.Now(),
		attempts: map[string]attempt{}, sessions: map[string]*running{}, gates: map[string]*gateRun{}}
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return nil, fmt.Errorf("open a home: %w", err)
	}
	if err := makeRepository(ctx, h.dir); err != nil {
		return nil, fmt.Errorf("open a home: %w", err)
	}
	if err := readJSON(filepath.Join(h.dir, attemptsFile), &h.attempts); err != nil {
		return nil, err
	}
	var err error
	if h.project, err = w.Open(ctx, h.dir); err != nil {
		return nil, fmt.Errorf("open a home: %w", err)
	}
	if err := gate.KillLost(ctx, h.project); err != nil { // of a worker that died
		return nil, fmt.Errorf("open a home: %w", err)
	}
	return h, nil
}

// readJSON reads a file; one that is not there changes nothing.
func readJSON(name string, into any) error {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", filepath.Base(name), err)
	}
	return nil
}

// writeJSON replaces a file atomically.
func writeJSON(name string, v any) error {
	data, err := json.Marshal(v)
	if err == nil {
		err = project.WriteKept(name, data)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(name), err)
	}
	return nil
}

func (h *home) hear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.heard = time.Now()
}

// taskNames are what a task may be called, and slotNames a slot: they are parts of paths.
var (
	taskNames = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)
	slotNames = lazyregexp.New(`^[a-z][a-z0-9_-]{0,63}$`)
)

// claim notes the attempt of a task that home names, and refuses one that is not the newest.
func (h *home) claim(t wire.Task, change func(*attempt)) (attempt, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := h.attempts[t.Task]
	if !taskNames.MatchString(t.Task) {
		return known, fmt.Errorf("%q is not the name of a task", wire.Words(t.Task, 80))
	}
	if t.Attempt < known.Attempt {
		return known, fmt.Errorf("attempt %d of %s is over: attempt %d replaced it", t.Attempt,
			wire.Words(t.Task, 80), known.Attempt)
	}
	was := known
	known.Attempt = t.Attempt
	if change != nil {
		change(&known)
	}
	if known == was {
		return known, nil
	}
	h.attempts[t.Task] = known
	return known, writeJSON(filepath.Join(h.dir, attemptsFile), h.attempts)
}

// lives reports whether a session or a gate of the home is running.
func (h *home) lives() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		if !s.isOver() {
			return true
		}
	}
	for _, g := range h.gates {
		if !g.isOver() {
			return true
		}
	}
	return false
}

// tasks returns how many tasks have a running session.
func (h *home) tasks() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	living := map[string]bool{}
	for _, s := range h.sessions {
		if !s.isOver() {
			living[s.Task.Task] = true
		}
	}
	return len(living)
}

// list returns the sessions that home has not forgotten.
func (h *home) list() []wire.Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := []wire.Session{}
	for _, s := range h.sessions {
		all = append(all, s.describe())
	}
	return all
}

// stopGrace is how long an agent has to end whose home is silent.
const stopGrace = 10 * time.Second

// endIfSilent ends the sessions if home has been silent for longer than the patience with it.
func (h *home) endIfSilent() {
	h.mu.Lock()
	silent := time.Since(h.heard)
	over := silent > h.patience
	h.mu.Unlock()
	if over {
		go h.endAll(fmt.Sprintf("home did not answer for %v", silent.Round(time.Second)))
	}
}

// endAll ends all sessions, in good order, and all gates.
func (h *home) endAll(why string) {
	h.mu.Lock()
	var all []*running
	for _, s := range h.sessions {
		if !s.isOver() {
			all = append(all, s)
		}
	}
	h.mu.Unlock()
	var ending sync.WaitGroup
	for _, s := range all {
		ending.Go(func() { s.end(stopGrace, why) })
	}
	h.endGates()
	ending.Wait()
}

// leftover is a session that may run, as it is recorded.
type leftover struct {
	Local string `json:"local"` // the id that its processes are found by
	PID   int    `json:"pid"`
}

// record writes which sessions may run. The caller holds mu.
func (h *home) record() error {
	all := []leftover{}
	for _, s := range h.sessions {
		if !s.isOver() {
			all = append(all, leftover{s.local, s.pid()})
		}
	}
	return writeJSON(filepath.Join(h.dir, sessionsFile), all)
}

// endLeftovers ends the sessions of a worker that died: the agents' servers went with it.
func (w *Worker) endLeftovers() error {
	files, err := filepath.Glob(filepath.Join(w.Dir, "homes", "*", sessionsFile))
	if err != nil {
		return err
	}
	for _, name := range files {
		var all []leftover
		if err := readJSON(name, &all); err != nil {
			return err
		}
		for _, one := range all {
			if err := agent.KillTree(one.PID, one.Local); err != nil {
				return fmt.Errorf("end a session that another worker left behind: %w", err)
			}
		}
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return nil
}
