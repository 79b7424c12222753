//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/clients/model"
)

// Two of the vendors' programs as a pair, without ferrus's tools: the gate fails once, the reviewer
// sends the work back once, and the second review passes. FERRUS_E2E is a list of reviewer+worker,
// or all.
func TestPair(t *testing.T) {
	all := pairs()
	if os.Getenv("FERRUS_E2E") == "all" {
		for _, name := range alone {
			all = append(all, name+"+"+name)
		}
	}
	for _, pair := range all {
		secondary, primary, _ := strings.Cut(pair, "+")
		t.Run(primary+" and "+secondary, func(t *testing.T) {
			b := newFixture(t, setup{supervisor: secondary, executor: primary, script: model.Pair})
			code, out := b.run("pair", model.PairText, "--yes")
			if code != 0 {
				t.Fatalf("exit %d\n%s\n%s", code, out, b.evidence())
			}
			for _, step := range []string{"done", "gated        working                  2   FAIL",
				"rework       reviewing -> working     3", "gated        reviewing -> complete    3"} {
				if !strings.Contains(out, step) {
					t.Errorf("the output lacks the step %q:\n%s", step, out)
				}
			}
			text, err := os.ReadFile(filepath.Join(b.dir, "greeting.txt"))
			if err != nil || string(text) != "hello ferrus\ngoodbye\n" {
				t.Errorf("greeting.txt is %q, %v; want two greetings", text, err)
			}
			if complaints := b.server.Complaints(); len(complaints) > 0 {
				t.Errorf("the model's complaints:\n%s", strings.Join(complaints, "\n"))
			}
			t.Log(out)
		})
	}
}
