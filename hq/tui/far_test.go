package tui

import (
	"syscall"
	"testing"
	"time"

	"ferrus/store/longtest"
)

// TestFarAway uses HQ over a link of 200 ms each way and 32 KB in a second.
func TestFarAway(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it plays a slow link")
	}
	r := &relay{delay: 200 * time.Millisecond, rate: 32 << 10}
	h := startFar(t, "work", r)
	h.WaitFor("2 executor  demo")
	h.Type("/tell executor over a long way")
	h.WaitFor("> /tell executor over a long way")
	h.Type("\r")
	h.WaitFor("Message sent to the executor")
	h.Type("\x0f2")
	h.WaitFor("Keys go to 2 executor")
	h.Type("hello agent")
	h.WaitFor("│hello agent")
	h.Type("\x1d\x03\x03")
	h.has(h.ends(0), "tell executor over a long way", "close true")
}

// TestAnswersThatComeInPieces covers answers of the terminal that arrive a byte at a time, with
// pauses longer than a key may take. None of it counts as typed.
func TestAnswersThatComeInPieces(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it waits for answers of a terminal")
	}
	r := &relay{pause: 70 * time.Millisecond}
	h := startFar(t, "idle", r)
	h.WaitFor("No task yet")
	h.Type("/status x") // behind the answers
	h.WaitFor("> /status x")
	h.Type("\x03\x03")
	h.ends(0)
}

// TestNothingIsLeftForTheShell ends HQ while the terminal's first answers are in transit: the shell
// would take them for typed text.
func TestNothingIsLeftForTheShell(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it waits for a slow terminal")
	}
	r := &relay{delay: 50 * time.Millisecond}
	h := startFar(t, "work", r)
	h.Wait("a frame, behind the questions", func() bool { return r.drawn.Load() > 2<<10 })
	began := time.Now()
	if err := h.Command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-h.Ended
	waited := time.Since(began) <= 2*time.Second // later HQ takes the terminal for one that never answers
	if r.typed.Load() == 0 || waited && r.late.Load() > 0 {
		t.Errorf("%d bytes came after HQ had ended, of %d", r.late.Load(), r.typed.Load())
	}
}

// TestAFloodDoesNotQueue checks that while an agent floods its pane, a slow link never has more
// than a window and some frames in transit, and keys take effect.
func TestAFloodDoesNotQueue(t *testing.T) {
	longtest.OnlyCI(t)
	r := &relay{delay: 100 * time.Millisecond, rate: 40 << 10}
	h := startFar(t, "flood", r)
	h.WaitFor("a line of a flood")
	for _, words := range []string{"/plan", " this", " and", " that"} {
		h.Type(words)
		h.WaitFor(words)
	}
	h.WaitFor("> /plan this and that")
	r.most.Store(0) // HQ had no answer yet that tells it how far the terminal is
	drawn := r.drawn.Load()
	more := int64(48 << 10) // more than may be under way; FERRUS_LONG has twice as much
	if longtest.On() {
		more = 100 << 10
	}
	h.Wait("more of the flood", func() bool { return r.drawn.Load() >= drawn+more })
	t.Logf("%d bytes under way at most, of %d", r.most.Load(), r.drawn.Load())
	if most := r.most.Load(); most > 40<<10 {
		t.Errorf("%d bytes were under way", most)
	}
	h.Type("\x03\x03")
	h.ends(0)
}

// TestAQuietScreenWritesNothing counts what HQ sends: nothing for a change that is
// not on the screen, and little for a key.
func TestAQuietScreenWritesNothing(t *testing.T) {
	r := &relay{}
	h := startFar(t, "idle", r)
	h.WaitFor("No task yet")
	h.Type("a")
	h.WaitFor("> a")
	before := r.drawn.Load()
	const typed = "bcdefghijklmnopqrstuvwxyz"
	for i := range typed {
		h.Type(typed[i : i+1])
		h.WaitFor("> a" + typed[:i+1])
	}
	if each := (r.drawn.Load() - before) / int64(len(typed)); each > 64 {
		t.Errorf("a key costs %d bytes", each)
	}
	h.Type("\x03\x03")
	h.ends(0)
}

// TestATerminalThatAnswersNothing runs HQ in a terminal without answers: HQ never waits for one.
func TestATerminalThatAnswersNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it waits for a terminal that does not answer")
	}
	r := &relay{deaf: true}
	h := startFar(t, "work", r)
	h.WaitFor("2 executor  demo")
	h.Type("/tell executor without a word")
	h.WaitFor("> /tell executor without a word")
	h.Type("\r")
	h.WaitFor("Message sent to the executor")
	h.Type("\x03\x03")
	h.has(h.ends(0), "tell executor without a word", "close true")
}
