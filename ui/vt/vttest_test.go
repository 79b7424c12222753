package vt

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"ferrus/store/longtest"
)

// TestVttestLooksAsInTmux plays the menus of vttest that are about the cursor,
// the screen, and insert and delete, by the same keys in tmux and in ours.
func TestVttestLooksAsInTmux(t *testing.T) {
	if !longtest.On() {
		t.Skip("set FERRUS_LONG to play vttest; its recordings are always compared")
	}
	program, err := exec.LookPath("vttest")
	if err != nil {
		t.Skip("set FERRUS_LONG where vttest is installed")
	}
	for _, menu := range []string{"1", "2", "8"} {
		t.Run("menu "+menu, func(t *testing.T) {
			m := startTmuxWith(t, 80, 24, program, "24x80.132")
			m.attach()
			ours := playVttest(t, program)
			screens := 0
			for key := menu + "\r"; ; key = "\r" {
				ours.until(t, "Push <RETURN>", "12): ")
				m.untilLike(ours.screen)
				if screens++; screens > 1 && bytes.HasSuffix(ours.printed.Bytes(), []byte("12): ")) {
					break // the menu is back
				}
				ours.printed.Reset()
				ours.keys.WriteString(key)
				m.run("send-keys", "-l", key)
			}
			t.Logf("%d screens", screens)
			if screens < 8 {
				t.Errorf("only %d screens", screens)
			}
		})
	}
}

// play is vttest in our terminal.
type play struct {
	keys    *os.File
	screen  *Terminal
	printed bytes.Buffer // since the last key
}

func playVttest(t *testing.T, program string) *play {
	t.Helper()
	command := exec.Command(program, "24x80.132")
	command.Env = []string{"TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}
	terminal, err := pty.StartWithSize(command, &pty.Winsize{Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Kill()
		terminal.Close()
		command.Wait()
	})
	return &play{keys: terminal, screen: New(80, 24, 0)}
}

// until takes what the program prints until it waits with one of these words.
func (p *play) until(t *testing.T, words ...string) {
	t.Helper()
	if err := p.keys.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1<<12)
	for {
		for _, w := range words {
			if bytes.HasSuffix(p.printed.Bytes(), []byte(w)) {
				return
			}
		}
		n, err := p.keys.Read(b)
		if err != nil {
			t.Fatalf("vttest ended after %q: %v", p.printed.String(), err)
		}
		p.printed.Write(b[:n])
		p.screen.Write(b[:n])
		p.keys.Write(p.screen.Replies())
	}
}

// untilLike waits until the pane is like ours, and fails when it never is.
func (m *tmux) untilLike(ours *Terminal) {
	m.t.Helper()
	for late := time.Now().Add(time.Minute); ; {
		differences := m.compare(ours)
		if len(differences) == 0 {
			return
		}
		if time.Now().After(late) {
			m.t.Fatal(fmt.Sprintf("%d differences:\n", len(differences)),
				strings.Join(differences[:min(len(differences), 8)], "\n"))
		}
	}
}
