package tui

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/termtest"
)

// greeted shows a word once a command has brought it.
type greeted struct {
	cmd  tea.Cmd
	word string
}

type greeting string

func (g greeted) Init() tea.Cmd { return g.cmd }

func (g greeted) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if word, ok := msg.(greeting); ok {
		g.word = string(word)
	}
	return g, nil
}

func (g greeted) View() tea.View { v := tea.NewView(g.word); v.AltScreen = true; return v }

// seen is what a program wrote up to its first mark, when it ends.
type seen struct {
	bytes.Buffer
	idle func([]byte)
	end  func()
}

func (s *seen) Write(p []byte) (int, error) {
	if strings.Contains(s.String(), "7070;idle") {
		return len(p), nil
	}
	s.Buffer.Write(p)
	s.idle(p)
	if bytes.Contains(s.Bytes(), []byte("7070;idle")) {
		go s.end()
	}
	return len(p), nil
}

// TestIdleMarkFollowsTheFrame checks that a renderer that draws much less often than the quiet time
// writes its frame before the mark.
func TestIdleMarkFollowsTheFrame(t *testing.T) {
	var program *tea.Program
	m := idleMarker{mark: termtest.IdleMark, read: func() int64 { return 0 }}
	m.send = func(msg tea.Msg) { program.Send(msg) }
	out := &seen{idle: m.wrote, end: func() { program.Quit() }}
	screen := greeted{cmd: m.track(func() tea.Msg { return greeting("drawn") })}
	program = tea.NewProgram(screen, tea.WithInput(nil), tea.WithOutput(io.Writer(out)), tea.WithWindowSize(80, 24),
		tea.WithFPS(int(time.Second/(3*quietTime))), tea.WithoutSignalHandler(),
		tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg { return m.filter(msg) }))
	if _, err := program.Run(); err != nil {
		t.Fatal(err)
	}
	before, _, marked := strings.Cut(out.String(), "\x1b]7070;idle")
	if !marked || !strings.Contains(before, "drawn") {
		t.Errorf("the mark came before the frame: %q", out.String())
	}
}
