package proxy

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestANamedServiceIsReached(t *testing.T) {
	s, hosts := web(t)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	p := New(Rules{Ports: []string{port, "web.test:" + port}})
	p.lookup = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	at, _ := url.Parse("http://" + start(t, p))
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(at)}}
	for _, host := range []string{"localhost", "127.0.0.1", "web.test"} {
		answer, err := client.Post("http://"+host+":"+port+"/x", "text/plain", strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		if want := "POST " + host + ":" + port + " body"; string(body) != want {
			t.Errorf("answer %q, want %q", body, want)
		}
	}
	out := talk(t, at.Host, "CONNECT web.test:"+port+" HTTP/1.1\r\nHost: x\r\n\r\n"+
		"GET / HTTP/1.1\r\nHost: inner\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(out, "HTTP/1.1 200 ") || !strings.HasSuffix(out, "GET inner ") {
		t.Errorf("by CONNECT: %q", out)
	}
	if len(*hosts) != 4 {
		t.Errorf("asked for %q", *hosts)
	}
}

// TestHostsAreMatched compares names with entries.
func TestHostsAreMatched(t *testing.T) {
	for _, c := range []struct {
		entry, target string
		want          bool
	}{
		{"example.com", "example.com:443", true}, {"example.com", "EXAMPLE.com.:80", true},
		{"Example.Com.", "example.com:443", true}, {"example.com", "example.com:8443", false},
		{"example.com:8443", "example.com:8443", true}, {"example.com:8443", "example.com:443", false},
		{"*.example.com", "a.b.example.com:443", true}, {"*.example.com", "example.com:443", false},
		{"*.example.com", "notexample.com:443", false}, {"*", "example.com:443", true}, {"*", "8.8.8.8:443", false},
		{"8.8.8.8", "8.8.8.8:443", true}, {"8.8.8.8", "[::ffff:8.8.8.8]:443", true},
		{"xn--e1afmkfd.test", "xn--e1afmkfd.TEST:443", true},
	} {
		target, err := parseTarget(c.target)
		if err != nil || CheckHost(c.entry) != nil {
			t.Errorf("%s %s: %v, CheckHost: %v; want no errors", c.entry, c.target, err, CheckHost(c.entry))
		}
		if got := target.isNamedBy(c.entry); got != c.want {
			t.Errorf("%s names %s: %v, want %v", c.entry, c.target, got, c.want)
		}
	}
	for _, bad := range []string{"", "*.", "*.com", "a*.example.com", "http://example.com", "example.com/x",
		"exämple.com",
		"example.com:x", "user@example.com", "*.127.0.0.1", "0x7f.1", "a b"} {
		if CheckHost(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	for entry, want := range map[string]bool{"5432": true, "db.test:5432": true, "10.0.0.1:5432": true, "0": false,
		"db.test": false, "*:5432": false, "05432": false, "99999": false} {
		if got := CheckPort(entry) == nil; got != want {
			t.Errorf("port %q is accepted: %v", entry, got)
		}
	}
}

// TestAnswersAreMatched compares names as programs ask for them with entries as you write them.
func TestAnswersAreMatched(t *testing.T) {
	for _, c := range []struct {
		entry, canonical, host string
		want                   bool
	}{
		{"Example.COM.", "example.com", "example.com", true}, {"example.com:443", "example.com", "example.com", true},
		{"*.Example.com", "*.example.com", "a.example.com", true}, {"a.test", "a.test", "b.a.test", false},
		{"example.com:8443", "example.com:8443", "example.com:8443", true}, {"*", "*", "example.com", true},
		{"example.com", "example.com", "example.com:8443", false},
		{"[2606:2800::1]:443", "2606:2800::1", "2606:2800::1", true},
	} {
		got, err := Canonical(c.entry)
		if err != nil || got != c.canonical || Names(got, c.host) != c.want {
			t.Errorf("%q is %q, %v, and names %s: %v; want %q and %v", c.entry, got, err, c.host, Names(got, c.host),
				c.canonical, c.want)
		}
	}
	if got, err := Canonical("a b"); err == nil {
		t.Errorf("a name with a blank is %q", got)
	}
}

func TestPublicAddresses(t *testing.T) {
	for text, want := range map[string]bool{
		"93.184.215.14": true, "2606:2800:21f::1": true, "8.8.8.8": true, "127.0.0.1": false, "10.1.2.3": false,
		"172.16.0.1": false, "192.168.0.1": false, "169.254.169.254": false, "100.64.0.1": false, "224.0.0.1": false,
		"255.255.255.255": false, "::1": false, "fe80::1": false, "fc00::1": false, "ff02::1": false,
		"::ffff:10.0.0.1": false, "2002:7f00:1::": false, "2001:0:1::": false, "64:ff9b::7f00:1": false,
	} {
		if got := isPublic(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s is public: %v", text, got)
		}
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range own {
		addr, _ := netip.AddrFromSlice(a.(*net.IPNet).IP)
		if !isNear(addr.Unmap()) {
			t.Errorf("%s is not of this machine", addr)
		}
		if next := addr.Unmap().Next(); a.(*net.IPNet).Contains(next.AsSlice()) && !isNear(next) {
			t.Errorf("%s is not in the network of %s", next, addr)
		}
	}
	if isNear(netip.MustParseAddr("8.8.8.8")) {
		t.Error("8.8.8.8 is in a network of this machine")
	}
}

// TestRebinding has a name that changes its address after it was looked at.
func TestRebinding(t *testing.T) {
	s, hosts := web(t)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	p := New(Rules{Hosts: []string{"rebound.test:" + port}})
	lookups := 0
	p.lookup = func(context.Context, string) ([]netip.Addr, error) {
		if lookups++; lookups > 1 {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
	}
	at := start(t, p)
	for range 2 {
		if out := talk(t, at, "CONNECT rebound.test:"+port+" HTTP/1.1\r\n\r\n"); !strings.HasPrefix(out, "HTTP/1.1 4") {
			t.Errorf("the answer is %q, want a refusal", out)
		}
	}
	if lookups > 2 || len(*hosts) > 0 {
		t.Errorf("%d lookups, asked for %q; want at most 2 and none", lookups, *hosts)
	}
}
