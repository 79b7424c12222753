package natslink

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"testing"
	"time"

	"ferrus/hq/wire"
	"github.com/nats-io/nats-server/v2/server"
)

// The server is started anew: what was under way is lost, never cut short, and both find each other again.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it waits for servers")
	}
	s := serve(t)
	u, _ := url.Parse(s.ClientURL())
	port, _ := strconv.Atoi(u.Port())
	work(t, s.ClientURL(), "big")
	h := open(t, s.ClientURL(), "laptop")
	h.finds("big")
	l := h.reaches("big")
	stream, err := l.Stream(t.Context(), "echo", nil)
	if err != nil {
		t.Fatal(err)
	}
	stop(s)
	if _, err := stream.Receive(t.Context()); !errors.Is(err, wire.ErrLost) {
		t.Errorf("the stream ended with %v", err)
	}
	<-l.Done()
	if _, err := h.Dial("laptop", "big"); err == nil {
		t.Error("it dials without a server")
	}
	serve(t, func(o *server.Options) { o.Port = port })
	h.reaches("big")
}

// A worker that began before its server waits for it.
func TestWorkerBeforeTheServer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it waits for servers")
	}
	s := serve(t)
	u, _ := url.Parse(s.ClientURL())
	port, _ := strconv.Atoi(u.Port())
	stop(s)
	w := work(t, u.String(), "big")
	if w.Err() == nil {
		t.Error("it is connected to no server")
	}
	h := open(t, u.String(), "laptop")
	serve(t, func(o *server.Options) { o.Port = port })
	h.finds("big")
	h.reaches("big")
}

// The worker's node of a cluster of three is killed, then the home's.
func TestClusterLosesNodes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it waits for servers")
	}
	var nodes []*server.Server
	for i := range 3 {
		nodes = append(nodes, serve(t, func(o *server.Options) {
			o.ServerName = fmt.Sprintf("node%d", i)
			o.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: -1}
			if i > 0 {
				o.Routes = server.RoutesFromStr("nats-route://" + nodes[0].ClusterAddr().String())
			}
		}))
	}
	urls := func(first int) string {
		return nodes[first].ClientURL() + "," + nodes[(first+1)%3].ClientURL() + "," + nodes[(first+2)%3].ClientURL()
	}
	worker := work(t, urls(0), "big")
	h := open(t, urls(1), "laptop")
	h.finds("big")
	h.reaches("big")
	for _, c := range []*Conn{worker, h.Conn} {
		at := c.nats.ConnectedUrl()
		for _, n := range nodes {
			if n.ClientURL() == at {
				stop(n)
			}
		}
		h.reaches("big")
	}
}

func TestFoundIsLost(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for age, lost := range map[time.Duration]bool{0: false, 3 * Beat: false, 3*Beat + 1: true} {
		if got := (Found{Heard: now.Add(-age)}).Lost(now); got != lost {
			t.Errorf("after %v: %v", age, got)
		}
	}
}
