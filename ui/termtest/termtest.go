// Package termtest drives full-screen programs through a pseudo-terminal, for tests.
//
// [Start] a program, send it keys with [Terminal.Type] as a terminal would, wait for
// what its screen shows with [Terminal.WaitFor] and [Terminal.WaitGone], and for its
// end with [Terminal.WaitExit]. Nothing sleeps: each wait ends as soon as the screen is
// right, and otherwise fails its test and prints the screen. [Tmux] does the same in a
// window of tmux.
//
// A wrong screen fails its test once no word on it has changed for [Patience]. A
// program that writes an [IdleMark] whenever it is idle gets more time while it works.
// So a slow machine fails no test, and a wrong screen fails one soon.
//
// Only tests import it.
package termtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"ferrus/ui/vt"
)

// Patience is how long a screen may be wrong while its program is idle and none of its
// words changes. Clocks and other numbers are no words.
const Patience = 30 * time.Second * slowdown

// busyPatience is how long it may be wrong while the program says that it works, or
// its words change.
const busyPatience = 5 * time.Minute * slowdown

// IdleMark returns what a program under test writes when nothing is under way: the
// input that it has read, so many bytes, is acted on, no command runs, and the last
// frame is drawn. Terminals ignore it.
func IdleMark(read int64) string { return fmt.Sprintf("\x1b]7070;idle %d\x1b\\", read) }

// wordRune drops what a clock or a counter changes on a screen, for [strings.Map]: the
// count, and the blanks that make room for it.
func wordRune(r rune) rune {
	if r >= '0' && r <= '9' || r == ':' || r == '.' || r == ' ' {
		return -1
	}
	return r
}

var idleMark = regexp.MustCompile(`\x1b\]7070;idle (\d+)\x1b\\`)

// signals are what a program under test writes for the test alone: marks, and what it
// finds out with when to write them.
var signals = regexp.MustCompile(`\x1b\]7070;[a-z]+( \d+)?\x1b\\`)

// maxMark is at least the length of a mark.
const maxMark = 64

// exitGrace is how long a program may take to end by itself after its test.
const exitGrace = 20 * time.Second

// Terminal is a program in a pseudo-terminal. It has more than 12 fields because it
// counts what was typed and read, to tell a slow program from an idle one.
type Terminal struct {
	testing.TB
	Screen  *vt.Locked
	Command *exec.Cmd
	File    *os.File
	Changed chan struct{} // the screen, or whether the program is idle; coalesced
	Ended   chan struct{} // closed when the program is gone and its last byte drawn

	Patience time.Duration // for this program, where it is not [Patience]

	replies chan []byte // to the program, in order
	writing sync.Mutex  // input reaches the program in the order in which it is counted

	mu    sync.Mutex
	raw   bytes.Buffer // guarded by mu: what the program wrote
	sent  int64        // guarded by mu: bytes of input
	typed int64        // guarded by mu: how many had been sent after the last key; answers to the program may follow
	read  int64        // guarded by mu: how many of them the last mark says were read
	marks bool         // guarded by mu: the program writes marks

	expected []*expected // guarded by mu: what the screen has not shown yet
}

// Start starts a program on a screen of a size. When the test ends, so does the
// program: by SIGTERM, so that it ends what it started.
func Start(t testing.TB, command *exec.Cmd, columns, rows int) *Terminal {
	t.Helper()
	file, err := pty.StartWithSize(command, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)})
	if err != nil {
		t.Fatal(err)
	}
	return Attach(t, command, file, columns, rows)
}

// Attach returns the terminal of a program that was started already: what it writes is
// read from a file, which is closed when the test ends.
func Attach(t testing.TB, command *exec.Cmd, file *os.File, columns, rows int) *Terminal {
	t.Helper()
	x := &Terminal{
		TB: t, Screen: vt.NewLocked(columns, rows, 100), Command: command, File: file,
		Changed: make(chan struct{}, 1), Ended: make(chan struct{}),
		Patience: Patience, replies: make(chan []byte, 64),
	}
	go x.draw()
	go x.reply()
	t.Cleanup(x.close)
	return x
}

// draw is the terminal's side: it draws, and answers what it is asked.
func (x *Terminal) draw() {
	defer close(x.Ended)
	defer close(x.replies)
	buffer := make([]byte, 1<<16)
	for {
		n, err := x.File.Read(buffer)
		_, _ = x.Screen.Write(buffer[:n]) // never fails
		x.compare()
		x.record(buffer[:n])
		if reply := x.Screen.Replies(); len(reply) > 0 {
			x.replies <- reply
		}
		select {
		case x.Changed <- struct{}{}:
		default: // a notice is waiting already
		}
		if err != nil {
			_ = x.Command.Wait() // WaitExit looks at its code
			return
		}
	}
}

// reply sends what the program asked the terminal for. Drawing does not wait for it: the
// program may not read before it has written.
func (x *Terminal) reply() {
	for reply := range x.replies {
		_ = x.send(reply, false) // the program may be gone
	}
}

// record stores what the program wrote, and looks for marks in it.
func (x *Terminal) record(output []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	from := max(x.raw.Len()-maxMark, 0) // one may have come in parts
	x.raw.Write(output)
	for _, found := range idleMark.FindAllSubmatch(x.raw.Bytes()[from:], -1) {
		x.marks = true
		x.read, _ = strconv.ParseInt(string(found[1]), 10, 64)
	}
}

// send gives the program input: keys, or an answer to what it asked the terminal. Of
// an answer the program sees nothing, and writes no mark.
func (x *Terminal) send(input []byte, keys bool) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.mu.Lock()
	x.sent += int64(len(input))
	if keys {
		x.typed = x.sent
	}
	x.mu.Unlock()
	_, err := x.File.Write(input)
	return err
}

// busy reports whether a program that writes marks has not done what it was sent.
func (x *Terminal) busy() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.marks && x.read < x.typed
}

func (x *Terminal) close() {
	_ = x.Command.Process.Signal(syscall.SIGTERM) // usually ended
	select {
	case <-x.Ended:
	case <-time.After(exitGrace):
		_ = x.Command.Process.Kill()
		x.Error("the program did not end")
	}
	_ = x.File.Close()
}

// ScreenText returns what the screen shows, a line for each row.
func (x *Terminal) ScreenText() string {
	var b strings.Builder
	x.Screen.With(func(v *vt.Terminal) {
		_, rows := v.Size()
		for y := range rows {
			b.WriteString(ansi.Strip(v.Row(y)) + "\n")
		}
	})
	return b.String()
}

// Cell returns where the screen shows a text now, counted from 1 as the mouse does.
func (x *Terminal) Cell(text string) (column, row int) {
	x.Helper()
	for y, line := range strings.Split(x.ScreenText(), "\n") {
		if before, _, found := strings.Cut(line, text); found {
			return ansi.StringWidth(before) + 1, y + 1
		}
	}
	x.Fatalf("no %q on the screen:\n%s", text, x.ScreenText())
	return 0, 0
}

// Raw returns every byte that the program wrote, without marks.
func (x *Terminal) Raw() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return string(signals.ReplaceAll(x.raw.Bytes(), nil))
}

// Wait waits until is reports true, which can change with the screen only.
func (x *Terminal) Wait(what string, is func() bool) {
	x.Helper()
	if is() {
		return
	}
	late := x.deadline()
	defer late.stop()
	for !is() {
		select {
		case <-x.Changed:
			late.update()
		case <-x.Ended:
			if !is() { // the last bytes may have made it so
				x.Fatalf("the program ended without %s:\n%s", what, x.ScreenText())
			}
			return
		case <-late.idle.C:
			x.Fatalf("there never was %s:\n%s", what, x.ScreenText())
		case <-late.busy.C:
			x.Fatalf("the program is busy, and there never was %s:\n%s", what, x.ScreenText())
		}
	}
}

// deadline ends a wait: some time after the program has become idle and its words have
// changed for the last time, or after all.
type deadline struct {
	terminal   *Terminal
	idle, busy *time.Timer
	working    bool
	words      string
}

func (x *Terminal) deadline() *deadline {
	d := &deadline{terminal: x, idle: time.NewTimer(x.Patience), busy: time.NewTimer(max(busyPatience, x.Patience))}
	d.update()
	return d
}

// update starts the time of an idle program anew when it has become idle or says
// something else.
func (d *deadline) update() {
	working, words := d.terminal.busy(), strings.Map(wordRune, d.terminal.ScreenText())
	switch {
	case working && !d.working:
		d.idle.Stop()
	case !working && (d.working || words != d.words):
		d.idle.Reset(d.terminal.Patience)
	}
	d.working, d.words = working, words
}

func (d *deadline) stop() {
	d.idle.Stop()
	d.busy.Stop()
}

// expected is one of several words that a screen has to show.
type expected struct {
	words []string
	shown string // guarded by the terminal's mu: the one that it has shown; empty: none yet
}

// Expect watches for one of the words from now on. The function that it returns waits until the screen has shown it, be
// it for a moment: another sentence may take its place before a busy test looks.
func (x *Terminal) Expect(words ...string) (wait func() (shown string)) {
	e := &expected{words: words}
	x.mu.Lock()
	x.expected = append(x.expected, e)
	x.mu.Unlock()
	x.compare()
	return func() (shown string) {
		x.Helper()
		x.Wait(strings.Join(quoted(words), " or "), func() bool {
			x.mu.Lock()
			defer x.mu.Unlock()
			shown = e.shown
			return shown != ""
		})
		return shown
	}
}

// compare notes what the screen shows of what is expected.
func (x *Terminal) compare() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.expected) == 0 {
		return
	}
	text := x.ScreenText()
	x.expected = slices.DeleteFunc(x.expected, func(e *expected) bool {
		if i := slices.IndexFunc(e.words, func(w string) bool { return strings.Contains(text, w) }); i >= 0 {
			e.shown = e.words[i]
		}
		return e.shown != ""
	})
}

// WaitFor waits until the screen shows one of the words, and returns it.
func (x *Terminal) WaitFor(words ...string) (shown string) {
	x.Helper()
	return x.Expect(words...)()
}

// WaitGone waits until the screen does not show the words.
func (x *Terminal) WaitGone(words string) {
	x.Helper()
	without := "a screen without " + quoted([]string{words})[0]
	x.Wait(without, func() bool { return !strings.Contains(x.ScreenText(), words) })
}

// WaitIdle waits until a program that writes marks has done what was typed.
func (x *Terminal) WaitIdle() {
	x.Helper()
	x.Wait("an idle program", func() bool { return x.idle() })
}

func (x *Terminal) idle() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.marks && x.read >= x.typed
}

// Type sends keys as the bytes of a terminal.
func (x *Terminal) Type(keys string) {
	x.Helper()
	if err := x.send([]byte(keys), true); err != nil {
		x.Fatal(err)
	}
}

// Resize gives the terminal another size.
func (x *Terminal) Resize(columns, rows int) {
	x.Helper()
	x.Screen.Resize(columns, rows)
	if err := pty.Setsize(x.File, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)}); err != nil {
		x.Fatal(err)
	}
}

// WaitEnd waits until the program is gone.
func (x *Terminal) WaitEnd() {
	x.Helper()
	select {
	case <-x.Ended:
	case <-time.After(max(busyPatience, x.Patience)): // it may have sessions to end
		x.Fatalf("the program does not end:\n%s", x.ScreenText())
	}
}

// WaitExit waits for the end and looks at what the program left: its exit code, a
// terminal in its normal state, and no process in the directory that it was started in.
func (x *Terminal) WaitExit(code int) {
	x.Helper()
	x.WaitEnd()
	if got := x.Command.ProcessState.ExitCode(); got != code {
		x.Errorf("the exit code is %d, not %d:\n%s", got, code, x.ScreenText())
	}
	x.Screen.With(func(v *vt.Terminal) {
		m, c := v.Modes(), v.Cursor()
		if m.AltScreen || m.BracketedPaste || m.FocusEvents || m.Mouse != vt.MouseOff || m.Kitty != 0 || !c.Visible {
			x.Errorf("the terminal was not given back: %+v, cursor %+v", m, c)
		}
	})
	if left := ProcessIn(x.Command.Dir); left != "" {
		x.Errorf("left behind: %s", left)
	}
}
