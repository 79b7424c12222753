package proxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// start serves rules at a port of its own, and returns its address.
func start(t *testing.T, p *Proxy) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(); l.Close() })
	go p.server.Serve(limited{l, p.slots}) //nolint:errcheck // until it is closed
	return l.Addr().String()
}

// web returns a server outside, which answers with the host that it was asked for. It
// counts.
func web(t *testing.T) (*httptest.Server, *[]string) {
	t.Helper()
	var mu sync.Mutex
	var hosts []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		hosts = append(hosts, r.Host)
		if v := r.Header.Get("Proxy-Authorization"); v != "" {
			hosts = append(hosts, "with "+v)
		}
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s", r.Method, r.Host, body)
	}))
	t.Cleanup(s.Close)
	return s, &hosts
}

// talk writes bytes to the proxy and returns all that comes back.
func talk(t *testing.T, proxy, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", proxy)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	all, _ := io.ReadAll(c)
	return string(all)
}

// TestRefused asks for what must not be reached in every form that a request can have. The
// target of most is a server that listens, so that a mistake would be seen.
func TestRefused(t *testing.T) {
	s, hosts := web(t)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	var asked []string
	var mu sync.Mutex
	p := New(Rules{Hosts: []string{"example.com", "*.example.org", "rebound.test:" + port, "mixed.test:" + port},
		Ask: func(host string) bool {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, host)
			return false
		}})
	p.lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
		if host == "mixed.test" {
			return []netip.Addr{netip.MustParseAddr("::ffff:127.0.0.1"), netip.MustParseAddr("10.0.0.1")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	at := start(t, p)
	for _, target := range []string{
		"127.0.0.1:" + port, "localhost:" + port, "x.localhost:" + port, "[::1]:" + port, "[::ffff:127.0.0.1]:" + port,
		"[::ffff:7f00:1]:" + port, "[::ffff:0:7f00:1]:" + port,
		"[2001:2::1]:80", "[2001:20::1]:80", "[100:0:0:1::1]:80", "[::127.0.0.1]:" + port,
		"0.0.0.0:" + port, "[::]:" + port, "2130706433:" + port,
		"0x7f000001:" + port, "0x7f.1:" + port, "017700000001:" + port, "0177.0.0.1:" + port, "127.1:" + port,
		"127.0.0.1.:" + port, "169.254.169.254:80", "[fd00:ec2::254]:80", "[fe80::1%25lo]:80", "100.100.100.200:80",
		"168.63.129.16:80", "metadata.google.internal:80", "[64:ff9b::a9fe:a9fe]:80", "10.0.0.1:80", "192.168.1.1:443",
		"rebound.test:" + port, "mixed.test:" + port, "example.com:22", "example.com:" + port, "sub.example.com:443",
		"example.org:443", "badexample.org:443", "example.org.:443", "example.com.evil.test:443",
		"example.com@evil.test:443", "user:pw@example.com:443", "example.com%00.evil.test:443", "exämple.com:443",
		"example.com\\@evil.test:443", "example.com:0", "example.com:00443", "example.com:65536", "example.com",
		"[example.com]:443", "example.com..:443", ".example.org:443", "*.example.org:443", "[::1:" + port, "",
	} {
		for _, request := range []string{
			"CONNECT " + target + " HTTP/1.1\r\nHost: example.com:443\r\n\r\n",
			"GET http://" + target + "/ HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n",
		} {
			if target == "example.com" && strings.HasPrefix(request, "GET") {
				continue // port 80 of a host that is allowed
			}
			if out := talk(t, at, request); !strings.HasPrefix(out, "HTTP/1.1 4") {
				t.Errorf("%q got %q, want a refusal", request, out)
			}
		}
	}
	for _, request := range []string{
		"GET / HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nConnection: close\r\n\r\n",
		"GET https://example.com/ HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n",
		"GET ftp://example.com/ HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n",
		"GET file:///etc/passwd HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n",
	} {
		if out := talk(t, at, request); !strings.HasPrefix(out, "HTTP/1.1 400") {
			t.Errorf("%q got %q, want 400", request, out)
		}
	}
	if len(*hosts) > 0 {
		t.Errorf("the server was reached for %q", *hosts)
	}
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(asked)
	want := []string{"badexample.org", "example.com.evil.test", "example.com:22", "example.com:" + port, "example.org",
		"metadata.google.internal", "sub.example.com"}
	slices.Sort(want)
	if got := slices.Compact(asked); !slices.Equal(got, want) {
		t.Errorf("asked for %q,\nwant %q", got, want)
	}
}

// TestEachRequestOfAConnectionIsLookedAt sends further requests over a connection after one
// for a host that is allowed, also hidden in the body of the previous one.
func TestEachRequestOfAConnectionIsLookedAt(t *testing.T) {
	good, goodHosts := web(t)
	bad, badHosts := web(t)
	_, open, _ := net.SplitHostPort(good.Listener.Addr().String())
	refused := bad.Listener.Addr().String()
	allowed := "127.0.0.1:" + open
	at := start(t, New(Rules{Ports: []string{open}}))
	get := func(host, more string) string {
		return "GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n"
	}
	last := get(refused, "Connection: close\r\n")
	for _, first := range []string{
		get(allowed, ""),
		"GET http://" + allowed + "/ HTTP/1.1\r\nHost: " + refused + "\r\nX-Forwarded-Host: " + refused + "\r\n\r\n",
		"POST http://" + allowed + "/ HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n" +
			"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"POST http://" + allowed + "/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
		"POST http://" + allowed + "/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
		"POST http://" + allowed + "/ HTTP/1.1\r\nHost: x\r\nContent-Length : 3\r\n\r\nabc",
	} {
		out := talk(t, at, first+last)
		answers := strings.Count(out, "HTTP/1.1 ")
		refused := strings.Contains(out, " 403 ") || strings.Contains(out, " 400 ") || strings.Contains(out, " 501 ")
		if !refused || answers > 2 {
			t.Errorf("%q got %q, want one refusal", first, out)
		}
	}
	if len(*badHosts) > 0 {
		t.Errorf("the refused server was asked for %q", *badHosts)
	}
	for _, h := range *goodHosts {
		if h != allowed {
			t.Errorf("the allowed server was asked for %q", h)
		}
	}
	out := talk(t, at, get(allowed, "Proxy-Authorization: Basic c2VjcmV0\r\nConnection: close\r\n"))
	if !strings.Contains(out, " 200 ") || slices.Contains(*goodHosts, "with Basic c2VjcmV0") {
		t.Errorf("%q passed on: %q", *goodHosts, out)
	}
}

// TestAnAnswerTakesEffectAtOnce refuses a name, and lets it through as soon as it is allowed.
func TestAnAnswerTakesEffectAtOnce(t *testing.T) {
	var mu sync.Mutex
	allow := false
	p := New(Rules{Ask: func(string) bool { mu.Lock(); defer mu.Unlock(); return allow }})
	p.lookup = func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("looked up") }
	at := start(t, p)
	const request = "CONNECT new.test:443 HTTP/1.1\r\n\r\n"
	if out := talk(t, at, request); !strings.Contains(out, "new.test is not allowed") {
		t.Errorf("before it is allowed: %q, want a refusal", out)
	}
	mu.Lock()
	allow = true
	mu.Unlock()
	if out := talk(t, at, request); !strings.Contains(out, "looked up") {
		t.Errorf("after it is allowed: %q, want a lookup", out)
	}
}

// TestARefusalClosesWhatIsOpen refuses a host that was reached in each way, and that an entry names.
func TestARefusalClosesWhatIsOpen(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	host := "127.0.0.1:" + port
	for name, request := range map[string]string{
		"CONNECT": "CONNECT " + host + " HTTP/1.1\r\n\r\n",
		"GET":     "GET http://" + host + "/ HTTP/1.1\r\nHost: x\r\n\r\n",
		"Upgrade": "GET http://" + host + "/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			var refused atomic.Bool
			no := func(asked string) bool { return asked == host && refused.Load() }
			p := New(Rules{Ports: []string{host}, Refused: no})
			p.recheck = 0
			at := start(t, p)
			down, err := net.Dial("tcp", at)
			if err != nil {
				t.Fatal(err)
			}
			defer down.Close()
			_, _ = io.WriteString(down, request)
			up, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer up.Close()
			for _, c := range []net.Conn{down, up} {
				if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
					t.Fatal(err)
				}
			}
			if from := bufio.NewReader(up); name != "CONNECT" {
				if _, err := http.ReadRequest(from); err != nil {
					t.Fatal(err)
				}
				_, _ = io.WriteString(up, map[string]string{
					"GET":     "HTTP/1.1 200 OK\r\n\r\nfirst",
					"Upgrade": "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nfirst",
				}[name])
			} else {
				_, _ = io.WriteString(up, "first")
			}
			from := bufio.NewReader(down)
			for before := ""; !strings.HasSuffix(before, "first"); {
				b, err := from.ReadByte()
				if before += string(b); err != nil {
					t.Fatalf("before the refusal: %q, %v", before, err)
				}
			}
			refused.Store(true)
			_, _ = io.WriteString(up, "second")
			if rest, _ := io.ReadAll(from); strings.Contains(string(rest), "second") {
				t.Errorf("after the refusal: %q", rest)
			}
			if _, err := io.Copy(io.Discard, up); err != nil && !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("the target still has its connection: %v", err)
			}
			if out := talk(t, at, request); !strings.Contains(out, "is refused by the user") {
				t.Errorf("a new request: %q, want a refusal", out)
			}
		})
	}
}

func TestBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it waits for servers")
	}
	p := New(Rules{})
	p.slots = make(chan struct{}, 2)
	at := start(t, p)
	long := "GET http://x.test/ HTTP/1.1\r\nX: " + strings.Repeat("x", 2*maxHeader) + "\r\n\r\n"
	if out := talk(t, at, long); !strings.Contains(out, " 431 ") {
		t.Errorf("a long header: %.80q", out)
	}
	var waiting []net.Conn
	for range 3 { // The third waits until one is closed.
		c, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		waiting = append(waiting, c)
	}
	for len(p.slots) < 2 {
		time.Sleep(time.Millisecond)
	}
	waiting[0].Close()
	waiting[1].Close()
	if _, err := io.WriteString(waiting[2], "CONNECT x.test:443 HTTP/1.1\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(waiting[2]), nil)
	if err != nil || answer.StatusCode != http.StatusForbidden {
		t.Errorf("after one was closed: %v %v", answer, err)
	}
}

// TestASilentTunnelEnds gives a tunnel no time to be silent.
func TestASilentTunnelEnds(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	p := New(Rules{Ports: []string{port}})
	p.idle = time.Millisecond
	out := talk(t, start(t, p), "CONNECT localhost:"+port+" HTTP/1.1\r\n\r\n")
	if !strings.HasPrefix(out, "HTTP/1.1 200") {
		t.Errorf("the answer is %q, want 200", out)
	}
}
