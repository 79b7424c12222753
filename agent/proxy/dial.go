package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// dialTime is how long a connection to one address may take.
const dialTime = 15 * time.Second

// upstreamLookupTime is how long a name may take to be found here that your proxy may know.
const upstreamLookupTime = 2 * time.Second

// maxAddresses is how many addresses of a name are tried.
const maxAddresses = 6

// refusedError says why a target is not reached.
type refusedError struct{ why string }

func (e *refusedError) Error() string { return e.why }

// route is how a target is reached.
type route struct {
	upstream  *url.URL // your proxy; nil: by the addresses
	addresses []netip.Addr
}

// dial connects to a target that the rules let through.
func (p *Proxy) dial(ctx context.Context, t target) (net.Conn, error) {
	r, err := p.find(ctx, t, "https")
	if err != nil {
		return nil, err
	}
	return r.dial(ctx, t)
}

func (r route) dial(ctx context.Context, t target) (c net.Conn, err error) {
	if r.upstream != nil {
		return dialUpstream(ctx, r.upstream, t)
	}
	var all error
	for _, a := range r.addresses[:min(len(r.addresses), maxAddresses)] {
		d := net.Dialer{Timeout: dialTime}
		c, err = d.DialContext(ctx, "tcp", netip.AddrPortFrom(a, uint16(t.port)).String()) //nolint:gosec // parsed
		if err == nil {
			return c, nil
		}
		all = errors.Join(all, err)
	}
	return nil, all
}

// allows returns nil if the rules let a target through. Opened says that it need not be public.
func (p *Proxy) allows(t target) (opened bool, err error) {
	if p.refuses(t) {
		return false, &refusedError{t.entry() + " is refused by the user, for this task"}
	}
	if slices.ContainsFunc(p.rules.Ports, t.isOpened) {
		return true, nil
	}
	if slices.ContainsFunc(p.rules.Hosts, t.isNamedBy) {
		return false, nil
	}
	if t.isLoopback() || t.addr.IsValid() && !isPublic(t.addr) {
		return false, &refusedError{t.entry() + " is not public; [sandbox] ports in ferrus.toml can name it"}
	}
	if p.rules.Ask == nil || !p.rules.Ask(t.entry()) {
		const why = " is not allowed; the user decides in ferrus's inbox, or names it in [sandbox] hosts"
		return false, &refusedError{t.entry() + why}
	}
	return false, nil
}

// refuses reports whether you refused a target.
func (p *Proxy) refuses(t target) bool { return p.rules.Refused != nil && p.rules.Refused(t.entry()) }

// find returns the way to a target that the rules let through. Its name is resolved once, here, and
// the address that was looked at is the one that is dialed: another answer later changes nothing.
// A name that is not known here may be known to your proxy, which is given the name.
func (p *Proxy) find(ctx context.Context, t target, scheme string) (route, error) {
	opened, err := p.allows(t)
	if err != nil {
		return route{}, err
	}
	up, err := p.upstreamOf(t, scheme)
	if err != nil {
		return route{}, err
	}
	within := dialTime
	if up != nil {
		within = upstreamLookupTime
	}
	found, err := p.addresses(ctx, t, within)
	if err != nil && up != nil {
		return route{upstream: up}, nil
	}
	if err != nil {
		return route{}, err
	}
	isOutside := func(a netip.Addr) bool { return isPublic(a) && !p.isNear(a) }
	if up != nil && slices.ContainsFunc(found, isOutside) {
		return route{upstream: up}, nil
	}
	if !opened {
		found = slices.DeleteFunc(found, func(a netip.Addr) bool { return !isOutside(a) })
	}
	if len(found) == 0 {
		const why = " has no public address; [sandbox] ports in ferrus.toml can name it with its port"
		return route{}, &refusedError{t.host + why}
	}
	return route{addresses: found}, nil
}

func (p *Proxy) addresses(ctx context.Context, t target, within time.Duration) ([]netip.Addr, error) {
	switch {
	case t.addr.IsValid():
		return []netip.Addr{t.addr}, nil
	case t.isLoopback():
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	found, err := p.lookup(ctx, t.host)
	if err != nil {
		return nil, fmt.Errorf("find the address of %s: %w", t.host, err)
	}
	for i := range found {
		found[i] = found[i].Unmap()
	}
	return found, nil
}

// special are ranges that are not of the public Internet beside the ones in net/netip, or
// that lead to an address in another one: carriers, tests, reserved,
// the wire server of a cloud, translated and tunneled IPv4.
var special = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24",
	"198.18.0.0/15", "240.0.0.0/4", "168.63.129.16/32",
	"::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/63", "2001::/23", "2001:db8::/32", "2002::/16",
	"3fff::/20", "5f00::/16", "fec0::/10")

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// isPublic reports whether an address is one of the public Internet.
func isPublic(a netip.Addr) bool {
	a = a.Unmap()
	contains := func(p netip.Prefix) bool { return p.Contains(a) }
	return a.IsGlobalUnicast() && !a.IsPrivate() && !slices.ContainsFunc(special, contains)
}

// isNear reports whether an address is one of this machine or of a network that it is directly in: with IPv6, the
// machines of your network have public addresses, too.
func isNear(a netip.Addr) bool {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return true // It cannot be told.
	}
	return slices.ContainsFunc(all, func(own net.Addr) bool {
		n, ok := own.(*net.IPNet)
		bits, _ := n.Mask.Size()
		return ok && (n.IP.Equal(a.AsSlice()) || bits > 0 && n.Contains(a.AsSlice()))
	})
}

func lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// forwardPort connects a connection to a port of the loopback inside with the one outside.
func (p *Proxy) forwardPort(c net.Conn, port int) {
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), dialTime)
	defer cancel()
	t, err := parseTarget(net.JoinHostPort("localhost", strconv.Itoa(port)))
	if err != nil {
		return
	}
	if up, err := p.dial(ctx, t); err == nil {
		p.tunnel(c, c, up, t)
	}
}
