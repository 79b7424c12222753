package agent

import (
	"errors"
	"slices"
	"time"
)

func init() { register(demo{}) }

// demo is this program itself, which works from a script.
type demo struct{}

func (demo) Name() string       { return "demo" }
func (demo) Binary() string     { return "" }
func (demo) WaitSecs() int      { return defaultWaitSecs }
func (demo) Renderer() Renderer { return &demoRenderer{} }

// limitPatterns are for the limit that an agent of several tasks plays.
func (demo) limitPatterns() limitPatterns {
	return limitPatterns{says: []string{"the demo's usage limit is reached"}, then: []string{"resets in"}, exact: true}
}

// demoRenderer passes lines on as they are, and reads the limit that the last one names.
type demoRenderer struct{ last string }

// Render returns a line as it is.
func (r *demoRenderer) Render(line []byte) []byte {
	r.last = string(line)
	return append(slices.Clone(line), '\r', '\n')
}

// Close has nothing left to say.
func (*demoRenderer) Close() []byte { return nil }

// Limit returns the limit that ended the session.
func (r *demoRenderer) Limit(now time.Time) Limit {
	return demo{}.limitPatterns().find(r.last, now)
}

func (d demo) Invoke(l Launch) (Invocation, error) {
	if l.NoServer {
		return Invocation{}, errors.New("agent demo: it works only through ferrus's tools and reads no prompt")
	}
	l.Prompt, l.Ask = "as scripted", false // it does nothing that it would ask for
	if err := l.validate(); err != nil {
		return Invocation{}, err
	}
	return Invocation{
		Path:     l.Ferrus,
		Args:     append([]string{"demo-agent"}, l.serveFlags(d)...),
		Env:      append(l.env(), "FERRUS_WAIT_SECS="+l.waitSecs(d)),
		Headless: !l.Interactive,
	}, nil
}
