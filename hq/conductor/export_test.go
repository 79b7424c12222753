package conductor

import (
	"time"

	"ferrus/hq/queue"
	"ferrus/hq/session"
)

// WithSilence has the human told of a silence of another length.
func (o Options) WithSilence(silence time.Duration) Options {
	o.patience.Silence = silence
	return o
}

// Hearing has the servers of sessions looked at more often.
func (o Options) Hearing(server time.Duration) Options {
	o.patience.Server = server
	return o
}

// WithLauncher has sessions started elsewhere.
func (o Options) WithLauncher(l session.Launcher) Options {
	o.launcher = l
	return o
}

// Claims are what the queue's record says of accounts and of the budget.
type Claims struct{ c claims }

func NewClaims() *Claims { return &Claims{} }

func (c *Claims) Report(a queue.Account) bool                           { return c.c.report(a) }
func (c *Claims) Follow(d queue.Document)                               { c.c.follow(d) }
func (c *Claims) Wait(agent string, now time.Time) (left time.Duration) { return c.c.wait(agent, now) }
