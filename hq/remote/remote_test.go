package remote

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
	"ferrus/hq/wire"
	"ferrus/hq/worktree"
)

var build = wire.Build{Protocol: wire.Protocol, Hash: "same", Version: "1", System: "test/test"}

// handler answers like a worker.
type handler struct {
	call   func(m wire.Method) ([]byte, error)
	stream func(m wire.Method, s wire.Stream) error
}

func (h handler) Call(_ context.Context, m wire.Method, _ []byte) ([]byte, error) { return h.call(m) }

func (h handler) Stream(_ context.Context, m wire.Method, _ []byte, s wire.Stream) error {
	return h.stream(m, s)
}

// honest answers greetings and questions as a worker should.
var honest = handler{call: func(m wire.Method) ([]byte, error) {
	if m == wire.MethodHello {
		return json.Marshal(wire.Welcome{Build: build})
	}
	return []byte("{}"), nil
}}

// to returns a link whose other end is served by the given function.
func to(t *testing.T, serve func(net.Conn)) wire.Link {
	t.Helper()
	here, there := net.Pipe()
	go serve(there)
	l := wire.Dial(wire.Bytes(here, here))
	t.Cleanup(func() { l.Close(); there.Close() })
	return l
}

func serving(h wire.Handler) func(net.Conn) {
	return func(c net.Conn) { _ = wire.Serve(context.Background(), wire.Bytes(c, c), h) }
}

// linked runs a link process to a worker, and returns its client and the number of dials.
func linked(t *testing.T, serve func(net.Conn)) (wire.Link, *atomic.Int32) {
	t.Helper()
	target := Target{Project: t.TempDir(), Name: "big", SSH: "big"}
	ctx, cancel := context.WithCancel(context.Background())
	ended, dialed := make(chan error, 1), new(atomic.Int32)
	go func() {
		ended <- RunLink(ctx, target, build, func(context.Context) (wire.Link, error) {
			dialed.Add(1)
			return to(t, serve), nil
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	socket, err := target.socket()
	if err != nil {
		t.Fatal(err)
	}
	for {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			l := wire.Dial(wire.Bytes(conn, conn))
			t.Cleanup(func() { l.Close() })
			return l, dialed
		}
		if len(ended) > 0 || t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
}

// await polls until the status is as wanted.
func await(t *testing.T, l wire.Link, wanted func(LinkStatus) bool) LinkStatus {
	t.Helper()
	for {
		s, err := Status(t.Context(), l)
		if err != nil {
			t.Fatalf("the status is still %+v: %v", s, err)
		}
		if wanted(s) {
			return s
		}
	}
}

func notJSON(wire.Method) ([]byte, error) { return []byte("{"), nil }

// frame writes a frame with the given length, whatever its content.
func frame(c net.Conn, size int, body ...byte) {
	_, _ = c.Write(append(binary.BigEndian.AppendUint32(nil, uint32(size)), body...))
}

// A worker's protocol violation is named, and the worker gets no more calls.
func TestAWorkerThatBreaksTheProtocolIsMarked(t *testing.T) {
	t.Parallel()
	head := func(kind byte) []byte { return append([]byte{kind, 0, 0, 0, 99}, make([]byte, 8)...) }
	for name, c := range map[string]struct {
		serve func(net.Conn)
		words string
	}{
		"a frame without an end":      {func(c net.Conn) { frame(c, 1<<30) }, "the maximum is"},
		"a frame that is too short":   {func(c net.Conn) { frame(c, 5, 'R', 0, 0, 0, 1) }, "too short"},
		"an answer to no question":    {func(c net.Conn) { frame(c, 13, head('R')...) }, ""},
		"a kind that there is not":    {func(c net.Conn) { frame(c, 13, head('?')...) }, ""},
		"a question of its own":       {func(c net.Conn) { frame(c, 13, head('C')...) }, ""},
		"bytes of another program":    {func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n") }, ""},
		"a greeting that is not JSON": {serving(handler{call: notJSON}), "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, dialed := linked(t, func(conn net.Conn) {
				go io.Copy(io.Discard, conn) //nolint:errcheck // it reads what home asks
				c.serve(conn)
			})
			if name == "a greeting that is not JSON" {
				l, dialed = linked(t, c.serve)
			}
			s := await(t, l, func(s LinkStatus) bool { return s.Marked != "" })
			if s.Connected || !strings.Contains(s.Marked, c.words) {
				t.Errorf("the status is %+v, want a mark with %q", s, c.words)
			}
			if _, err := l.Call(t.Context(), wire.MethodStatus, []byte("{}")); err == nil {
				t.Error("a marked worker got a call")
			}
			if n := dialed.Load(); n != 1 {
				t.Errorf("the worker was dialed %d times, want once", n)
			}
		})
	}
}

// If a session detects a violation, the worker is marked for all sessions.
func TestASessionMarksItsWorker(t *testing.T) {
	t.Parallel()
	l, dialed := linked(t, serving(honest))
	await(t, l, func(s LinkStatus) bool { return s.Connected })
	if err := wire.Ask(t.Context(), l, MethodMark, "sent another tree\x1b]0;x\a", nil); err != nil {
		t.Fatal(err)
	}
	s := await(t, l, func(s LinkStatus) bool { return !s.Connected })
	if !strings.HasPrefix(s.Marked, "sent another tree") || strings.ContainsAny(s.Marked, "\x1b\a") {
		t.Errorf("marked as %q, want that it sent another tree, without control characters", s.Marked)
	}
	if n := dialed.Load(); n != 1 {
		t.Errorf("the worker was dialed %d times, want once", n)
	}
}

// Another build of the same version is reported as such, with what to do about it.
func TestAnotherBuildOfTheSameVersion(t *testing.T) {
	t.Parallel()
	other := build
	other.Hash = "another"
	l, _ := linked(t, serving(handler{call: func(wire.Method) ([]byte, error) {
		return json.Marshal(wire.Welcome{Build: other})
	}}))
	await(t, l, func(s LinkStatus) bool {
		return s.Why == "the worker has another build of ferrus 1; run: ferrus worker copy big"
	})
}

// No control characters from another build's greeting reach a screen.
func TestAnotherBuildIsShownWithoutControls(t *testing.T) {
	t.Parallel()
	l, _ := linked(t, serving(handler{call: func(wire.Method) ([]byte, error) {
		return json.Marshal(wire.Welcome{Build: wire.Build{Version: "\x1b[2J9", System: "\x1b]52;c;x\a", Hash: "h"}})
	}}))
	s := await(t, l, func(s LinkStatus) bool { return strings.Contains(s.Why, "the worker has ferrus") })
	if strings.ContainsAny(s.Why, "\x1b\a") {
		t.Errorf("the reason is %q, want it without control characters", s.Why)
	}
}

// repositories creates a project with a task's worktree, and a worker's clone of it.
func repositories(t *testing.T) (w work, clone string) {
	t.Helper()
	project := t.TempDir()
	if err := os.WriteFile(filepath.Join(project, "a.txt"), []byte("at home\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	gittest.Commit(t, project)
	place := worktree.Place{Project: project, ID: "t-1"}
	head := output(t, project, "rev-parse", "HEAD")
	if _, err := worktree.MakeAt(t.Context(), place, head); err != nil {
		t.Fatal(err)
	}
	w, err := openWork(project, place.Top(), filepath.Join(t.TempDir(), "synced.json"),
		wire.Task{Task: "t-1", Attempt: 1})
	if err != nil {
		t.Fatal(err)
	}
	clone = filepath.Join(t.TempDir(), "clone")
	output(t, project, "clone", "-q", project, clone)
	return w, clone
}

func output(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := git.In(dir).Output(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sendCommit sends one of the clone's commits with all objects that it needs.
func sendCommit(t *testing.T, clone, commit string) handler {
	return handler{stream: func(_ wire.Method, s wire.Stream) error {
		pack, _, err := git.In(clone).Run(t.Context(), strings.NewReader(commit+"\n"), "pack-objects", "--revs",
			"--stdout", "-q")
		if err == nil {
			err = s.Send(t.Context(), []byte(pack))
		}
		return err
	}}
}

// Home believes nothing that a worker claims about its work: it computes the tree from the objects.
func TestALieAboutTheTreeIsRefused(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	w, clone := repositories(t)
	if err := os.WriteFile(filepath.Join(clone, "a.txt"), []byte("by the worker\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	gittest.Commit(t, clone)
	commit, tree := output(t, clone, "rev-parse", "HEAD"), output(t, clone, "rev-parse", "HEAD^{tree}")
	other := output(t, clone, "rev-parse", "HEAD~^{tree}")
	garbage := handler{stream: func(_ wire.Method, s wire.Stream) error {
		return s.Send(t.Context(), []byte("PACK and nothing more"))
	}}
	file := filepath.Join(w.repository.Top, "a.txt")
	for name, c := range map[string]struct {
		there wire.Workspace
		sends handler
		words string
	}{
		"another tree": {wire.Workspace{Commit: commit, Tree: other}, sendCommit(t, clone, commit),
			"and called it"},
		"no hash":            {wire.Workspace{Commit: "--upload-pack=x", Tree: tree}, garbage, "without a hash"},
		"a path as the hash": {wire.Workspace{Commit: commit, Tree: "../../x"}, garbage, "without a hash"},
	} {
		err := w.receive(t.Context(), to(t, serving(c.sends)), c.there)
		var broken *wire.Violation
		if !errors.As(err, &broken) || !strings.Contains(broken.What, c.words) {
			t.Errorf("%s: %v, want %q", name, err, c.words)
		}
		if data, err := os.ReadFile(file); err != nil || string(data) != "at home\n" {
			t.Errorf("%s: the worktree's file is %q, %v; want it unchanged", name, data, err)
		}
	}
	fresh, _ := repositories(t)
	err := fresh.receive(t.Context(), to(t, serving(garbage)), wire.Workspace{Commit: commit, Tree: tree})
	var broken *wire.Violation
	if !errors.As(err, &broken) || !strings.Contains(broken.What, "git refuses") {
		t.Errorf("an invalid pack: %v, want that git refuses it", err)
	}
	if err := w.receive(t.Context(), to(t, serving(sendCommit(t, clone, commit))),
		wire.Workspace{Commit: commit, Tree: tree}); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "by the worker\n" {
		t.Errorf("after honest work the file is %q, %v; want the worker's", data, err)
	}
	if got := output(t, w.repository.Top, "rev-parse", "refs/ferrus/t-1/1"); got != commit {
		t.Errorf("the attempt's ref is %s, want %s", got, commit)
	}
}
