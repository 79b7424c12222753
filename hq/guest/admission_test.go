package guest

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"ferrus/hq/config"
	"ferrus/hq/fleet"
	"ferrus/hq/hqtest"
	"ferrus/hq/natslink"
	"ferrus/hq/project"
)

// Without a server, names, your trust or a function that serves guests, ferrus does not listen for any.
func TestWhenNoGuestIsAdmitted(t *testing.T) {
	t.Parallel()
	p := hqtest.NewProject(t, nil)
	serve := func(context.Context, Guest) {}
	all := config.Workers{NATS: "nats://127.0.0.1:1", Join: []string{"ann@desk"}}
	for name, c := range map[string]struct {
		workers config.Workers
		serve   func(context.Context, Guest)
	}{
		"no server":  {config.Workers{Join: all.Join}, serve},
		"no name":    {config.Workers{NATS: all.NATS}, serve},
		"no service": {all, nil},
		"no trust":   {all, serve},
	} {
		a := Admission{Serve: c.serve, Go: func(func()) { t.Errorf("%s: ferrus listens for guests", name) }}
		cfg := config.Config{Workers: c.workers}
		cfg.Widening = []string{"join: ann@desk"}
		p.Trusts = &project.TrustStore{File: filepath.Join(t.TempDir(), "trust.json")}
		if name != "no trust" {
			hqtest.Must(t, p.Trusts.Trust(p.Dir, project.GateDefinition(cfg)))
		}
		if err := a.Reconcile(t.Context(), p, cfg); err != nil {
			t.Errorf("%s: %v, want no error", name, err)
		}
	}
}

// A guest may join if the server asks for a login and you have named the guest. Every guest is served, so that one
// that may not join learns why; and none any more once the configuration has no server.
func TestWhoMayJoin(t *testing.T) {
	t.Parallel()
	const unnamed, anyone = "not among those who may join", "anyone could join"
	for name, c := range map[string]struct {
		login bool
		why   map[string]string // by guest; empty: it may join
	}{
		"a server with logins":    {true, map[string]string{"ann@desk": "", "bob@desk": unnamed}},
		"a server without logins": {false, map[string]string{"ann@desk": anyone}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := hqtest.NewProject(t, nil)
			url := newServer(t, c.login)
			cfg := config.Config{Workers: config.Workers{NATS: url("home"), Join: []string{"ann@desk"}}}
			var listeners sync.WaitGroup
			started, over := 0, make(chan struct{})
			served := make(chan Guest)
			listen := func(f func()) {
				started++
				listeners.Go(f)
			}
			a := Admission{Go: listen, Serve: func(ctx context.Context, g Guest) {
				select {
				case served <- g:
				case <-ctx.Done():
				}
			}}
			for range 2 { // the second call changes nothing
				hqtest.Must(t, a.Reconcile(t.Context(), p, cfg))
			}
			for guest, why := range c.why {
				g := join(t, url(guest), guest, fleet.ServerOf(p.Project, cfg).HomeID(), served)
				if g.Name != guest || (g.Why == nil) != (why == "") ||
					g.Why != nil && !strings.Contains(g.Why.Error(), why) {
					t.Errorf("%s may not join because %v, want %q", g.Name, g.Why, why)
				}
			}
			hqtest.Must(t, a.Reconcile(t.Context(), p, config.Config{}))
			go func() {
				listeners.Wait()
				close(over)
			}()
			select {
			case <-over:
			case <-time.After(time.Minute):
				t.Error("ferrus still listens for guests without a server in its configuration")
			}
			if started != 1 {
				t.Errorf("ferrus started to listen %d times, want once", started)
			}
		})
	}
}

// newServer starts a server, and returns a function that returns its URL for a user.
func newServer(t *testing.T, login bool) func(user string) string {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true}
	for _, user := range []string{"home", "ann@desk", "bob@desk"} {
		if login {
			o.Users = append(o.Users, &server.User{Username: user, Password: "secret"})
		}
	}
	s, err := server.NewServer(o)
	hqtest.Must(t, err)
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server did not start")
	}
	return func(user string) string {
		if !login {
			return s.ClientURL()
		}
		return strings.Replace(s.ClientURL(), "//", "//"+strings.ReplaceAll(user, "@", "%40")+":secret@", 1)
	}
}

// join joins a home, and returns the guest that the home serves.
func join(t *testing.T, url, guest, home string, served <-chan Guest) Guest {
	t.Helper()
	c, err := natslink.Connect(natslink.Server{URL: url}, guest)
	hqtest.Must(t, err)
	t.Cleanup(c.Close)
	for {
		l, err := c.Join(guest, home)
		hqtest.Must(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		lost := make(chan error, 1)
		go func() {
			_, err := l.Call(ctx, "hello", nil)
			lost <- err
		}()
		select {
		case g := <-served:
			cancel()
			l.Close()
			return g
		case err := <-lost: // the home has not subscribed yet
			if errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		cancel()
		l.Close()
	}
}
