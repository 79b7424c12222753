package tui

import (
	"bytes"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui"
)

// quietTime is how long nothing may happen before HQ counts as idle: what was read is
// parsed by then, and several frames could have been drawn.
const quietTime = 50 * time.Millisecond

// probe is written through the screen's renderer to learn what it has written. Terminals
// ignore it.
const probe = "\x1b]7070;drawing\x1b\\"

// idleMarker tells the terminal of a test when nothing is under way: no input, no
// message, no command, no frame. Views do not count, so that a clock on the screen
// writes no marks.
//
// Each tick of the renderer writes raw output first and then the newest frame. So when a
// probe was written, the frame from before it is drawn by the tick after that at the
// latest: the mark follows the probe, and with that the frame. A probe asks for a frame, as
// every message does.
type idleMarker struct {
	mark func(read int64) string // nil: nothing is written
	send func(tea.Msg)           // to the screen
	read func() int64            // bytes of input so far

	mu      sync.Mutex
	running int         // guarded by mu: commands, and messages of theirs that are under way
	before  int64       // guarded by mu: what read returned when the quiet time began
	probing bool        // guarded by mu: a probe is under way, and nothing happened since
	quiet   *time.Timer // guarded by mu; nil until something happened
}

// result is the message of a command, on its way to the screen.
type result struct{ tea.Msg }

// filter sees every message on its way to the screen.
func (m *idleMarker) filter(msg tea.Msg) tea.Msg {
	if m.mark == nil || msg == nil {
		return msg
	}
	switch msg := msg.(type) {
	case ui.ViewMsg, tea.RawMsg, frameMsg, printedMsg:
	case result:
		m.happened(-1)
		return msg.Msg
	default:
		m.happened(0)
	}
	return msg
}

// track returns a command that keeps HQ from being idle until its message has reached
// the screen.
func (m *idleMarker) track(cmd tea.Cmd) tea.Cmd {
	if cmd == nil || m.mark == nil {
		return cmd
	}
	m.happened(+1)
	return func() tea.Msg {
		if msg := cmd(); msg != nil {
			return result{msg}
		}
		m.happened(-1)
		return nil
	}
}

// happened restarts the quiet time, and adds to the number of running commands.
func (m *idleMarker) happened(more int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running += more
	m.await()
}

// await waits for a quiet time. The caller holds mu.
func (m *idleMarker) await() {
	m.before, m.probing = m.read(), false
	if m.quiet == nil {
		m.quiet = time.AfterFunc(quietTime, m.probe)
		return
	}
	m.quiet.Reset(quietTime)
}

// probe sends a probe at the end of a quiet time.
func (m *idleMarker) probe() {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.running > 0: // its end begins another
	case m.read() != m.before:
		m.await()
	default:
		m.probing = true
		go m.send(tea.RawMsg{Msg: probe}) // it waits for the screen, which may wait for mu
	}
}

// wrote sees what the renderer has written. Behind a probe it sends the mark, unless
// something has happened since.
func (m *idleMarker) wrote(output []byte) {
	if m.mark == nil || !bytes.Contains(output, []byte(probe)) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch read := m.read(); {
	case !m.probing:
	case read != m.before:
		m.await()
	default:
		m.probing = false
		go m.send(tea.RawMsg{Msg: m.mark(read)})
	}
}
