package worker

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ferrus/hq/wire"
)

// Patience with a home is measured on the monotonic clock, to the second, however long it is.
func TestPatienceIsMeasuredWhileAsleep(t *testing.T) {
	t.Parallel()
	outside := &home{}
	if outside.hear(); !strings.Contains(outside.heard.String(), " m=") {
		t.Errorf("silence is measured on a clock that can be set: %v", outside.heard)
	}
	synctest.Test(t, func(t *testing.T) {
		p := &stoppable{grace: make(chan time.Duration, 1), done: make(chan struct{})}
		h := &home{patience: 2 * time.Hour, gates: map[string]*gateRun{}, sessions: map[string]*running{}}
		h.sessions["1"] = &running{Task: wire.Task{Task: "t-1"}, home: h, process: p, ended: p.done}
		h.hear()
		time.Sleep(2 * time.Hour)
		h.endIfSilent()
		synctest.Wait()
		if len(p.grace) > 0 {
			t.Error("the session was ended too early")
		}
		time.Sleep(time.Second)
		h.endIfSilent()
		synctest.Wait()
		if len(p.grace) == 0 {
			t.Error("the session still runs")
		}
	})
}
