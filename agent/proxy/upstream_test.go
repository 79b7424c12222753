package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// yours is a proxy of the user's own, which reaches nothing and says what it was asked.
type yours struct {
	*httptest.Server
	mu    sync.Mutex // guards asked
	asked []string
}

func newYours(t *testing.T) *yours {
	t.Helper()
	y := &yours{}
	y.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		y.mu.Lock()
		y.asked = append(y.asked, r.Method+" "+r.RequestURI+" "+r.Header.Get("Proxy-Authorization"))
		y.mu.Unlock()
		if r.Method != http.MethodConnect {
			fmt.Fprint(w, "by yours")
			return
		}
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		// The target speaks first, in the same packet.
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\nhello from behind yours")
	}))
	t.Cleanup(y.Close)
	return y
}

// TestYourOwnProxyIsUsed has a proxy outside, which is asked for what is allowed and public.
func TestYourOwnProxyIsUsed(t *testing.T) {
	s, hosts := web(t)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	y := newYours(t)
	p := New(Rules{Hosts: []string{"example.com", "inner.test", "known.there"}, Ports: []string{port}})
	p.lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
		switch host {
		case "example.com":
			return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
		case "inner.test":
			return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
		}
		return nil, errors.New("no such host")
	}
	p.upstream = func(r *http.Request) (*url.URL, error) {
		if r.URL.Hostname() == "localhost" { // as net/http has it
			return nil, nil
		}
		return url.Parse(strings.Replace(y.URL, "http://", "http://me:secret@", 1))
	}
	at := start(t, p)
	get := func(url string) string { return "GET " + url + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" }
	connect := func(to string) string { return "CONNECT " + to + " HTTP/1.1\r\nHost: x\r\n\r\n" }
	for request, want := range map[string]string{
		connect("example.com:443"):                                     "hello from behind yours",
		connect("known.there:443"):                                     "hello from behind yours",
		get("http://example.com/a"):                                    "by yours",
		connect("inner.test:443"):                                      "has no public address",
		connect("evil.test:443"):                                       "is not allowed",
		connect("10.0.0.1:443"):                                        "is not public",
		get("http://localhost:" + port + "/"):                          "GET localhost",
		strings.Replace(get("http://example.com/"), "GET", "TRACE", 1): "not support TRACE",
	} {
		if out := talk(t, at, request); !strings.Contains(out, want) {
			t.Errorf("%q: %q, want %q", request, out, want)
		}
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	const login = " Basic bWU6c2VjcmV0"
	want := []string{"CONNECT example.com:443" + login, "CONNECT known.there:443" + login,
		"GET http://example.com/a" + login}
	if slices.Sort(y.asked); !slices.Equal(y.asked, want) {
		t.Errorf("yours was asked %q,\nwant %q", y.asked, want)
	}
	if len(*hosts) != 1 {
		t.Errorf("your loopback was asked for %q", *hosts)
	}
}

// TestYourOwnProxyRefuses passes on what a proxy outside says.
func TestYourOwnProxyRefuses(t *testing.T) {
	y := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	defer y.Close()
	p := New(Rules{Hosts: []string{"example.com"}})
	for up, want := range map[string]string{y.URL: "407", "socks5://127.0.0.1:1": "neither http nor https"} {
		p.upstream = func(*http.Request) (*url.URL, error) { return url.Parse(up) }
		p.lookup = func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("unknown") }
		if _, err := p.dial(t.Context(), target{"example.com", netip.Addr{}, 443}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %v", up, err, want)
		}
	}
}
