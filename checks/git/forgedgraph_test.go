package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// TestForgedGraphIsNotRead has a graph of commits say that the branch contains another commit, and then that nothing
// can be read of it.
func TestForgedGraphIsNotRead(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	commit := func(parent, message string) string {
		t.Helper()
		id, err := In(dir).Output(t.Context(), "-c", "user.name=a", "-c", "user.email=a@b", "commit-tree",
			"-p", parent, "-m", message, EmptyTree("sha1"))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	start, err := In(dir).Output(t.Context(), "rev-parse", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	work := commit(start, "work")
	other := commit(start, "other")
	head := commit(other, "head")
	for ref, id := range map[string]string{"refs/heads/work": work, "refs/heads/main": head} {
		if err := In(dir).Do(t.Context(), "update-ref", ref, id); err != nil {
			t.Fatal(err)
		}
	}
	err = In(dir).Do(t.Context(), "-c", "core.commitGraph=true", "commit-graph", "write", "--reachable")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, ".git/objects/info/commit-graph")
	contained := func(graph []byte) {
		t.Helper()
		if err := os.Chmod(file, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, graph, 0o600); err != nil {
			t.Fatal(err)
		}
		_, words, err := Around(dir).Run(t.Context(), nil, "merge-base", "--is-ancestor", work, head)
		if err == nil || words != "" {
			t.Errorf("the branch contains the work: %v, %q", err, words)
		}
	}
	graph, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	contained(withParent(t, graph, other, work))
	contained([]byte("CGPH"))
}

// withParent returns a graph of commits in which one has another commit as its parent.
// https://git-scm.com/docs/gitformat-commit-graph
func withParent(t *testing.T, graph []byte, commit, parent string) []byte {
	t.Helper()
	chunk := func(name string) int {
		at := bytes.Index(graph, []byte(name))
		return int(binary.BigEndian.Uint64(graph[at+4:]))
	}
	index := func(id string) int {
		raw, err := hex.DecodeString(id)
		at := bytes.Index(graph, raw)
		if err != nil || at < 0 {
			t.Fatalf("the graph has no %s: %v", id, err)
		}
		return (at - chunk("OIDL")) / len(raw)
	}
	const entry = 20 + 16 // a tree, two parents, generation and time
	at := chunk("CDAT") + index(commit)*entry + 20
	binary.BigEndian.PutUint32(graph[at:], uint32(index(parent))) //nolint:gosec // small
	return graph
}
