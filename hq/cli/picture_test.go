package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/store/longtest"
	"ferrus/ui/screenshot/svg"
	"ferrus/ui/termtest"
	"ferrus/ui/vt"
)

var pictures = flag.String("pictures", "", "folder for pictures of HQ while the demo plays")

// TestPictures takes pictures of real screens for the documents: task screenshot.
func TestPictures(t *testing.T) {
	t.Parallel()
	if *pictures == "" {
		if !longtest.On() {
			t.Skip("set FERRUS_LONG to play the demo so slowly that each scene is seen")
		}
		*pictures = t.TempDir()
	}
	dir := filepath.Join(t.TempDir(), "orders")
	pictureTasks(t)
	env := []string{"COLORTERM=truecolor"} // the tints of a diff have no hue among 256 colors
	x := openWith(t, t.TempDir(), 132, 38, env, "demo", "--dir", dir, "--speed", "0.3")
	x.WaitFor("~ retry.go")
	x.WaitFor("t.Errorf")
	x.WaitFor("executor asks: Should retries apply to POST too?")
	x.WaitFor("PASS 2/2")
	picture(x, "hq")
	x.Type("\x1bOS") // F4
	x.WaitFor("2 files")
	picture(x, "diff")
	x.Type("q")
	x.WaitFor("F4 diff")
	x.Type("\x1bOR") // F3
	x.WaitFor("Enter open")
	picture(x, "log")
	x.Type("g\r")
	x.WaitFor("Esc back")
	picture(x, "story")
	x.Type("qq")
	x.WaitFor("F4 diff")
	x.Type("No, only GET and HEAD.\r")
	x.WaitFor("● Complete")
	x.Type("/status\r")
	x.WaitFor("Everything else: /status --all")
	x.Type("\x03\x03") // also from a dialog
	x.WaitExit(0)
}

// pictureTasks takes the picture of several tasks: one has landed, one asks, one was returned.
func pictureTasks(t *testing.T) {
	x := openWith(t, t.TempDir(), 132, 38, []string{"COLORTERM=truecolor"}, "demo", "--tasks", "4", "--dir",
		filepath.Join(t.TempDir(), "orders"), "--speed", "0.6")
	x.Wait("a conflict that is resolved while another task asks", func() bool {
		now := x.ScreenText()
		return !slices.ContainsFunc([]string{"a question is open", "#1 landed", "#2 returned", ">>>>>>> work"},
			func(words string) bool { return !strings.Contains(now, words) })
	})
	picture(x, "tasks")
	x.Type("\x03\x03")
	x.WaitExit(0)
}

// picture draws what the screen shows now.
func picture(x *termtest.Terminal, name string) {
	x.Helper()
	var b bytes.Buffer
	x.Screen.With(func(s *vt.Terminal) {
		if err := svg.Write(&b, s); err != nil {
			x.Fatal(err)
		}
	})
	if err := os.WriteFile(filepath.Join(*pictures, name+".svg"), b.Bytes(), 0o644); err != nil {
		x.Fatal(err)
	}
}
