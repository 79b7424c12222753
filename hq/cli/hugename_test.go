package cli

import (
	"strings"
	"testing"

	"ferrus/hq/hqtest"
	"ferrus/store/longtest"
)

// TestNoCommandHangsOnAHugeName runs every command with a ferrus.toml that has huge names. It fails
// by the deadline of [runPoisoned] if a command hangs.
func TestNoCommandHangsOnAHugeName(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs every command")
	}
	p := hqtest.NewProject(t, hqtest.Files{"ferrus.toml": "[checks]\ncommands = [\"true\"]\n", "a.txt": "a\n"})
	hqtest.Write(t, p.Dir, "ferrus.toml", "[checks]\ncommands = [\"true\"]\n[hq."+strings.Repeat("a", 100_000)+"]\n")
	refused := 0
	for i, c := range poisonedCommands {
		if c.without != "" || i%3 != 0 && !longtest.On() { // a sample; FERRUS_LONG has them all
			continue
		}
		args := append(strings.Fields(c.command), strings.Fields(c.args)...)
		out, exit := runPoisoned(t, p.Dir, t.TempDir(), args)
		if strings.Contains(out, "panic:") || len(out) > 20_000 && strings.Contains(out, "aaaaaaaaaa") {
			t.Errorf("ferrus %v: exit %d: %.500s", args, exit, out)
		}
		if exit != 0 && strings.Contains(out, "ferrus.toml") {
			refused++
		}
	}
	if refused < 2 {
		t.Errorf("only %d commands say what is wrong in ferrus.toml", refused)
	}
}
