//go:build e2e

package e2e

import (
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
			for _, complaint := range []string{"does not name", "its help cannot be read", "cannot be started"} {
				if strings.Contains(out, complaint) {
					t.Errorf("%q:\n%s", complaint, out)
				}
			}
		})
	}
}
