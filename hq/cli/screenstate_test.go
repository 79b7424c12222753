package cli

import (
	"strings"
	"testing"
)

// TestScreenIsRestored checks that the next HQ knows what was viewed in the diff, where the borders
// are and how long checks took, also if the first one was killed.
func TestScreenIsRestored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x := open120(t, dir, "demo", "--dir", ".", "--speed", "0")
	x.WaitFor("executor asks: Should retries apply to POST too?")
	x.Type("\x1bOS") // F4
	x.WaitFor("2 files")
	x.Type("v")
	x.WaitFor("viewed 1")
	x.Type("q")
	x.WaitFor("F4 diff")
	x.Type("\x0f<<<")
	x.WaitFor("= reset")
	x.Wait("the screen is kept", func() bool { // the clock of the open task draws every second
		text := content(dir, ".ferrus/screen.json")
		return strings.Contains(text, "left") && strings.Contains(text, "viewed")
	})
	if err := x.Command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-x.Ended

	x = open120(t, dir)
	x.WaitFor("executor asks: Should retries apply to POST too?")
	x.WaitFor("■", "····") // beside the time before; a quick check after a slow one fills no square
	x.Type("\x1bOS")
	x.WaitFor("viewed 1")
	x.Type("q")
	x.WaitFor("F4 diff")
	x.Type("\x03\x03")
	x.WaitExit(0)
}
