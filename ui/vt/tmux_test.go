package vt

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tmux is a tmux server of our own with one pane that prints what it is told.
type tmux struct {
	t      *testing.T
	socket string
	conn   net.Conn
}

// startTmux starts it, or skips the test where there is no tmux.
func startTmux(t *testing.T, columns, rows int) *tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed: nothing to compare with")
	}
	dir, err := os.MkdirTemp("", "vt") // short: a socket's path is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	listener, err := net.Listen("unix", filepath.Join(dir, "feed"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	m := &tmux{t: t, socket: filepath.Join(dir, "tmux")}
	t.Cleanup(func() { m.command("kill-server") })
	m.run("new-session", "-d", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows),
		"-e", feedEnv+"="+filepath.Join(dir, "feed"), os.Args[0], ";", "set", "-g", "status", "off")
	if m.conn, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.conn.Close() })
	return m
}

func (m *tmux) command(args ...string) (string, error) {
	args = append([]string{"-S", m.socket, "-f", "/dev/null", "-u"}, args...)
	out, err := exec.Command("tmux", args...).CombinedOutput()
	return string(out), err
}

func (m *tmux) run(args ...string) string {
	m.t.Helper()
	out, err := m.command(args...)
	if err != nil {
		m.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return out
}

// print shows p in the pane and returns when tmux has taken it.
func (m *tmux) print(p []byte) {
	m.t.Helper()
	head := binary.BigEndian.AppendUint32(nil, uint32(len(p)))
	if _, err := m.conn.Write(append(head, p...)); err != nil {
		m.t.Fatal(err)
	}
	if _, err := io.ReadFull(m.conn, make([]byte, 1)); err != nil {
		m.t.Fatal(err)
	}
}

// compare reports how many cells and cursors differ between the pane and ours.
func (m *tmux) compare(ours *Terminal, styles bool) (differences []string) {
	m.t.Helper()
	lines := strings.Split(m.run("capture-pane", "-p", "-e", "-N"), "\n")
	state := strings.Fields(m.run("display-message", "-p", "#{cursor_x} #{cursor_y} #{alternate_on}"))
	columns, rows := ours.Size()
	theirs := New(columns, rows, 0)
	theirs.Write([]byte("\x1b)0")) // tmux writes line drawing with shift out
	for y := range rows {
		if y < len(lines) {
			fmt.Fprintf(theirs, "\x1b[%dH%s", y+1, lines[y])
		}
		for x := range columns {
			text, style := theirs.Cell(x, y)
			got, gotStyle := ours.Cell(x, y)
			switch {
			case text != got:
				differences = append(differences, fmt.Sprintf("(%d,%d): tmux %q, ours %q", x, y, text, got))
			case styles && text != "" && text != " " && known(style) != known(gotStyle):
				differences = append(differences, fmt.Sprintf("(%d,%d) %q: tmux %+v, ours %+v", x, y, text, style, gotStyle))
			}
		}
	}
	c := ours.Cursor()
	x := c.X
	if ours.pending {
		x++ // tmux has the cursor past the last column
	}
	alternate := choose(ours.Modes().AltScreen, "1", "0")
	if got := []string{fmt.Sprint(x), fmt.Sprint(c.Y), alternate}; fmt.Sprint(got) != fmt.Sprint(state) {
		differences = append(differences, fmt.Sprintf("cursor and alternate screen: tmux %v, ours %v", state, got))
	}
	return differences
}

// known is the part of a style that capture-pane shows.
func known(s Style) Style {
	s.Link = 0
	return s
}

// sameAsTmux prints a stream in pieces in both and compares after each.
func sameAsTmux(t *testing.T, m *tmux, ours *Terminal, stream []byte, ends []int) {
	t.Helper()
	start := 0
	for _, end := range ends {
		m.print(stream[start:end])
		ours.Write(stream[start:end])
		ours.Write([]byte("\x18"))
		if differences := m.compare(ours, true); len(differences) > 0 {
			t.Fatalf("at byte %d of %d, %d differences:\n%s", end, len(stream), len(differences),
				strings.Join(differences[:min(len(differences), 8)], "\n"))
		}
		start = end
	}
}
