//go:build e2e

package e2e

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Doctor finds each client, its version, and in the client's help every option that ferrus passes.
func TestDoctorKnowsTheClients(t *testing.T) {
	for _, name := range tried() {
		t.Run(name, func(t *testing.T) {
			c := clients[name]
			version := c.node20
			if nodeMajor(t) >= 22 {
				version = c.node22
			}
			b := newFixture(t, setup{supervisor: name, executor: name})
			_, out := b.run("doctor")
			if !strings.Contains(out, version) {
				t.Errorf("the report lacks version %s:\n%s", version, out)
			}
			for _, complaint := range []string{"does not list", "its help cannot be read", "cannot be started"} {
				if strings.Contains(out, complaint) {
					t.Errorf("the report has %q:\n%s", complaint, out)
				}
			}
		})
	}
}

// TestDoctorPlaysARound runs doctor's trial round with all clients at once.
func TestDoctorPlaysARound(t *testing.T) {
	b := newFixture(t, setup{supervisor: "codex", executor: "codex"})
	var path []string
	for _, c := range clients {
		path = append(path, c.install(t))
	}
	b.env = append(b.env, "PATH="+strings.Join(append(path, os.Getenv("PATH")), string(os.PathListSeparator)))
	code, out := b.run("doctor", "--agents")
	t.Log("\n" + out)
	if code != 0 {
		t.Errorf("exit %d, want 0", code)
	}
	for name, c := range clients {
		version := c.node20
		if nodeMajor(t) >= 22 {
			version = c.node22
		}
		row := regexp.MustCompile(`(?m)^` + name + ` .*` + regexp.QuoteMeta(version) + `.* [0-9.]+ s +work +(asks|does not ask) +[1-9][0-9]* in`)
		if os.Getenv("FERRUS_E2E_CLIENTS") == "" && !row.MatchString(out) {
			t.Errorf("%s: no row matches %s", name, row)
		}
	}
}
