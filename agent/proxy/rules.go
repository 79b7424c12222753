package proxy

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Rules say what can be reached.
type Rules struct {
	// Hosts are names of the public Internet: example.com, *.example.com for every name
	// below it, * for all; example.com:8443 for another port than 80 and 443.
	Hosts []string
	// Ports are services that are not public: 5432 is one on your loopback, which is there
	// on the loopback inside, too; db.example.com:5432 may have a private address.
	Ports []string
	// Ask is called with a name that is not among the hosts, in their form, and
	// reports whether it may still be reached; nil: it may not.
	Ask func(host string) bool
	// Refused is called with a name in that form and reports whether you refused it. It is not reached
	// then even if an entry names it, and what is connected to it is closed; nil: you refused none.
	Refused func(host string) bool
}

// maxPorts is how many ports of your loopback can be named.
const maxPorts = 32

// target is where a program inside wants to connect to.
type target struct {
	host string // in its canonical form
	addr netip.Addr
	port int
}

// parseTarget reads host:port from a request. It refuses spellings that two programs
// could read differently.
func parseTarget(text string) (target, error) {
	host, digits, err := net.SplitHostPort(text)
	if err != nil {
		return target{}, fmt.Errorf("%q is not host:port", text)
	}
	port, err := parsePort(digits)
	if err != nil {
		return target{}, err
	}
	if strings.Contains(host, ":") != strings.HasPrefix(text, "[") {
		return target{}, fmt.Errorf("%q is not host:port", text)
	}
	name, addr, err := canonical(host)
	return target{name, addr, port}, err
}

func parsePort(digits string) (int, error) {
	port, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || port == 0 || strconv.FormatUint(port, 10) != digits {
		return 0, fmt.Errorf("%q is not a port", digits)
	}
	return int(port), nil
}

// canonical returns a name in lower case without the dot at its end, or the address that it
// spells. An IPv4 address in an IPv6 one is that address; other spellings of addresses
// (2130706433, 0x7f.1) are refused, as are letters beyond ASCII.
func canonical(host string) (string, netip.Addr, error) {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if addr, err := netip.ParseAddr(name); err == nil {
		if addr.Zone() != "" {
			return "", addr, fmt.Errorf("%q has a zone", host)
		}
		addr = addr.Unmap()
		return addr.String(), addr, nil
	}
	labels := strings.Split(name, ".")
	if len(name) > 253 || slices.ContainsFunc(labels, badLabel) {
		return "", netip.Addr{}, fmt.Errorf("%q is not a host name; write non-ASCII names in their xn-- form", host)
	}
	last := labels[len(labels)-1]
	if isNumber := strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x"); isNumber {
		return "", netip.Addr{}, fmt.Errorf("%q is an IP address in an unsupported notation", host)
	}
	return name, netip.Addr{}, nil
}

// badLabel reports whether a part of a name has other characters than names have.
func badLabel(label string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789-_"
	return label == "" || len(label) > 63 || strings.Trim(label, letters) != ""
}

// entry returns the target in the form of [Rules.Hosts].
func (t target) entry() string {
	if t.port == 80 || t.port == 443 {
		return t.host
	}
	return t.address()
}

// address returns the target as host:port.
func (t target) address() string { return net.JoinHostPort(t.host, strconv.Itoa(t.port)) }

func (t target) isLoopback() bool {
	return t.host == "localhost" || strings.HasSuffix(t.host, ".localhost") || t.addr.IsLoopback()
}

// CheckHost reports what is wrong with an entry of [Rules.Hosts].
func CheckHost(entry string) error {
	_, _, _, err := splitEntry(entry)
	return err
}

// Canonical returns an entry of [Rules.Hosts] in the form in which [Rules.Ask] gets it.
func Canonical(entry string) (string, error) {
	name, below, port, err := splitEntry(entry)
	switch {
	case err != nil:
		return "", err
	case below && name == "":
		return "*", nil
	case below:
		name = "*." + name
	}
	return target{host: name, port: cmp.Or(port, 443)}.entry(), nil
}

// Names reports whether an entry of [Rules.Hosts] names a host, which is in the form in which [Rules.Ask] gets it.
func Names(entry, host string) bool {
	t, err := parseTarget(host)
	if err != nil {
		t.host, t.addr, err = canonical(strings.Trim(host, "[]"))
		t.port = 443
	}
	return err == nil && t.isNamedBy(entry)
}

// CheckPort reports what is wrong with an entry of [Rules.Ports].
func CheckPort(entry string) error {
	if _, err := parsePort(entry); err == nil {
		return nil
	}
	if _, err := parseTarget(entry); err != nil {
		return errors.New("must be a port of your loopback, such as 5432, or host:port")
	}
	return nil
}

// splitEntry returns what an entry of hosts names: whether it is all below the name, and the
// port, 0 for the usual ones.
func splitEntry(entry string) (name string, below bool, port int, err error) {
	if entry == "*" {
		return "", true, 0, nil
	}
	host := entry
	if h, digits, e := net.SplitHostPort(entry); e == nil {
		if port, err = parsePort(digits); err != nil {
			return "", false, 0, err
		}
		host = h
	}
	host, below = strings.CutPrefix(host, "*.")
	name, addr, err := canonical(host)
	if err == nil && below && (addr.IsValid() || !strings.Contains(name, ".")) {
		err = fmt.Errorf("%q is too wide: name the host, as in *.example.com", entry)
	}
	return name, below, port, err
}

// names reports whether an entry of hosts names a target.
func (t target) isNamedBy(entry string) bool {
	name, below, port, err := splitEntry(entry)
	if err != nil || port != t.port && (port != 0 || t.port != 80 && t.port != 443) {
		return false
	}
	if below {
		return !t.addr.IsValid() && (name == "" || strings.HasSuffix(t.host, "."+name))
	}
	return t.host == name
}

// isOpened reports whether an entry of ports names a target.
func (t target) isOpened(entry string) bool {
	if port, err := parsePort(entry); err == nil {
		return t.isLoopback() && port == t.port
	}
	other, err := parseTarget(entry)
	return err == nil && other == t
}

// loopbackPorts returns the ports that are entries of their own.
func (r Rules) loopbackPorts() (all []int) {
	for _, entry := range r.Ports {
		if port, err := parsePort(entry); err == nil && port != Port && len(all) < maxPorts {
			all = append(all, port)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// LoopbackPorts returns the ports of your loopback that entries of [Rules.Ports] open.
func LoopbackPorts(entries []string) []int { return Rules{Ports: entries}.loopbackPorts() }
