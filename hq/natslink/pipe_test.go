package natslink

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
	"testing/synctest"

	"ferrus/hq/wire"
)

// joined returns two ends of a link whose messages come at once.
func joined() (a, b *pipe) {
	a = newPipe(func(m []byte) error { b.arrived(bytes.Clone(m)); return nil })
	b = newPipe(func(m []byte) error { a.arrived(bytes.Clone(m)); return nil })
	return a, b
}

// A sender waits for a reader that is slow, and nothing is lost.
func TestSenderWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b := joined()
		const frames, size = 8, 1 << 20
		sent := 0
		go func() {
			for i := range frames {
				if err := a.Send(bytes.Repeat([]byte{byte(i)}, size)); err != nil {
					t.Error(err)
				}
				sent++
			}
			a.Close() //nolint:errcheck // it returns none
		}()
		synctest.Wait()
		if sent != Window/size || b.queued > Window+Window/chunk*headSize {
			t.Errorf("%d frames were sent, %d bytes wait; want %d frames", sent, b.queued, Window/size)
		}
		for i := range frames {
			f, err := b.Receive()
			if err != nil || len(f) != size || f[0] != byte(i) || f[size-1] != byte(i) {
				t.Fatalf("frame %d: %d bytes, %v", i, len(f), err)
			}
		}
		if _, err := b.Receive(); !errors.Is(err, wire.ErrLost) {
			t.Errorf("after the last frame: %v", err)
		}
	})
}

// A sender that waits hears of the end.
func TestEndWakesTheSender(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b := joined()
		got := make(chan error, 1)
		go func() {
			var err error
			for err == nil {
				err = a.Send(make([]byte, chunk))
			}
			got <- err
		}()
		synctest.Wait()
		b.Close() //nolint:errcheck // it returns none
		if err := <-got; !errors.Is(err, wire.ErrLost) {
			t.Error(err)
		}
	})
}

// What no honest end sends ends the link, and says what it was.
func TestHostileMessages(t *testing.T) {
	t.Parallel()
	last := func(number uint64, body string) []byte { return message(kindLast, number, []byte(body)) }
	for name, test := range map[string]struct {
		messages [][]byte
		want     string
		gap      bool
	}{
		"short":           {messages: [][]byte{{'F', 0}}, want: "sent a message of 2 bytes, which is too short"},
		"empty":           {messages: [][]byte{nil}, want: "sent a message of 0 bytes, which is too short"},
		"unknown kind":    {messages: [][]byte{message('?', 1, nil)}, want: "sent a message of an unknown kind, '?'"},
		"gap":             {messages: [][]byte{last(1, "a"), last(3, "c")}, gap: true},
		"twice":           {messages: [][]byte{last(1, "a"), last(1, "a")}, want: "sent message 1 after 1"},
		"number 0":        {messages: [][]byte{last(0, "a")}, want: "sent message 0 after 0"},
		"empty part":      {messages: [][]byte{message(kindPart, 1, nil)}, want: "sent an empty part of a frame"},
		"taken, not sent": {messages: [][]byte{message(kindAck, 5, nil)}, want: "has taken 5 bytes, of 0"},
		"flood":           {messages: flood(), want: "sent more than 4194304 unacknowledged bytes"},
		"endless frame":   {messages: endless(9), want: "sent a frame of more than 1048653 bytes"},
		"taken, far too much": {
			messages: [][]byte{message(kindAck, 1<<63, nil)}, want: "has taken 9223372036854775808 bytes, of 0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reports := 0
			p := newPipe(func(m []byte) error {
				if m[0] == kindEnd {
					reports++
				}
				return nil
			})
			ended := 0
			p.whenEnded(func() { ended++ })
			for _, m := range test.messages {
				p.arrived(m)
			}
			var err error
			for err == nil && (p.err != nil || len(p.queue) > 0) {
				_, err = p.Receive()
			}
			var v *wire.Violation
			switch {
			case test.gap && !errors.Is(err, wire.ErrGap), !test.gap && (!errors.As(err, &v) || v.What != test.want):
				t.Errorf("got %v", err)
			case reports != 1 || ended != 1:
				t.Errorf("%d messages report the end, which was handled %d times", reports, ended)
			case p.Send(nil) == nil:
				t.Error("it still sends")
			}
		})
	}
}

func flood() (all [][]byte) {
	for i := range Window/chunk + 2 {
		all = append(all, message(kindLast, uint64(i+1), make([]byte, chunk)))
	}
	return all
}

func endless(parts int) (all [][]byte) {
	for i := range parts {
		all = append(all, message(kindPart, uint64(i+1), make([]byte, chunk)))
	}
	return all
}

// FuzzArrived: whatever comes, the pipe keeps its bounds and does not panic.
func FuzzArrived(f *testing.F) {
	f.Add([]byte{9, 'F', 0, 0, 0, 0, 0, 0, 0, 1, 10, 'f', 0, 0, 0, 0, 0, 0, 0, 2, 'x'})
	f.Fuzz(func(t *testing.T, script []byte) {
		p := newPipe(func([]byte) error { return nil })
		for len(script) > 0 {
			n := min(int(script[0]), len(script)-1)
			p.arrived(script[1 : 1+n])
			script = script[1+n:]
		}
		if p.queued > Window+chunk || len(p.queue) > 0 && binary.BigEndian.Uint64(p.queue[0][1:]) != 1 {
			t.Errorf("%d bytes wait", p.queued)
		}
	})
}
