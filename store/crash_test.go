package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"ferrus/store/longtest"
)

// world is the value that the tests store.
type world struct {
	State   string         `json:"state"`
	N       int            `json:"n"`
	By      map[string]int `json:"by"` // how often each process changed it
	Nothing *int           `json:"nothing"`
	Until   *time.Time     `json:"lease_until,omitempty"`
}

// The story is nine events with everything that the store does between them.
const (
	storyEnd  = 9
	archiving = 6 // the event that archives
)

// storyTexts returns the texts after an event.
func storyTexts(seq uint64) map[string]string {
	return []map[string]string{
		{},
		{"TASK.md": "first"},
		{"TASK.md": "first"},
		{"TASK.md": "second", "NOTE.md": strings.Repeat("long ", 3000)},
		{"TASK.md": "second", "NOTE.md": strings.Repeat("long ", 3000)},
		{"NOTE.md": "short"},
		{"TASK.md": "third"},
		{"TASK.md": "third", "NOTE.md": "again"},
		{},
		{"TASK.md": "fourth"},
	}[seq]
}

// writerScript makes ten events and records which ones were acknowledged.
type writerScript struct {
	dir        *Dir[world]
	acked      uint64   // the newest event that was acknowledged
	unfinished error    // of the newest event
	agents     []string // what agents.json may hold; "" is no file
}

func (s *writerScript) write(m *memory) error {
	dir, err := openMemory(m)
	if errors.Is(err, ErrNone) {
		dir, err = createMemory(m)
	}
	if err != nil {
		return err
	}
	s.dir = dir
	for {
		state, err := dir.Load()
		if err != nil {
			return err
		}
		s.acked = max(s.acked, state.Seq)
		if state.Seq == storyEnd {
			return nil
		}
		if err := s.event(state.Seq + 1); err != nil {
			return err
		}
	}
}

func (s *writerScript) event(seq uint64) error {
	if err := s.files(seq); err != nil {
		return err
	}
	if seq%2 == 0 {
		if err := s.renew(); err != nil {
			return err
		}
	}
	for range 2 { // the second is the same call again
		call := Call{ID: fmt.Sprint("call-", seq), Key: fmt.Sprint("key-", seq)}
		out, err := s.dir.Update(context.Background(), call, func(tx *Tx[world]) error { return s.change(tx, seq) })
		if err != nil {
			return err
		}
		if out.State.Seq != seq || string(out.Result) != fmt.Sprint(seq) {
			return fmt.Errorf("event %d: seq %d with result %s", seq, out.State.Seq, out.Result)
		}
		s.acked, s.unfinished = seq, errors.Join(s.unfinished, out.Unfinished)
	}
	return nil
}

func (s *writerScript) change(tx *Tx[world], seq uint64) error {
	if tx.Seq != seq {
		return fmt.Errorf("event %d is at %d", seq, tx.Seq)
	}
	tx.World.N = int(seq)
	tx.World.State = []string{"Idle", "Busy"}[seq%2]
	for _, name := range []string{"TASK.md", "NOTE.md"} {
		tx.SetText(name, storyTexts(seq)[name])
	}
	if seq == archiving {
		tx.Archive("t-1")
	}
	tx.Record("step", "ferrus", "", fmt.Sprint("because of ", seq))
	tx.SetResult(seq)
	return nil
}

func (s *writerScript) renew() error {
	_, err := s.dir.Update(context.Background(), Call{}, func(tx *Tx[world]) error {
		now := time.Now()
		tx.World.Until = &now
		tx.Renew()
		return nil
	})
	return err
}

// files writes and removes files that are not the state.
func (s *writerScript) files(seq uint64) error {
	if seq == archiving-1 {
		if err := s.dir.WriteFile("checks/3.json", []byte("check")); err != nil {
			return err
		}
	}
	next := fmt.Sprint("agents of ", seq)
	if seq == 4 {
		next = ""
	}
	s.agents = append(slices.Clone(s.agents), next)
	var err error
	if next == "" {
		err = s.dir.Remove("agents.json")
	} else {
		err = s.dir.WriteFile("agents.json", []byte(next))
	}
	if err == nil {
		s.agents = []string{next}
	}
	return err
}

func openMemory(m *memory) (*Dir[world], error) {
	d := &Dir[world]{Files: memoryFiles(m), boot: m.boot}
	return d, d.prepare()
}

func createMemory(m *memory) (*Dir[world], error) {
	d := &Dir[world]{Files: memoryFiles(m), boot: m.boot}
	return d, d.make(context.Background(), world{State: "Idle", By: map[string]int{}})
}

// run tells the story until it ends or the process dies.
func (s *writerScript) run(m *memory) (dead bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(died); !ok {
				panic(r)
			}
			dead = true
		}
	}()
	return false, s.write(m)
}

// verify opens the disk after a crash and compares everything with what the script had
// acknowledged.
func (s *writerScript) verify(m *memory) error {
	d, err := openMemory(m)
	if errors.Is(err, ErrNone) && s.dir == nil {
		return nil // it was never made
	} else if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	state, err := d.Load()
	if err != nil {
		return err
	}
	seq := state.Seq
	if seq != s.acked && seq != s.acked+1 {
		return fmt.Errorf("acknowledged %d, finds %d", s.acked, seq)
	}
	if state.World.N != int(seq) {
		return fmt.Errorf("seq %d has world %d", seq, state.World.N)
	}
	return errors.Join(verifyTexts(d, state), verifyJournal(d, state), s.verifyFiles(d, seq), verifyTidy(d, state))
}

func verifyTexts(d *Dir[world], state State[world]) error {
	want := storyTexts(state.Seq)
	if len(state.Docs) != len(want) {
		return fmt.Errorf("seq %d has the texts %v", state.Seq, slices.Sorted(maps.Keys(state.Docs)))
	}
	for name, text := range want {
		if got, err := d.ReadText(state, name); err != nil || got != text {
			return fmt.Errorf("seq %d: %s is %.20q, %v", state.Seq, name, got, err)
		}
		if got, err := d.ReadFile(name); err != nil || string(got) != text {
			return fmt.Errorf("seq %d: the copy of %s is %.20q, %v", state.Seq, name, got, err)
		}
	}
	return nil
}

// verifyJournal checks that every event is there once and in order, and that they fold to
// STATE.json.
func verifyJournal(d *Dir[world], state State[world]) error {
	f, err := d.open()
	if err != nil {
		return err
	}
	defer f.Close()
	lines, err := linesAfter(f, 0) // the file itself, without the line that is kept
	if err != nil || len(lines) != int(state.Seq) {
		return fmt.Errorf("seq %d: the journal has %d lines, %v", state.Seq, len(lines), err)
	}
	for i, line := range lines {
		if line.Call != fmt.Sprint("call-", i+1) {
			return fmt.Errorf("line %d has the call %s", i, line.Call)
		}
	}
	return sameAsFolded(d, lines)
}

func sameAsFolded(d *Dir[world], lines []Entry) error {
	if len(lines) == 0 {
		return nil
	}
	f, err := d.open()
	if err != nil {
		return err
	}
	defer f.Close()
	doc, _, err := d.read(f)
	if err != nil {
		return err
	}
	members, err := fold(doc.members)
	if err != nil {
		return err
	}
	want, err := marshal(members)
	if err != nil {
		return err
	}
	if got, err := Fold(lines); err != nil || !bytes.Equal(got, want) {
		return fmt.Errorf("folding gives %s, %v; the state is %s", got, err, want)
	}
	return nil
}

func (s *writerScript) verifyFiles(d *Dir[world], seq uint64) error {
	data, err := d.ReadFile("agents.json")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !slices.Contains(s.agents, string(data)) && len(s.agents)+len(data) > 0 {
		return fmt.Errorf("agents.json is %q, may be %q", data, s.agents)
	}
	if seq < archiving {
		return nil
	}
	for name, want := range map[string]string{"NOTE.md": "short", "checks/3.json": "check"} {
		if got, err := d.ReadFile(path.Join("archive/t-1", name)); err != nil || string(got) != want {
			return fmt.Errorf("the archive's %s is %q, %v", name, got, err)
		}
	}
	if checks, err := d.List("checks"); err != nil || len(checks) > 0 {
		return fmt.Errorf("checks are left: %v, %v", checks, err)
	}
	return nil
}

// verifyTidy checks that no file is left that no state names.
func verifyTidy(d *Dir[world], state State[world]) error {
	allowed := []string{"STATE.json", "agents.json", "archive", "checks", "docs", "journal.jsonl", "logs", "run",
		"sums", "sums.lock"}
	allowed = append(allowed, slices.Collect(maps.Keys(state.Docs))...)
	names, err := d.List(".")
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.Contains(allowed, name) {
			return fmt.Errorf("seq %d: %s is left", state.Seq, name)
		}
	}
	docs, err := d.List("docs")
	if err != nil || len(docs) != len(state.Docs) {
		return fmt.Errorf("seq %d: docs has %v, %v", state.Seq, docs, err)
	}
	f, err := d.open()
	if err != nil {
		return err
	}
	defer f.Close()
	if left, err := f.list("run"); err != nil || len(left) > 0 {
		return fmt.Errorf("run has %v, %v", left, err)
	}
	return nil
}

// again is the second process on a disk: it is also stopped, anywhere, and the third one finds what
// was acknowledged to both.
func again(s writerScript, m *memory, rng *rand.Rand, steps int) error {
	m.at = 1 + rng.IntN(steps)
	if _, err := s.run(m); err != nil {
		return fmt.Errorf("second process: %w", err)
	}
	for range 2 {
		if err := s.verify(m.lose(rng)); err != nil {
			return fmt.Errorf("second process stopped before step %d: %w", m.at, err)
		}
	}
	return nil
}

// crash runs the story once for each of its steps, stops before that step, and examines many disks
// that such a stop may leave.
func crash(ways int, ignore func(op, name string) bool) (steps int, err error) {
	return crashOn(ways, func() *memory {
		m := newMemory()
		m.ignore = ignore
		return m
	})
}

func crashOn(ways int, disk func() *memory) (steps int, err error) {
	for at := 1; ; at++ {
		m, s := disk(), writerScript{agents: []string{""}}
		m.at = at
		dead, err := s.run(m)
		if err != nil {
			return at, err
		}
		for seed := range uint64(ways) {
			rng := rand.New(rand.NewPCG(seed, uint64(at)))
			if err := s.verify(m.lose(rng)); err != nil {
				return at, fmt.Errorf("power lost before step %d, seed %d: %w", at, seed, err)
			}
			what, disk := "power lost", m.lose(rng)
			if (seed+uint64(at))%2 == 0 {
				what, disk = "killed", m.clone()
			}
			if err := again(s, disk, rng, at+50); err != nil {
				return at, fmt.Errorf("%s before step %d, seed %d: %w", what, at, seed, err)
			}
		}
		if !dead {
			return at - 1, nil
		}
	}
}

func TestCrashBeforeEveryStep(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	ways := 1
	if longtest.On() {
		ways = 20
	}
	steps, err := crash(ways, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d steps, %d disks each", steps, ways*3)
}

// memoryFiles returns the files of a .ferrus in memory.
func memoryFiles(m *memory) Files {
	return Files{root: "/memory/.ferrus", disk: m, names: projectFiles, heads: memoryHeads{m}}
}
