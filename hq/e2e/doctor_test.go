//go:build e2e

package e2e

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The doctor finds each client, its version, and every option that ferrus gives to it
// in its help.
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
				t.Errorf("it does not know version %s:\n%s", version, out)
			}
			for _, complaint := range []string{"does not list", "its help cannot be read", "cannot be started"} {
				if strings.Contains(out, complaint) {
					t.Errorf("%q:\n%s", complaint, out)
				}
			}
		})
	}
}

// TestDoctorPlaysARound has the doctor try all clients at the same time.
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
		t.Errorf("exit %d", code)
	}
	for name, c := range clients {
		version := c.node20
		if nodeMajor(t) >= 22 {
			version = c.node22
		}
		row := regexp.MustCompile(`(?m)^` + name + ` .*` + regexp.QuoteMeta(version) + `.* [0-9.]+ s +work +(asks|does not ask) +[1-9][0-9]* in`)
		if os.Getenv("FERRUS_E2E_CLIENTS") == "" && !row.MatchString(out) {
			t.Errorf("%s: no such row as %s", name, row)
		}
	}
}
