package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/agent/sandbox"
)

// A path in a writable tree is called protected only for walls that protect it: with Landlock it
// can be changed.
func TestExplainPromisesWhatTheWallsKeep(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	tools := t.TempDir()
	state, git := filepath.Join(top, ".ferrus"), filepath.Join(top, ".git")
	for _, dir := range []string{state, git} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	policy := sandbox.Policy{Write: []string{top}, Protect: []string{state + "/"}, Read: []string{git, tools}}
	why := map[string]string{state + "/": "ferrus's own directory", git: "git's own directory"}
	for kind, want := range map[sandbox.Kind]string{
		sandbox.Namespace: "write protected read read",
		sandbox.Landlock:  "write limit limit read",
		sandbox.None:      "limit", // nothing but that all can be read
	} {
		var out bytes.Buffer
		explainSandbox(&out, sandbox.Walls{Kind: kind, Network: sandbox.Open}, policy, why)
		var got []string
		for line := range strings.Lines(out.String()) {
			if name := strings.Fields(line)[0]; name != "sandbox" {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q\n%s", kind, got, want, out.String())
		}
	}
}
