package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/store/exectest"
	"ferrus/ui"
	"ferrus/ui/intent"
)

// withClipboard puts a program on PATH that stores its input.
func withClipboard(t *testing.T, name, script string) (kept string) {
	t.Helper()
	dir := t.TempDir()
	kept = filepath.Join(dir, "kept")
	if err := exectest.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	t.Setenv("KEPT", kept)
	for _, c := range clipboards {
		t.Setenv(c.variable, "")
	}
	return kept
}

func TestTheClipboardOfTheMachineIsSetToo(t *testing.T) {
	kept := withClipboard(t, "wl-copy", `cat > "$KEPT"`)
	t.Setenv("WAYLAND_DISPLAY", "wayland-0")
	a := &app{ctx: context.Background(), Options: Options{Environ: os.Getenv}}
	want := ui.DoneMsg{Text: "Copied 2 lines; Ctrl+Y puts it at the prompt"}
	if got := a.copyByProgram("one\ntwo"); got != want {
		t.Errorf("it says %+v, want %+v", got, want)
	}
	if b, err := os.ReadFile(kept); string(b) != "one\ntwo" {
		t.Errorf("it keeps %q, %v", b, err)
	}
	if a.copy(intent.Copy{Text: "x"}) == nil {
		t.Error("nothing is sent to the terminal")
	}
}

// A program that an agent put into a checkout on PATH does not get what you copy.
func TestAClipboardOfACheckoutIsNotRun(t *testing.T) {
	kept := withClipboard(t, "wl-copy", `cat > "$KEPT"`)
	t.Setenv("WAYLAND_DISPLAY", "wayland-0")
	if err := os.Mkdir(filepath.Join(filepath.Dir(kept), ".ferrus"), 0o700); err != nil {
		t.Fatal(err)
	}
	err := setClipboard(t.Context(), "secret")
	if err == nil || !strings.Contains(err.Error(), "no clipboard program") {
		t.Errorf("it says %v", err)
	}
	if b, err := os.ReadFile(kept); err == nil {
		t.Errorf("it keeps %q", b)
	}
}

func TestWithoutAProgramTheTerminalMustDo(t *testing.T) {
	withClipboard(t, "nothing", "")
	a := &app{ctx: context.Background()}
	if got := a.copyByProgram("é").(ui.DoneMsg); got.Error ||
		got.Text != "Copied 1 character; Ctrl+Y puts it at the prompt" {
		t.Errorf("it says %+v", got)
	}
	got := a.copyByProgram(strings.Repeat("x", maxClipboard+1)).(ui.DoneMsg)
	if !got.Error || !strings.Contains(got.Text, "no clipboard program is installed. Select less") {
		t.Errorf("of too much it says %+v", got)
	}
}

func TestFailedClipboardIsReportedWithoutAnother(t *testing.T) {
	withClipboard(t, "wl-copy", "exit 3")
	t.Setenv("WAYLAND_DISPLAY", "wayland-0")
	a := &app{ctx: context.Background()}
	if got := a.copyByProgram("x").(ui.DoneMsg); got.Error {
		t.Errorf("the terminal has it, but it says %+v", got)
	}
	got := a.copyByProgram(strings.Repeat("x", maxClipboard+1)).(ui.DoneMsg)
	if !got.Error || !strings.Contains(got.Text, "wl-copy: exit status 3") {
		t.Errorf("of too much it says %+v", got)
	}
}
