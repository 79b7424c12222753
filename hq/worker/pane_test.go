package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"ferrus/hq/wire"
)

// typing is a stream that delivers keys.
type typing struct {
	wire.Stream
	keys chan []byte
}

func (s typing) Receive(ctx context.Context) ([]byte, error) {
	select {
	case k, ok := <-s.keys:
		if !ok {
			return nil, errors.New("the link has ended")
		}
		return k, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// terminal records its input; once gone, it accepts none.
type terminal struct {
	mu    sync.Mutex
	typed strings.Builder // guarded by mu
	gone  bool            // guarded by mu
}

func (x *terminal) Input(data []byte) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.gone {
		return errors.New("it has ended")
	}
	x.typed.Write(data)
	return nil
}

func (*terminal) Resize(int, int) error { return nil }
func (*terminal) Close()                {}

// Keys typed while a pane is behind reach the agent in order, and each once, however often it falls
// behind.
func TestKeysArriveInOrderWhileAPaneIsBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		keys := make(chan []byte)
		p := &pane{stream: typing{keys: keys}, more: make(chan struct{}, 1), viewed: make(chan struct{}, 1)}
		var reading sync.WaitGroup
		reading.Go(func() { p.readInput(t.Context()) })
		attach := func(x screen) {
			p.mu.Lock()
			p.view = x
			p.mu.Unlock()
			select {
			case p.viewed <- struct{}{}:
			default: // already known
			}
			synctest.Wait()
		}
		session, want, n := &terminal{}, "", 0
		press := func(count int) {
			for range count {
				key := fmt.Sprintf("<%d>", n)
				want, n = want+key, n+1
				keys <- append([]byte{wire.PaneInput}, key...)
			}
		}
		for range 5 {
			typed := make(chan struct{})
			go func() { defer close(typed); press(20) }()
			synctest.Wait()               // the pane is behind: it is attached to nothing
			attach(&terminal{gone: true}) // and then to a session that ends at once
			attach(session)
			<-typed
			synctest.Wait()
			attach(nil)
		}
		attach(session)
		press(1)
		synctest.Wait()
		if got := session.typed.String(); got != want {
			t.Errorf("the agent got %q, want %q", got, want)
		}
		close(keys)
		reading.Wait()
	})
}

// sent is a stream that records its output.
type sent struct {
	wire.Stream
	messages *[][]byte
}

func (s sent) Send(_ context.Context, m []byte) error {
	*s.messages = append(*s.messages, m)
	return nil
}

// A session's ending is one readable message, however long the agent's last message is.
func TestALongLastMessageEndsASession(t *testing.T) {
	t.Parallel()
	for _, last := range []string{"", strings.Repeat("word ", 50_000), strings.Repeat("\x01\"", 100_000)} {
		var all [][]byte
		p := &pane{stream: sent{messages: &all}, session: &running{ending: &wire.Ending{Code: 3, Final: &last}}}
		if err := p.sendEnding(t.Context()); err != nil {
			t.Fatal(err)
		}
		var e wire.Ending
		if len(all) != 1 || len(all[0]) > wire.MaxMessage || all[0][0] != wire.PaneEnded ||
			json.Unmarshal(all[0][1:], &e) != nil || e.Code != 3 || !strings.HasPrefix(last, *e.Final) {
			t.Errorf("%d messages were sent for a final message of %d bytes, want one within the limit",
				len(all), len(last))
		}
		if *p.session.ending.Final != last {
			t.Error("the record of the ending was changed")
		}
	}
}
