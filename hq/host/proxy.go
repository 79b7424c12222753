package host

import (
	"fmt"

	"ferrus/agent/proxy"
)

// Proxy is how a session without a network of its own reaches hosts: its host serves it. See
// package agent/proxy.
type Proxy struct {
	Socket string   `json:"socket"`
	Hosts  []string `json:"hosts"`
	Ports  []string `json:"ports"`
}

// MakeProxy makes the directory for the socket of a session's proxy, and returns its path. It is not
// shown to the session.
func MakeProxy(session string) (string, error) { return makeSocketDir("proxy-" + session) }

// startProxy starts the proxy of the session, if it has one, before the agent.
func (h *host) startProxy() error {
	l := h.launch.Proxy
	if l == nil {
		return nil
	}
	h.proxy = proxy.New(proxy.Rules{Hosts: l.Hosts, Ports: l.Ports,
		Ask:     func(name string) bool { return h.disk.Reaches(h.launch, name) },
		Refused: func(name string) bool { return h.disk.Refuses(h.launch, name) }})
	if err := h.proxy.Listen(l.Socket); err != nil {
		return fmt.Errorf("start the session's proxy: %w", err)
	}
	return nil
}

// closeProxy ends what the session has open there.
func (h *host) closeProxy() {
	if h.proxy != nil {
		h.proxy.Close()
		removeDoor(h.launch.Proxy.Socket)
	}
}
