package host

import (
	"sync"
	"time"
)

// The rate at which sessions of one process are read that flood at the same time: more
// cannot be seen, and what they and their hosts would use is taken from everything else
// on the machine. An agent that is not read waits; nothing is dropped. A session that
// floods alone is read as fast as it writes, and so is output below floodFloor.
const (
	floodTotal = 4 << 20   // bytes in a second, of all that flood
	floodFloor = 100 << 10 // bytes in a second, of one that does not
	ratePeriod = 100 * time.Millisecond
)

// floods are the sessions of this process.
var floods = rateShare{since: map[*Client]time.Time{}}

// rateShare shares out between floods.
type rateShare struct {
	mu    sync.Mutex // guards the rest
	since map[*Client]time.Time
}

// share notes that a session floods, and returns how many bytes in a second it may
// have; 0: as many as come.
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

// rateMeter is what a session wrote lately.
type rateMeter struct {
	began time.Time
	bytes int
}

// delay takes note of what came, and returns how long nothing more may be read.
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

// throttle waits, but not for one that is being ended or left.
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
