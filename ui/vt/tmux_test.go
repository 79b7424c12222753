package vt

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// tmux is a tmux server with one pane that prints its input, and a client of it in our terminal:
// capture-pane does not show the attributes of cells that were only erased.
type tmux struct {
	t      testing.TB
	socket string
	conn   net.Conn
	client *client // nil: none is attached

	columns, rows int
}

// client is a tmux client and what it has drawn.
type client struct {
	screen *Locked
	drawn  chan struct{} // has something when more was drawn
	number int           // of the drawing asked for last
}

// startTmux starts it, or skips the test where there is no tmux.
func startTmux(t *testing.T, columns, rows int) *tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed: nothing to compare with")
	}
	dir := shortDir(t)
	listener, err := net.Listen("unix", filepath.Join(dir, "feed"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	m := startTmuxWith(t, columns, rows, "-e", feedEnv+"="+filepath.Join(dir, "feed"), os.Args[0])
	if m.conn, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.conn.Close() })
	m.attach()
	return m
}

// startTmuxWith starts it with a program in its pane.
func startTmuxWith(t testing.TB, columns, rows int, program ...string) *tmux {
	t.Helper()
	m := &tmux{t: t, socket: filepath.Join(shortDir(t), "tmux")}
	t.Cleanup(func() { m.command("kill-server") })
	m.run(slices.Concat([]string{"start-server", ";", "set", "-g", "history-limit", "10000", ";", "new-session", "-d",
		"-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows)}, program,
		[]string{";", "set", "-g", "status", "off"})...)
	m.columns, m.rows = columns, rows
	return m
}

// shortDir returns a directory with a short name: the path of a socket is limited.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "vt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (m *tmux) attach() {
	m.t.Helper()
	m.run("set", "-g", "set-titles", "on", ";", "set", "-g", "set-titles-string", "0", ";",
		"set", "-g", "terminal-features", "*:256:RGB:usstyle:overline:strikethrough", ";", "set", "-s",
		"escape-time", "0")
	command := exec.Command("tmux", "-S", m.socket, "-f", "/dev/null", "-u", "attach")
	command.Env = []string{"TERM=xterm-256color", "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}
	terminal, err := pty.StartWithSize(command, &pty.Winsize{Cols: uint16(m.columns), Rows: uint16(m.rows)})
	if err != nil {
		m.t.Fatal(err)
	}
	m.client = &client{screen: NewLocked(m.columns, m.rows, 0), drawn: make(chan struct{}, 1)}
	m.t.Cleanup(func() {
		m.command("kill-server")
		command.Wait()
		terminal.Close()
	})
	go m.client.show(terminal)
}

// show draws what the client prints, until it ends.
func (c *client) show(terminal io.ReadWriter) {
	b := make([]byte, 1<<16)
	for {
		n, err := terminal.Read(b)
		if err != nil {
			return
		}
		c.screen.Write(b[:n])
		terminal.Write(c.screen.Replies())
		select {
		case c.drawn <- struct{}{}:
		default:
		}
	}
}

// redraw has the client draw everything. It sets the title before it draws, so
// a first drawing is complete when the title of a second one is there.
func (m *tmux) redraw() {
	m.t.Helper()
	late := time.After(2 * time.Minute)
	for range 2 {
		m.client.number++
		want := fmt.Sprint(m.client.number)
		m.run("set", "-g", "set-titles-string", want, ";", "refresh-client", "-t", m.tty())
		for title := ""; title != want; m.client.screen.With(func(t *Terminal) { title = t.Title() }) {
			select {
			case <-m.client.drawn:
			case <-late:
				m.t.Fatal("the client of tmux does not draw")
			}
		}
	}
}

// tty returns the name of our client.
func (m *tmux) tty() string {
	m.t.Helper()
	late := time.After(2 * time.Minute)
	for {
		if name := strings.TrimSpace(m.run("list-clients", "-F", "#{client_tty}")); name != "" {
			return name
		}
		select {
		case <-m.client.drawn:
		case <-late:
			m.t.Fatal("no client of tmux")
		}
	}
}

// in is m for a part of its test.
func (m *tmux) in(t testing.TB) *tmux {
	part := *m
	part.t = t
	return &part
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

// compare tells the cells, the place of the cursor and the modes that differ
// between the pane and ours.
func (m *tmux) compare(ours *Terminal) (differences []string) {
	m.t.Helper()
	m.redraw()
	columns, rows := ours.Size()
	m.client.screen.With(func(theirs *Terminal) {
		for i := range columns * rows {
			x, y := i%columns, i/columns
			text, style := theirs.Cell(x, y)
			c := ours.rows[y].cells[x] // tmux 3.3 does not hold what is synchronized
			got, gotStyle := ours.tables.cellText(c), ours.tables.styles.values[c.style]
			gotStyle.Link = 0 // which tmux does not show
			style, gotStyle = visible(style), visible(gotStyle)
			switch {
			case text != got:
				differences = append(differences, fmt.Sprintf("(%d,%d): tmux %q, ours %q", x, y, text, got))
			case text != "" && style != gotStyle:
				differences = append(differences, fmt.Sprintf("(%d,%d) %q: tmux %+v, ours %+v", x, y, text,
					style, gotStyle))
			}
		}
	})
	return append(differences, m.compareModes(ours)...)
}

// visible returns a style without the colour of a line that is not there.
func visible(s Style) Style {
	if s.Underline == NoUnderline {
		s.LineColor = 0
	}
	return s
}

// modeFormats are what tmux tells of a pane, and what that is with us.
var modeFormats = []struct {
	format string
	ours   func(*Terminal) int
}{
	{"cursor_x", func(t *Terminal) int { return t.x + oneIf(t.pending) }}, // tmux has it past the last column
	{"cursor_y", func(t *Terminal) int { return t.y }},
	{"alternate_on", func(t *Terminal) int { return oneIf(t.modes.AltScreen) }},
	{"cursor_flag", func(t *Terminal) int { return oneIf(!t.private.hidden) }},
	{"insert_flag", func(t *Terminal) int { return oneIf(t.private.insert) }},
	{"origin_flag", func(t *Terminal) int { return oneIf(t.private.origin) }},
	{"wrap_flag", func(t *Terminal) int { return oneIf(!t.private.noWrap) }},
	{"keypad_cursor_flag", func(t *Terminal) int { return oneIf(t.modes.AppCursor) }},
	{"keypad_flag", func(t *Terminal) int { return oneIf(t.modes.AppKeypad) }},
	{"mouse_standard_flag", func(t *Terminal) int { return oneIf(t.modes.Mouse == MouseClick) }},
	{"mouse_button_flag", func(t *Terminal) int { return oneIf(t.modes.Mouse == MouseDrag) }},
	{"mouse_all_flag", func(t *Terminal) int { return oneIf(t.modes.Mouse == MouseMotion) }},
	{"mouse_sgr_flag", func(t *Terminal) int { return oneIf(t.modes.MouseEncoding == MouseSGR) }},
	{"mouse_utf8_flag", func(t *Terminal) int { return oneIf(t.modes.MouseEncoding == MouseUTF8) }},
	{"scroll_region_upper", func(t *Terminal) int { return t.top }},
	{"scroll_region_lower", func(t *Terminal) int { return t.bottom }},
}

func oneIf(on bool) int { return choose(on, 1, 0) }

func (m *tmux) compareModes(ours *Terminal) (differences []string) {
	m.t.Helper()
	var asked []string
	for _, f := range modeFormats {
		asked = append(asked, "#{"+f.format+"}")
	}
	for i, theirs := range strings.Fields(m.run("display-message", "-p", strings.Join(asked, " "))) {
		if got := fmt.Sprint(modeFormats[i].ours(ours)); got != theirs {
			differences = append(differences, fmt.Sprintf("%s: tmux %s, ours %s", modeFormats[i].format, theirs, got))
		}
	}
	return differences
}

// sameAsTmux prints a stream in pieces in both and compares after each.
func sameAsTmux(t *testing.T, m *tmux, ours *Terminal, stream []byte, ends []int) {
	t.Helper()
	start := 0
	for _, end := range ends {
		m.print(stream[start:end])
		ours.Write(stream[start:end])
		ours.Write([]byte("\x18"))
		if differences := m.compare(ours); len(differences) > 0 {
			t.Fatalf("at byte %d of %d, %d differences:\n%s", end, len(stream), len(differences),
				strings.Join(differences[:min(len(differences), 8)], "\n"))
		}
		start = end
	}
}
