package sandbox

import (
	"fmt"
	"os"
	"path/filepath"

	"ferrus/agent/proxy"
)

// Proxy is a proxy of this process with a socket of its own.
type Proxy struct {
	*proxy.Proxy
	dir string
	set Policy // network, socket and ports
}

// StartProxy starts a proxy for the programs behind some walls. It returns nil, which is a
// usable *Proxy, for a network without one.
func (w Walls) StartProxy(rules proxy.Rules) (*Proxy, error) {
	if w.Network != Proxied {
		return nil, nil
	}
	dir, err := os.MkdirTemp(shortTemp(), "ferrus-proxy-")
	if err != nil {
		return nil, fmt.Errorf("start the proxy: %w", err)
	}
	p := &Proxy{proxy.New(rules), dir, Policy{Network: w.Network, Proxy: filepath.Join(dir, "p"),
		Ports: proxy.LoopbackPorts(rules.Ports)}}
	if err := p.Listen(p.set.Proxy); err != nil {
		p.Close()
		return nil, fmt.Errorf("start the proxy: %w", err)
	}
	return p, nil
}

// Policy returns a policy that leads to the proxy.
func (p *Proxy) Policy(of Policy) Policy {
	if p != nil {
		of.Network, of.Proxy, of.Ports = p.set.Network, p.set.Proxy, p.set.Ports
	}
	return of
}

// Close ends everything that is served.
func (p *Proxy) Close() {
	if p != nil {
		p.Proxy.Close()
		os.RemoveAll(p.dir)
	}
}
