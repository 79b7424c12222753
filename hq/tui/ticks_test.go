package tui

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui"
	"ferrus/ui/vt"
)

// output collects what a program writes.
type output struct {
	mu    sync.Mutex
	text  bytes.Buffer
	wrote chan struct{} // size 1
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case o.wrote <- struct{}{}:
	default:
	}
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// await returns what was written up to a word, from an offset on.
func (o *output) await(t *testing.T, from int, word string) string {
	t.Helper()
	timeout := time.After(30 * time.Second)
	for {
		if s := o.String()[from:]; strings.Contains(s, word) {
			return s
		}
		select {
		case <-o.wrote:
		case <-timeout:
			t.Fatalf("no %q in %q", word, o.String()[from:])
		}
	}
}

// TestOwnTicks fails if Bubble Tea draws by something other than its ticker: without a tick there
// is no frame, and a tick draws the newest view, also after the terminal was released.
func TestOwnTicks(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	out := &output{wrote: make(chan struct{}, 1)}
	p := tea.NewProgram(greeted{word: "first"}, tea.WithInput(nil), tea.WithOutput(out), tea.WithWindowSize(40, 5),
		tea.WithEnvironment([]string{"TERM=xterm-256color"}), tea.WithoutSignalHandler())
	ticks, err := ownTicks(p)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { _, err := p.Run(); done <- err }()
	for _, word := range []string{"second", "third"} {
		p.Send(greeting(word))
	}
	p.Send(nil) // what was sent before is in place
	ticks <- time.Time{}
	if s := out.await(t, 0, "third"); strings.Contains(s, "first") || strings.Contains(s, "second") {
		t.Errorf("a frame was drawn without a tick: %q", s)
	}
	if err := p.ReleaseTerminal(); err != nil {
		t.Fatal(err)
	}
	released := len(out.String())
	if err := p.RestoreTerminal(); err != nil {
		t.Fatal(err)
	}
	ticks <- time.Time{}
	out.await(t, released, "third")
	p.Quit()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if _, err := ownTicks(p); err == nil {
		t.Error("a program that ran got another ticker")
	}
}

// HQ draws by its own ticks: this version of Bubble Tea allows it.
func TestHQDrawsByItsOwnTicks(t *testing.T) {
	o := fakeOptions("idle", &log{}, nil)
	o.Environ, o.Now = os.Getenv, time.Now
	if a := newApp(t.Context(), o); a.drawing.ticks == nil {
		t.Error("HQ draws by the ticker of Bubble Tea")
	}
}

func TestCredit(t *testing.T) {
	now := time.Now()
	c := credit{burst * minFrame, now}
	for i := range burst {
		if wait := c.missing(1, now); wait > 0 {
			t.Errorf("frame %d waits for %s", i, wait)
		}
		c.spend(1)
	}
	if wait := c.missing(1, now); wait != minFrame {
		t.Errorf("after a burst a frame waits for %s", wait)
	}
	if wait := c.missing(1, now.Add(minFrame)); wait > 0 {
		t.Errorf("after the least time a frame waits for %s", wait)
	}
	if wait := c.missing(burst, now.Add(time.Hour)); wait != 0 {
		t.Errorf("after a pause the credit lacks %s", wait)
	}
	if wait := c.missing(burst+1, now.Add(2*time.Hour)); wait != minFrame {
		t.Errorf("the credit grew beyond a burst: it lacks %s", wait)
	}
}

// The last frame of the credit is reserved for urgent messages.
func TestHasteGoesFirst(t *testing.T) {
	p := newPacer()
	left := credit{reserve * minFrame, time.Now()}
	if p.wait(&left) <= 0 {
		t.Error("the last frame goes to what has time")
	}
	p.kick(ui.HasteNow)
	if wait := p.wait(&left); wait > 0 {
		t.Errorf("an echo waits for %s", wait)
	}
}

// Output alone is drawn half as often as anything else.
func TestOutputIsDrawnLessOften(t *testing.T) {
	p := newPacer()
	for _, c := range []struct {
		haste ui.Haste
		cost  time.Duration
	}{{ui.HasteOutput, 2}, {ui.HasteSoon, 1}} {
		p.kick(c.haste)
		left := credit{(c.cost + reserve) * minFrame, time.Now()}
		if wait := p.wait(&left); wait > 0 || p.cost() != c.cost {
			t.Errorf("haste %d costs %d and waits for %s", c.haste, p.cost(), wait)
		}
	}
}

// Each message gets a frame, even one that asks for it later; several get one together.
func TestPacerDrawsWhatWasAsked(t *testing.T) {
	p, drawn := newPacer(), make(chan struct{})
	go p.run(t.Context(), func() { drawn <- struct{}{} })
	for _, h := range []ui.Haste{ui.HasteSoon, ui.HasteNow, ui.HasteLater, ui.HasteOutput} {
		p.kick(h)
		select {
		case <-drawn:
		case <-time.After(30 * time.Second):
			t.Fatalf("no frame for haste %d", h)
		}
	}
}

// sized is a model that knows its size after its first frame.
type sized struct {
	opens bool
	size  int
	moved int
}

func (m *sized) Init() tea.Cmd { return nil }

func (m *sized) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(tea.KeyPressMsg); ok {
		m.moved += m.size
	}
	m.opens = true
	return m, nil
}

func (m *sized) View() tea.View {
	if m.opens {
		m.size = 1
	}
	return tea.NewView("")
}

// Keys that arrive in one burst act on what the previous key opened, already drawn.
func TestABurstOfKeysFindsWhatItOpens(t *testing.T) {
	model := &sized{}
	p := &paced{Model: model, haste: func(tea.Msg) ui.Haste { return ui.HasteSoon }, kick: func(ui.Haste) {}}
	for range 2 {
		p.Update(tea.KeyPressMsg{Code: 'x'})
	}
	if model.moved != 1 {
		t.Errorf("the second key moved it by %d", model.moved)
	}
}

// A key for an agent does not wait for a frame.
func TestAKeyForAnAgentDrawsNothing(t *testing.T) {
	model := &sized{}
	p := &paced{Model: model, haste: func(tea.Msg) ui.Haste { return ui.HasteLater }, kick: func(ui.Haste) {}}
	for range 2 {
		p.Update(tea.KeyPressMsg{Code: 'x'})
	}
	if model.size != 0 {
		t.Error("the second key had the screen drawn first")
	}
}

// Output of the focused pane goes first, and output that was drawn before asks for no frame.
func TestHasteOfOutput(t *testing.T) {
	one, two := vt.NewLocked(20, 5, 0), vt.NewLocked(20, 5, 0)
	shown := &[]*vt.Locked{one, two}
	var drawn outputs
	for _, c := range []struct {
		prints  *vt.Locked
		haste   ui.Haste
		changed bool
	}{{one, ui.HasteNow, true}, {nil, ui.HasteSoon, false}, {two, ui.HasteOutput, true}, {one, ui.HasteNow, true}} {
		if c.prints != nil {
			_, _ = c.prints.Write([]byte("x"))
		}
		if h, changed := drawn.haste(shown, one); h != c.haste || changed != c.changed {
			t.Errorf("haste %d, %v, want %d, %v", h, changed, c.haste, c.changed)
		}
	}
	if _, changed := drawn.haste(nil, nil); changed {
		t.Error("there is output before there is a view")
	}
}
