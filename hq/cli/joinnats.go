package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"ferrus/hq/guest"
	"ferrus/hq/join"
	"ferrus/hq/natslink"
	"ferrus/hq/tui"
	"ferrus/hq/wire"
)

// natsHQ is an HQ that is reached over a NATS server.
type natsHQ struct {
	natslink.Server
	home string // its id; empty: it is reached otherwise
	as   string // the name under which you join
}

const natsHint = "name the server and the id of the home, which `ferrus worker list` shows there: " +
	"ferrus --join tls://nats.example.com:4222/0123abcd --creds me.creds"

// parseNATS reads a URL of --join over NATS: its path is the id of the home.
func (j *joinFlags) parseNATS() (joinTarget, error) {
	u, err := url.Parse(j.url)
	if err != nil {
		return joinTarget{}, misuse(fmt.Sprintf("--join: %v", err), natsHint)
	}
	home := strings.Trim(u.Path, "/")
	if u.Host == "" || natslink.CheckName(home) != nil || u.RawQuery != "" || u.Fragment != "" {
		return joinTarget{}, misuse(fmt.Sprintf("--join: %q names no home", u.Redacted()), natsHint)
	}
	t := joinTarget{url: u.Redacted(), name: home, nats: natsHQ{Server: j.Server, home: home, as: j.as}}
	if t.nats.as == "" {
		t.nats.as = strings.ReplaceAll(whoAmI(), ".", "-")
	}
	if err := natslink.CheckGuest(t.nats.as); err != nil {
		return joinTarget{}, misuse(fmt.Sprintf("--as: %v", err), "for example: --as ann@laptop")
	}
	u.Path = ""
	t.nats.URL = u.String()
	return t, nil
}

// natsPatience is how long a NATS server may take to answer.
const natsPatience = 10 * time.Second

// enterNATS connects over the NATS server, and opens a screen.
func (t joinTarget) enterNATS(ctx context.Context, build wire.Build, terminal join.Terminal) (join.Conn, error) {
	what := fmt.Sprintf("join the HQ of %s as %s: ", t.nats.home, t.nats.as)
	server, err := natslink.Connect(t.nats.Server, t.nats.as)
	if err != nil {
		return nil, failure(what + err.Error())
	}
	link, err := t.dialNATS(ctx, server)
	if err == nil {
		var hq join.Conn
		hq, err = join.Enter(ctx, link, join.Hello{Build: build, Who: t.nats.as}, terminal)
		if err == nil {
			return natsConn{hq, server}, nil
		}
		link.Close() //nolint:errcheck // it ends
	}
	defer server.Close()
	var refused *wire.Refused
	var other *join.OtherBuildError
	switch denied := server.Refusal(); {
	case errors.As(err, &refused):
		return nil, explainRefusal(what, refused)
	case errors.As(err, &other):
		return nil, failure(what+other.Error(), "install the same build on both machines")
	case denied != nil:
		return nil, failure(what+"the NATS server: "+denied.Error(),
			"the permissions that you need there: ferrus help workers")
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, wire.ErrLost):
		return nil, failure(what+"nothing answers", "open HQ there, with your name in [workers] join of its "+
			"ferrus.toml, trusted by ferrus trust")
	}
	return nil, failure(what + err.Error())
}

// dialNATS opens a link once the server is there.
func (t joinTarget) dialNATS(ctx context.Context, server *natslink.Conn) (wire.Link, error) {
	for end := time.Now().Add(natsPatience); ; {
		link, err := server.Join(t.nats.as, t.nats.home)
		if err == nil || ctx.Err() != nil || time.Now().After(end) {
			return link, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// natsConn is a connection over a server that only it uses.
type natsConn struct {
	join.Conn
	server *natslink.Conn
}

func (c natsConn) Close() error {
	defer c.server.Close()
	return c.Conn.Close()
}

// joinedLinks counts the links of guests: a link stands for the terminal of one, which has no name here.
var joinedLinks atomic.Int64

// serveGuest shows HQ to one that joins over a NATS server, until it has left.
func serveGuest(ctx context.Context, g guest.Guest, guests chan<- tui.Client) {
	build, _, err := buildOf()
	if err != nil {
		return
	}
	open := func(ctx context.Context, who string, t join.Terminal) (join.Conn, error) {
		if g.Why != nil {
			return nil, g.Why
		}
		if !isSize(t.Columns, t.Rows) {
			return nil, errors.New("a terminal has no such size")
		}
		place := fmt.Sprintf("NATS, link %d", joinedLinks.Add(1))
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			hello := attachHello{Columns: t.Columns, Rows: t.Rows, Environ: t.Environ, Who: who}
			showClient(ctx, there, bufio.NewReaderSize(there, maxLookFrame), hello, place, guests)
		}()
		return join.OverFrames(here, here), nil
	}
	h := &join.Host{Build: build, Who: g.Name, Open: open}
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(farewell, end) })()
	_ = h.Serve(serving, g.Pipe) // who is gone needs no reason
}

// farewell is how long a guest's link remains after HQ has ended, to say so: a link that only breaks looks like a fault
// of the network there.
const farewell = time.Second
