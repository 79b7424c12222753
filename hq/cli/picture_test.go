package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"ferrus/ui/shot/png"
	"ferrus/ui/vt"
)

var pictures = flag.String("pictures", "", "folder for pictures of HQ while the demo plays")

// TestPictures takes pictures of real screens for the documents: task screenshot.
func TestPictures(t *testing.T) {
	t.Parallel()
	if *pictures == "" {
		*pictures = t.TempDir()
	}
	dir := filepath.Join(t.TempDir(), "orders")
	x := openSized(t, t.TempDir(), 132, 38, "demo", "--dir", dir, "--speed", "0.3")
	x.see("~ retry.go")
	x.see("t.Errorf")
	x.picture("work")
	x.see("executor asks: Should retries apply to POST too?")
	x.see("PASS 2/2")
	x.picture("hq")
	x.typed("\x1bOS") // F4
	x.see("2 files")
	x.picture("diff")
	x.typed("q")
	x.see("F4 diff")
	x.typed("\x1bOR") // F3
	x.see("Enter tells all of it")
	x.picture("log")
	x.typed("g\r")
	x.see("Esc goes back")
	x.picture("story")
	x.typed("qq")
	x.see("F4 diff")
	x.typed("No, only GET and HEAD.\r")
	x.see("● Complete")
	x.typed("/status\r")
	x.see("Open now")
	x.picture("status")
	x.typed("\x03\x03") // also from a dialog
	x.over(0)
}

// picture draws what the screen shows now.
func (x *terminal) picture(name string) {
	x.t.Helper()
	var b bytes.Buffer
	x.screen.With(func(s *vt.Terminal) {
		if err := png.Write(&b, s, png.Options{Size: 22, Cursor: true}); err != nil {
			x.t.Fatal(err)
		}
	})
	if err := os.WriteFile(filepath.Join(*pictures, name+".png"), b.Bytes(), 0o644); err != nil {
		x.t.Fatal(err)
	}
}
