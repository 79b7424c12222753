package host

import (
	"sync"
	"time"
)

// How fast the sessions of one conductor are read that flood at the same time:
// nobody sees more of them, and what they and their hosts would take of the
// machine is everybody's. An agent that is not read waits; nothing is dropped. A
// session that floods alone is read as fast as it writes, and so is all that is
// not worth speaking of.
const (
	together = 4 << 20   // bytes in a second, of all that flood
	calm     = 100 << 10 // bytes in a second, of one that does not
	breath   = 100 * time.Millisecond
)

// floods are the sessions of this process.
var floods = pace{since: map[*Client]time.Time{}}

// pace shares out between floods.
type pace struct {
	mu    sync.Mutex // guards the rest
	since map[*Client]time.Time
}

// share notes that a session floods, and returns how many bytes in a second it may
// have; 0: as many as come.
func (p *pace) share(c *Client, now time.Time) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.since[c] = now
	for other, last := range p.since {
		if now.Sub(last) > 10*breath {
			delete(p.since, other)
		}
	}
	if len(p.since) < 2 {
		return 0
	}
	return max(together/len(p.since), 2*calm)
}

func (p *pace) leave(c *Client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.since, c)
}

// flow is what a session wrote lately.
type flow struct {
	began time.Time
	bytes int
}

// spend takes note of what came, and returns how long nothing more may be read.
func (f *flow) spend(n int, c *Client, now time.Time) time.Duration {
	if now.Sub(f.began) > breath {
		f.began, f.bytes = now, 0
	}
	f.bytes += n
	if f.bytes <= int(calm*breath/time.Second) {
		return 0
	}
	share := floods.share(c, now)
	if share == 0 {
		return 0
	}
	return time.Duration(f.bytes)*time.Second/time.Duration(share) - now.Sub(f.began)
}

// rest waits, but not for one that is being ended or left.
func (c *Client) rest(d time.Duration) {
	if d <= 0 {
		return
	}
	pause := time.NewTimer(d)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-c.hurry:
	}
}
