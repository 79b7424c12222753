package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"ferrus/agent/process"
	"ferrus/ui/vt"
)

// FuzzFrame reads frames from arbitrary bytes: a frame that is read encodes to the same bytes,
// memory is bounded by the input's length, and a malformed body is refused without a panic.
func FuzzFrame(f *testing.F) {
	f.Add(encode(frameHello, hello{Kind: Conductor, Columns: 80, Rows: 24}))
	f.Add(append(encode(frameSize, size{-1, 1 << 30}), frame(frameInput, []byte("ls\r"))...))
	f.Add(encode(frameWelcome, welcome{Record: Record{Slot: "executor", Agent: &process.Identity{PID: -1}}}))
	f.Add(append([]byte{frameOutput, 0x0f, 0xff, 0xff, 0xff}, "too short"...))
	f.Add([]byte{frameOutput, 0xff, 0xff, 0xff, 0xff, 0})
	f.Add(frame(frameLaunch, []byte(`{"session":null,"columns":"x"}`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, buf := bytes.NewReader(data), []byte(nil)
		for {
			before := len(data) - r.Len()
			kind, body, err := readFrame(r, buf)
			if cap(body) > 2*len(data)+bodyStep {
				t.Fatalf("the body takes %d bytes of memory for %d bytes of input", cap(body), len(data))
			}
			if err != nil {
				return
			}
			if again := frame(kind, body); !bytes.Equal(again, data[before:len(data)-r.Len()]) {
				t.Fatalf("%q, encoded again, is %q", data[before:], again)
			}
			for _, into := range []any{&hello{}, &welcome{}, &size{}, &Launch{}, &Ending{}, &Record{}} {
				if decode("a frame", body, into) != nil {
					continue
				}
				if _, err := json.Marshal(into); err != nil {
					t.Fatal(err)
				}
			}
			buf = body
		}
	})
}

// A screen with fewer lines of scrollback is otherwise the same screen.
func TestRecent(t *testing.T) {
	t.Parallel()
	for _, lines := range []int{0, 3, 40, 200} {
		s := newScreen(40, 10, 1000)
		for i := range lines {
			fmt.Fprintf(s, "\x1b[3%dmline %d\x1b[m\r\n", i%8, i)
		}
		fmt.Fprint(s, "the prompt")
		fresh := newScreen(40, 10, 1000)
		_, _ = fresh.Write(Recent(s.Snapshot(), 20))
		s.With(func(was *vt.Terminal) {
			fresh.With(func(now *vt.Terminal) {
				for y := range 10 {
					if now.Row(y) != was.Row(y) {
						t.Errorf("%d lines: row %d is %q, want %q", lines, y, now.Row(y), was.Row(y))
					}
				}
				n := min(was.Scrollback(), 20)
				if now.Scrollback() != n {
					t.Fatalf("%d lines: the scrollback has %d of %d, want %d",
						lines, now.Scrollback(), was.Scrollback(), n)
				}
				for i := range n {
					if got, want := now.HistoryRow(i), was.HistoryRow(was.Scrollback()-n+i); got != want {
						t.Errorf("%d lines: line %d is %q, want %q", lines, i, got, want)
					}
				}
			})
		})
	}
}
