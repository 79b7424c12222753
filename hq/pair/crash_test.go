package pair

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"ferrus/machine/pair"
	"ferrus/store/longtest"
)

var errCrash = errors.New("the disk stopped")

// stopping is a disk that stops before the nth write, tearing a line that this would have appended.
type stopping struct {
	disk
	left int
}

func (s *stopping) write() error {
	s.left--
	if s.left < 0 {
		return errCrash
	}
	return nil
}

func (s *stopping) WriteFile(name string, data []byte) error {
	if err := s.write(); err != nil {
		return err
	}
	return s.disk.WriteFile(name, data)
}

func (s *stopping) Append(name string) (*os.File, error) {
	err := s.write()
	if s.left == -1 && strings.HasSuffix(name, ".jsonl") {
		if file, err := s.disk.Append(name); err == nil {
			file.WriteString(`{"seq":99,"type":"sta`) //nolint:errcheck // torn anyway
			file.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	return s.disk.Append(name)
}

// Wherever a crash comes, the run continues where it was: no step is lost or recorded twice, and
// only the turn in flight runs again.
func TestCrashBeforeEveryWrite(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs a whole loop for each write")
	}
	every := 5 // a sample; FERRUS_LONG runs all
	if longtest.On() {
		every = 1
	}
	for n := 0; ; n += every {
		stopped := false
		t.Run(fmt.Sprint(n), func(t *testing.T) { stopped = crash(t, n) })
		if t.Failed() || !stopped {
			if n < 16 {
				t.Errorf("only %d writes, want at least 16", n)
			}
			return
		}
	}
}

func crash(t *testing.T, n int) (stopped bool) {
	p := newProject(t)
	r, c := newRun(t, p, pair.Review, nil, nil)
	// An agent that is asked again acts the same way again.
	c.replies["one"] = []reply{{edit: "good", says: "{DONE}"}, {edit: "good", says: "{DONE}"}}
	c.replies["other"] = []reply{{says: "{PASS}"}, {says: "{PASS}"}}
	if err := SendMessage(p, r.Manifest.ID, "", "Mind the gap."); err != nil {
		t.Fatal(err)
	}
	r.disk = &stopping{r.disk, n}
	err := r.Go(t.Context())
	if err == nil {
		return false
	}
	if !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	again, err := Open(p, r.Manifest.ID)
	if err != nil {
		t.Fatal(err)
	}
	again.Launcher = c
	if err := again.Go(t.Context()); err != nil && !(errors.Is(err, ErrComplete) &&
		again.Manifest.State == "completed") {
		t.Fatal(err)
	}
	if states, events := journey(t, again); states != "working reviewing complete" ||
		events != "started done gated pass gated" {
		t.Errorf("the states are %s and the events %s, want a complete run without repetition", states, events)
	}
	launches := len(c.prompts["one"]) + len(c.prompts["other"])
	if launches > 3 || again.Manifest.Turns != 2 || again.Manifest.Iteration != 1 {
		t.Errorf("%d launches, %d turns, iteration %d; want at most 3, 2 and 1",
			launches, again.Manifest.Turns, again.Manifest.Iteration)
	}
	for name, prompts := range c.prompts {
		for _, prompt := range prompts {
			if strings.Count(prompt, "Mind the gap.") != 1 {
				t.Errorf("the message was not in the prompt of %s exactly once", name)
			}
		}
	}
	return true
}
