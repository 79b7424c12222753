package git

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/store/exectest"
)

// A signer that does not answer, such as a pinentry without a terminal, is ended with everything
// that it started.
func TestSignerHangs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	g := In(dir).With("GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	for _, args := range [][]string{{"init", "-q"}, {"commit", "-q", "--allow-empty", "-m", "first"}} {
		if err := g.Do(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Locate(dir)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "signer")
	script := "#!/bin/sh\nsleep 1000 &\nwait\n"
	if err := exectest.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	s := Signer{wanted: true, settings: []string{"gpg.program=" + program, "user.signingkey=ada"}}
	head, err := r.Git().Output(t.Context(), "rev-parse", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Sign(t.Context(), s, head, nil, 50*time.Millisecond)
	if failed := (*SignError)(nil); !errors.As(err, &failed) || !strings.Contains(failed.Words, "has not answered") {
		t.Fatalf("got %v, want that the program has not answered", err)
	}
}
