package forge

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/checks/git"
	"ferrus/store/exectest"
)

// playing returns a gh that runs the given script.
func playing(t *testing.T, script string) GH {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "gh")
	if err := exectest.WriteFile(tool, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return GH{Tool: tool, Runner: Runner{Git: git.In(t.TempDir()), Dir: t.TempDir()}}
}

// A fork's pull request is not ours, whatever its branch is called. Among ours an open one comes
// first, then the newest.
func TestFindsItsOwn(t *testing.T) {
	t.Parallel()
	for want, list := range map[string]string{
		"": `[{"number":7,"state":"OPEN","headRefName":"ferrus/t-1","isCrossRepository":true}]`,
		"3": `[{"number":2,"state":"CLOSED","headRefName":"ferrus/t-1"},{"number":3,"state":"OPEN","headRefName":"ferrus/t-1"},
			{"number":4,"state":"CLOSED","headRefName":"ferrus/t-1"}]`,
		"5": `[{"number":4,"state":"CLOSED","headRefName":"ferrus/t-1"},{"number":5,"state":"MERGED","headRefName":"ferrus/t-1"},
			{"number":6,"state":"OPEN","headRefName":"ferrus/t-11"}]`,
	} {
		g := playing(t, "cat <<'END'\n"+list+"\nEND\n")
		p, err := g.Find(t.Context(), Request{Branch: "ferrus/t-1"})
		if err != nil || p.ID != want {
			t.Errorf("found %q, %v; want %q", p.ID, err, want)
		}
	}
}

// A forge's output is bounded and stripped of control characters. Output that cannot be shown is an
// error with a way out.
func TestWhatAForgePrints(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	g := playing(t, `case "$1" in
api) cat <<'END'
[{"id":2,"path":"a\u0000\u001b[31m.go","line":-3,"body":"`+long+`","user":{"login":"ada"}}]
END
;;
pr) echo '{"number":1,"state":"OPEN","url":"https://x/1","statusCheckRollup":[{"name":"a\u001bb","conclusion":"TIMED_OUT"},
{"context":"c","state":"PENDING"},{"name":"d","status":"COMPLETED","conclusion":"CANCELLED"}]}';;
esac
`)
	p, err := g.Find(t.Context(), Request{ID: "1"})
	if err != nil || len(p.Comments) != 1 || len(p.Checks) != 3 {
		t.Fatalf("got %+v, %v; want 1 comment and 3 checks", p, err)
	}
	c := p.Comments[0]
	if strings.ContainsAny(c.Path+p.Checks[0].Name, "\x00\x1b") || len(c.Text) > maxText || c.Line != 0 {
		t.Errorf("the comment is on %q, line %d, with %d bytes; want it clean, bounded and without a line",
			c.Path, c.Line, len(c.Text))
	}
	if p.Checks[0].State != Failed || p.Checks[1].State != Pending || p.Checks[2].State != Passed {
		t.Errorf("the checks are %+v, want failed, pending and passed", p.Checks)
	}
	for script, want := range map[string]error{"exit 4": ErrLoggedOut, "echo no: run gh auth login >&2; exit 1": nil,
		"echo []": nil, "echo nonsense": nil} {
		_, err := playing(t, script+"\n").Find(t.Context(), Request{ID: "1"})
		e := (*Error)(nil)
		if !errors.As(err, &e) || want != nil && (!errors.Is(err, want) || e.Fix == "") {
			t.Errorf("%s: %v, want %v", script, err, want)
		}
	}
	missing := GH{Tool: "/nowhere/gh", Runner: Runner{Git: git.In(t.TempDir()), Dir: t.TempDir()}}
	if _, err := missing.Find(t.Context(), Request{ID: "1"}); !errors.Is(err, ErrNotInstalled) {
		t.Error("a missing gh did not return ErrNotInstalled")
	}
}

// Comments and checks are kept up to a limit, and of a log its end.
func TestLimits(t *testing.T) {
	t.Parallel()
	p := Pull{Comments: make([]Comment, 5000), Checks: make([]Check, 5000)}
	p.Checks[0].Text = strings.Repeat("begin\n", 5000) + "the end\n"
	p = p.bounded()
	if len(p.Comments) != maxComments || len(p.Checks) != maxChecks || len(p.Checks[0].Text) > maxText ||
		!strings.HasSuffix(p.Checks[0].Text, "the end") {
		t.Errorf("got %d comments, %d checks, %q; want the limits, and the log's end",
			len(p.Comments), len(p.Checks), p.Checks[0].Text)
	}
}

// A gh that hangs is ended with all its children and reported; so is one whose caller gives up.
func TestAForgeHangs(t *testing.T) {
	t.Parallel()
	alive := filepath.Join(t.TempDir(), "alive")
	if err := syscall.Mkfifo(alive, 0o600); err != nil {
		t.Fatal(err)
	}
	g := playing(t, "(exec sleep 1000) >"+alive+" & wait\n")
	g.Runner.limit = 100 * time.Millisecond
	gone := make(chan error)
	go func() {
		_, err := os.ReadFile(alive) // the output ends with the last process that holds it
		gone <- err
	}()
	_, err := g.Find(t.Context(), Request{ID: "1"})
	if err == nil || !strings.Contains(err.Error(), "read the pull request: ") ||
		!strings.Contains(err.Error(), "it did not answer in 100ms") {
		t.Errorf("got %v, want that gh did not answer in 100ms", err)
	}
	if err := <-gone; err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Find(ctx, Request{ID: "1"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
