package host

import (
	"sync"
	"time"
)

// The rate at which one process reads sessions that flood at the same time: nothing faster
// can be seen, and it would slow down everything else on the machine. An agent that is not
// read waits; nothing is dropped. A session that floods alone is read as fast as it writes,
// and so is one below floodFloor.
const (
	floodTotal = 4 << 20   // bytes per second, of all floods together
	floodFloor = 100 << 10 // bytes per second; anything faster is a flood
	ratePeriod = 100 * time.Millisecond
)

// floods are the flooding sessions of this process.
var floods = rateShare{since: map[*Client]time.Time{}}

// rateShare divides floodTotal among floods.
type rateShare struct {
	mu    sync.Mutex // guards the rest
	since map[*Client]time.Time
}

// share records that a session floods, and returns the bytes per second that it may send;
// 0: no limit.
func (p *rateShare) share(c *Client, now time.Time) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.since[c] = now
	for other, last := range p.since {
		if now.Sub(last) > 10*ratePeriod {
			delete(p.since, other)
		}
	}
	if len(p.since) < 2 {
		return 0
	}
	return max(floodTotal/len(p.since), 2*floodFloor)
}

func (p *rateShare) leave(c *Client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.since, c)
}

// rateMeter counts what a session wrote in the current ratePeriod.
type rateMeter struct {
	began time.Time
	bytes int
}

// delay counts n bytes, and returns how long to wait before more is read.
func (f *rateMeter) delay(n int, c *Client, now time.Time) time.Duration {
	if now.Sub(f.began) > ratePeriod {
		f.began, f.bytes = now, 0
	}
	f.bytes += n
	if f.bytes <= int(floodFloor*ratePeriod/time.Second) {
		return 0
	}
	share := floods.share(c, now)
	if share == 0 {
		return 0
	}
	return time.Duration(f.bytes)*time.Second/time.Duration(share) - now.Sub(f.began)
}

// throttle waits for d, unless the session is stopping or we are detaching.
func (c *Client) throttle(d time.Duration) {
	if d <= 0 {
		return
	}
	pause := time.NewTimer(d)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-c.unthrottled:
	}
}
