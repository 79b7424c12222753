package host

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"ferrus/store/longtest"
	"ferrus/ui/vt"
)

func TestOneWriter(t *testing.T) {
	s := newFixture(t)
	c, p := s.start("echo")
	p.await(t, "ready")
	if err := c.Resize(100, 30); err != nil {
		t.Fatal(err)
	}
	human, err := Dial(c.Record(), Writer, 90, 20)
	if err != nil || !human.Writer {
		t.Fatalf("attaching the human: %v, want the right to type", err)
	}
	other, err := Dial(c.Record(), Writer, 50, 10)
	if err != nil || other.Writer {
		t.Fatalf("attaching a second terminal: %v, want it read-only", err)
	}
	if err := human.Input([]byte("by the human")); err != nil {
		t.Fatal(err)
	}
	p.await(t, "by the human")
	if err := other.Input([]byte("by the other")); err != nil {
		t.Fatal(err)
	}
	if refused := next(t, other, func(e Event) bool {
		return e.Refused != ""
	}); !strings.Contains(refused.Refused, "another terminal") {
		t.Errorf("refused with %q, want that another terminal types", refused.Refused)
	}
	if err := c.Input([]byte("by HQ")); err == nil {
		t.Error("the conductor typed while the human did")
	}
	human.Close()
	if e := next(t, other, func(e Event) bool { return e.Columns == 50 }); e.Rows != 10 {
		t.Errorf("the size is %dx%d, want 50x10", e.Columns, e.Rows)
	}
	other.Close()
	columns := func() (n int) { p.With(func(t *vt.Terminal) { n, _ = t.Size() }); return n }
	for limit := time.After(time.Minute); columns() != 100; {
		select {
		case <-p.wrote:
		case <-limit:
			t.Fatalf("the pane has %d columns", columns())
		}
	}
	if err := c.Input([]byte("again by HQ")); err != nil {
		t.Fatal(err)
	}
	p.await(t, "again by HQ")
	if strings.Contains(p.String(), "other") {
		t.Error("a read-only client's input arrived")
	}
}

func next(t *testing.T, v *View, ok func(Event) bool) Event {
	t.Helper()
	for {
		e, err := v.Next()
		if err != nil {
			t.Fatal(err)
		}
		if ok(e) {
			return e
		}
	}
}

func TestTheTerminalAnswersOnce(t *testing.T) {
	s := newFixture(t)
	_, p := s.start("ask")
	p.await(t, "answer")
	p.await(t, `\x1b[?62;`)
}

func TestAProgramThatReadsNothing(t *testing.T) {
	s := newFixture(t)
	c, p := s.start("deaf")
	p.await(t, "ready")
	chunk := bytes.Repeat([]byte("x"), 256<<10)
	for range 1000 {
		if err := c.Input(chunk); err != nil {
			return
		}
	}
	t.Error("256 MB were accepted without a reader")
}

// A client that follows a flood next to the conductor gets all of it, to the end.
func TestNothingIsDropped(t *testing.T) {
	longtest.Only(t)
	s := newFixture(t)
	const lines = 300_000
	c, p := s.start("count", fmt.Sprintf("LINES=%d", lines))
	v, err := Dial(c.Record(), Reader, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := bytes.Clone(v.Screen)
	for {
		e, err := v.Next()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Output...)
		if e.Exit != nil {
			break
		}
	}
	v.Close()
	s.done(c)
	if !bytes.HasSuffix(got, []byte(fmt.Sprintf("line %d\r\nEND\r\n", lines-1))) {
		t.Errorf("the output does not end with END but with %q", got[max(0, len(got)-50):])
	}
	p.await(t, "END")
}
