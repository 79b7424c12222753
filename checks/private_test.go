package checks

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A process that is killed leaves its git behind, which still writes the index.
func TestAGitThatOutlivesItsProcessIsWaitedFor(t *testing.T) {
	t.Parallel()
	r := newWork(t)
	p, err := r.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	orphan := p.ownGit().Command(t.Context(), "cat-file", "--batch")
	input, err := orphan.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	p.close()
	soon, cancel := context.WithTimeout(t.Context(), 10*lockEvery)
	defer cancel()
	if p, err := r.open(soon); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("opened beside a git that runs: %v, %v", p, err)
	}
	input.Close()
	if err := orphan.Wait(); err != nil {
		t.Error(err)
	}
	later, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if p, err = r.open(later); err != nil {
		t.Fatal(err)
	}
	p.close()
}
