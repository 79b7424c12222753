package proxy

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// upstreamPorts are where your proxy is if its URL does not say.
var upstreamPorts = map[string]string{"http": "80", "https": "443"}

// upstreamOf returns the proxy of yours that leads to a target, as the variables of this process
// say: HTTPS_PROXY, HTTP_PROXY and NO_PROXY. It is nil if the target is to be connected to itself.
func (p *Proxy) upstreamOf(t target, scheme string) (*url.URL, error) {
	to := &url.URL{Scheme: scheme, Host: t.address()}
	up, err := p.upstream(&http.Request{URL: to})
	if err != nil || up == nil {
		return nil, err
	}
	if upstreamPorts[up.Scheme] == "" {
		return nil, fmt.Errorf("use your own proxy: %s is neither http nor https", up.Redacted())
	}
	return up, nil
}

// dialUpstream connects to a target through your proxy.
func dialUpstream(ctx context.Context, up *url.URL, t target) (net.Conn, error) {
	at := net.JoinHostPort(up.Hostname(), cmp.Or(up.Port(), upstreamPorts[up.Scheme]))
	d := net.Dialer{Timeout: dialTime}
	c, err := d.DialContext(ctx, "tcp", at)
	if err != nil {
		return nil, fmt.Errorf("reach your own proxy: %w", err)
	}
	if up.Scheme == "https" {
		c = tls.Client(c, &tls.Config{ServerName: up.Hostname(), MinVersion: tls.VersionTLS12})
	}
	passed, err := askUpstream(c, up, t.address())
	if err != nil {
		_ = c.Close() //nolint:errcheck // nothing was sent that matters
		return nil, fmt.Errorf("reach %s through your own proxy: %w", t.entry(), err)
	}
	return passed, nil
}

// askUpstream has your proxy connect to an address.
func askUpstream(c net.Conn, up *url.URL, address string) (net.Conn, error) {
	if err := c.SetDeadline(time.Now().Add(2 * dialTime)); err != nil {
		return nil, err
	}
	request := "CONNECT " + address + " HTTP/1.1\r\nHost: " + address + "\r\n"
	if up.User != nil {
		password, _ := up.User.Password()
		login := base64.StdEncoding.EncodeToString([]byte(up.User.Username() + ":" + password))
		request += "Proxy-Authorization: Basic " + login + "\r\n"
	}
	if _, err := io.WriteString(c, request+"\r\n"); err != nil {
		return nil, err
	}
	from := bufio.NewReader(io.LimitReader(c, maxHeader))
	answer, err := http.ReadResponse(from, &http.Request{Method: http.MethodConnect})
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it says %s", answer.Status)
	}
	early := make([]byte, from.Buffered()) // of a target that speaks first
	if _, err := io.ReadFull(from, early); err != nil {
		return nil, err
	}
	return &upstreamConn{c, early}, c.SetDeadline(time.Time{})
}

// upstreamConn is a connection whose first bytes were read already.
type upstreamConn struct {
	net.Conn
	early []byte
}

func (c *upstreamConn) Read(b []byte) (int, error) {
	if len(c.early) > 0 {
		n := copy(b, c.early)
		c.early = c.early[n:]
		return n, nil
	}
	return c.Conn.Read(b)
}
