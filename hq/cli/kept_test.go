package cli

import (
	"strings"
	"testing"
)

// TestTheScreenIsAsItWas: what was looked through in the diff, where the borders
// are and how long checks took is known to the next HQ, also when the first one
// was killed.
func TestTheScreenIsAsItWas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x := open120(t, dir, "demo", "--dir", ".", "--speed", "0")
	x.See("executor asks: Should retries apply to POST too?")
	x.Type("\x1bOS") // F4
	x.See("2 files")
	x.Type("v")
	x.See("viewed 1")
	x.Type("q")
	x.See("F4 diff")
	x.Type("\x0f<<<")
	x.See("as at first")
	x.Wait("the screen is kept", func() bool { // the clock of the open task draws every second
		text := content(dir, ".ferrus/screen.json")
		return strings.Contains(text, "left") && strings.Contains(text, "viewed")
	})
	if err := x.Command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-x.Ended

	x = open120(t, dir)
	x.See("executor asks: Should retries apply to POST too?")
	x.See("■") // beside the time before
	x.Type("\x1bOS")
	x.See("viewed 1")
	x.Type("q")
	x.See("F4 diff")
	x.Type("\x03\x03")
	x.Over(0)
}
