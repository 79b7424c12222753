//go:build e2e

package model

import (
	"net/http"
	"strings"
	"sync"
)

// control is what tests change of a server.
type control struct {
	mu      sync.Mutex
	fault   Fault
	faultAt string // the path of requests that it is for; empty: all
}

// SetFault gives the server a fault, or makes it [Well].
func (c *control) SetFault(f Fault) { c.SetFaultAt("", f) }

// SetFaultAt is SetFault for requests to one path only, such as /v1/messages, so for one vendor's
// clients.
func (c *control) SetFaultAt(path string, f Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault, c.faultAt = f, path
}

// wrap returns a handler that answers with the fault, if there is one.
func (c *control) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		fault := c.fault
		if c.faultAt != "" && c.faultAt != r.URL.Path || r.Method == http.MethodHead ||
			strings.HasSuffix(r.URL.Path, "/count_tokens") {
			fault = Well
		}
		c.mu.Unlock()
		if !fault.answer(w, r) {
			next.ServeHTTP(w, r)
		}
	})
}

// Run makes a command of the client's shell run.
func (c Conversation) Run(command string) Action { return c.shell(command) }

// Call makes a call of a ferrus tool that the prompt names.
func (c Conversation) Call(name string, args map[string]any) Action { return c.call(name, args) }

// Once is for scripts of one call: it makes it, and hands its result on.
func (c Conversation) Once(name string, args map[string]any, then func(result string) Action) Action {
	turn, ok := c.newest()
	switch {
	case !ok:
		return c.call(name, args)
	case turn.refused():
		return complain("%s was refused: %s", turn.Name, turn.Result)
	}
	return then(turn.Result)
}

// Failed reports whether the newest call came to nothing.
func (c Conversation) Failed() bool {
	turn, ok := c.newest()
	return ok && turn.Failed
}
