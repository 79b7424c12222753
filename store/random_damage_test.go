package store_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/hq/project"
	"ferrus/store"
	"ferrus/store/longtest"
)

// damages returns the number of random damages to try.
func damages() int {
	if longtest.On() {
		return 1200
	}
	return 300
}

// These are the acts of the story after which a project is damaged.
var damagedAfter = []int{3, 8, 11, 14, 19, 21, 22}

// Every random damage to a file that decisions depend on is reported by the comparison that a
// start, a gate, an approval and a landing make.
func TestEveryRandomDamageIsReported(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	skipInShort(t)
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	s := newScenario(t)
	s.heads = store.Heads(filepath.Join(t.TempDir(), "state", "ferrus", "heads"))
	var older []map[string][]byte // what .ferrus had after each act
	tried := map[string]int{}
	for e := range scenarioSteps {
		s.must(e)
		p, err := project.OpenKept(s.dir, s.heads, "one", "two")
		if err == nil {
			err = p.Store.Verify(context.Background())
		}
		if err != nil {
			t.Fatalf("seed %d, act %d, undamaged: %v", seed, e, err)
		}
		now := s.decisive()
		older = append(older, now)
		if !slices.Contains(damagedAfter, e) {
			continue
		}
		for range damages()/len(damagedAfter) + 1 {
			what := s.damage(rng, now, older)
			if err := p.Store.Verify(context.Background()); err == nil {
				t.Errorf("seed %d, after act %d: %s was not reported", seed, e, what)
			}
			kind, _, _ := strings.Cut(what, ":")
			tried[kind]++
			s.undo(now)
			if err := p.Store.Verify(context.Background()); err != nil {
				t.Fatalf("seed %d, after act %d: %s undone: %v", seed, e, what, err)
			}
		}
	}
	t.Logf("tried %v", tried)
}

// decisive returns the files below .ferrus that decisions depend on.
func (s *scenario) decisive() map[string][]byte {
	s.Helper()
	p, _ := s.open(0)
	state, err := p.World()
	if err != nil {
		s.Fatal(err)
	}
	named := map[string]bool{"STATE.json": true, "journal.jsonl": true, "sums": true}
	for _, doc := range state.Docs {
		named[doc.File] = true
	}
	return s.decisiveFiles(named)
}

// decisiveFiles reads the bound files, and files by their names.
func (s *scenario) decisiveFiles(named map[string]bool) map[string][]byte {
	s.Helper()
	all := map[string][]byte{}
	root := filepath.Join(s.dir, ".ferrus")
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		short, _ := filepath.Rel(root, name)
		bound := store.IsBound(short) || strings.HasPrefix(short, "archive/t-") && !strings.Contains(short, "landed.")
		switch {
		case err != nil || e.IsDir():
			return err
		case named[short] || bound:
			all[short], err = os.ReadFile(name)
		case store.WhyUnbound(short) == "":
			s.Errorf("%s is in neither list", short)
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return all
}

// put restores the files.
func (s *scenario) put(files map[string][]byte) {
	s.Helper()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(s.dir, ".ferrus", name), data, 0o600); err != nil {
			s.Fatal(err)
		}
	}
}

// putSet puts back sums and all files that it names, which agree; false if they are the present ones.
func (s *scenario) putSet(before, now map[string][]byte) bool {
	s.Helper()
	if before["sums"] == nil || bytes.Equal(before["sums"], now["sums"]) {
		return false
	}
	for name := range now {
		if store.IsBound(name) && before[name] == nil {
			s.remove(name)
		}
	}
	for name, data := range before {
		if name == "sums" || store.IsBound(name) {
			s.put(map[string][]byte{name: data})
		}
	}
	return true
}

// undo makes the files what they were, and removes others.
func (s *scenario) undo(now map[string][]byte) {
	s.Helper()
	s.put(now)
	for name := range s.decisiveFiles(nil) {
		if now[name] == nil {
			s.remove(name)
		}
	}
}

func (s *scenario) remove(name string) {
	s.Helper()
	if err := os.Remove(filepath.Join(s.dir, ".ferrus", name)); err != nil {
		s.Fatal(err)
	}
}

// damage changes the files at random, and says how. It always changes some byte: a damage that
// would not is replaced by another.
func (s *scenario) damage(rng *rand.Rand, now map[string][]byte, older []map[string][]byte) string {
	s.Helper()
	names := slices.Sorted(maps.Keys(now))
	for {
		name := names[rng.IntN(len(names))]
		other := names[rng.IntN(len(names))]
		data := bytes.Clone(now[name])
		lines := bytes.SplitAfter(data, []byte("\n"))
		kinds := []string{"flip", "delete", "cut", "swap lines", "swap files", "older", "double", "older set"}
		kind := kinds[rng.IntN(len(kinds))]
		i := rng.IntN(len(lines))
		switch kind {
		case "flip":
			if len(data) > 0 {
				data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
			}
		case "delete":
			s.remove(name)
			return kind + ": " + name
		case "cut":
			data = data[:rng.IntN(len(data)+1)]
		case "swap lines":
			j := rng.IntN(len(lines))
			lines[i], lines[j] = lines[j], lines[i]
			data = bytes.Join(lines, nil)
		case "swap files":
			if bytes.Equal(now[other], data) {
				continue
			}
			s.put(map[string][]byte{name: now[other], other: data})
			return kind + ": " + name + ", " + other
		case "older":
			before, ok := older[rng.IntN(len(older))][name]
			if !ok {
				continue
			}
			data = before
		case "older set":
			before := older[rng.IntN(len(older))]
			if !s.putSet(before, now) {
				continue
			}
			return fmt.Sprintf("%s: sums and what it names, %d files", kind, len(before))
		case "double":
			data = bytes.Join(slices.Insert(lines, i, lines[i]), nil)
		}
		if !bytes.Equal(data, now[name]) {
			s.put(map[string][]byte{name: data})
			return kind + ": " + name
		}
	}
}
