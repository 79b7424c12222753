package tui

import (
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui"
)

// quietTime is how long nothing may happen before HQ counts as idle: what was read is
// parsed by then, and several frames could have been drawn.
const quietTime = 50 * time.Millisecond

// idleMarker tells the terminal of a test when nothing is under way: no input, no
// message, no command, no frame. Views do not count, so that a clock on the screen
// writes no marks.
type idleMarker struct {
	mark func(read int64) string // nil: nothing is written
	out  io.Writer
	read func() int64 // bytes of input so far

	mu      sync.Mutex
	running int         // guarded by mu: commands
	before  int64       // guarded by mu: what read returned when the quiet time began
	quiet   *time.Timer // guarded by mu; nil until something happened
}

// filter sees every message on its way to the screen.
func (m *idleMarker) filter(msg tea.Msg) tea.Msg {
	if _, ok := msg.(ui.ViewMsg); !ok && msg != nil && m.mark != nil {
		m.happened(0)
	}
	return msg
}

// track returns a command that keeps HQ from being idle while it runs.
func (m *idleMarker) track(cmd tea.Cmd) tea.Cmd {
	if cmd == nil || m.mark == nil {
		return cmd
	}
	m.happened(+1)
	return func() tea.Msg {
		defer m.happened(-1)
		return cmd()
	}
}

// happened starts the quiet time anew, with so many more commands that run.
func (m *idleMarker) happened(more int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running += more
	m.await()
}

// await waits for a quiet time. The caller holds mu.
func (m *idleMarker) await() {
	m.before = m.read()
	if m.quiet == nil {
		m.quiet = time.AfterFunc(quietTime, m.write)
		return
	}
	m.quiet.Reset(quietTime)
}

// write writes the mark at the end of a quiet time.
func (m *idleMarker) write() {
	m.mu.Lock()
	defer m.mu.Unlock()
	read := m.read()
	switch {
	case m.running > 0: // its end begins another
	case read != m.before:
		m.await()
	default:
		_, _ = io.WriteString(m.out, m.mark(read)) // the terminal may be gone
	}
}
