package conductor

import (
	"time"

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
