package natslink

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"ferrus/hq/wire"
)

// users returns a change of a server's options: these are its users, with their permissions.
func users(all map[string]Permissions) func(*server.Options) {
	return func(o *server.Options) {
		for name, p := range all {
			o.Users = append(o.Users, &server.User{Username: name, Password: "secret", Permissions: &server.Permissions{
				Publish:   &server.SubjectPermission{Allow: p.Publish},
				Subscribe: &server.SubjectPermission{Allow: p.Subscribe},
			}})
		}
	}
}

// loginOf returns the URL of a server with a login.
func loginOf(s *server.Server, name string) string {
	return strings.Replace(s.ClientURL(), "//", "//"+strings.ReplaceAll(name, "@", "%40")+":secret@", 1)
}

// admit lets guests join a home until the test ends; each gets an echo with its own name.
func admit(t *testing.T, to, home string) *Conn {
	t.Helper()
	c := connect(t, to, home)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		served <- c.Admit(ctx, home, func(guest string, p wire.Pipe) {
			wire.Serve(ctx, p, echo(guest)) //nolint:errcheck // the test ends it
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	for c.nats.NumSubscriptions() == 0 || c.nats.Flush() != nil { // it subscribes on its goroutine
	}
	return c
}

// hears returns what the HQ of laptop answers to a guest.
func hears(t *testing.T, c *Conn, guest string) (string, error) {
	t.Helper()
	l, err := c.Join(guest, "laptop")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	b, err := l.Call(t.Context(), "echo", []byte("hello"))
	return string(b), err
}

// A guest is known by its subject, reads no other guest's messages, and a worker cannot join.
func TestGuests(t *testing.T) {
	t.Parallel()
	s := serve(t, users(map[string]Permissions{
		"laptop": HomePermissions("laptop"), "big": WorkerPermissions("big"),
		"ann@desk": GuestPermissions("ann@desk", "laptop"), "bob@desk": GuestPermissions("bob@desk", "laptop"),
	}))
	if c := admit(t, loginOf(s, "laptop"), "laptop"); !c.Authenticates() {
		t.Error("the server asks for no login")
	}
	for _, guest := range []string{"ann@desk", "bob@desk"} {
		if got, err := hears(t, connect(t, loginOf(s, guest), guest), guest); got != guest+": hello" || err != nil {
			t.Errorf("%s hears %q, %v", guest, got, err)
		}
	}
	for user, subjects := range map[string][]string{
		"bob@desk": {toHQ + "laptop.ann@desk.x", toGuest + "ann@desk.laptop.x", toWorker + "big.laptop.x"},
		"big":      {toHQ + "laptop.big.x", toHQ + "laptop.ann@desk.x", toGuest + "ann@desk.laptop.x"},
	} {
		adversary, refused := rawConnect(t, loginOf(s, user))
		for _, subject := range subjects {
			if err := adversary.Publish(subject, message(kindLast, 1, nil)); err != nil {
				t.Fatal(err)
			}
			expectRefusal(t, refused, subject)
		}
		for _, subject := range []string{toHQ + ">", toGuest + ">", toGuest + "ann@desk.*.*"} {
			if _, err := adversary.SubscribeSync(subject); err != nil {
				t.Fatal(err)
			}
			expectRefusal(t, refused, subject)
		}
	}
	if _, err := connect(t, loginOf(s, "big"), "big").Join("big", "laptop"); err == nil {
		t.Error("a name without an @ joins")
	}
}

// One guest takes only so many links, and another still joins.
func TestAGuestKeepsNoneOut(t *testing.T) {
	t.Parallel()
	s := serve(t)
	home := admit(t, s.ClientURL(), "laptop")
	if home.Authenticates() {
		t.Error("the server asks for a login")
	}
	c := connect(t, s.ClientURL(), "guests")
	for n := range MaxLinksOfOne + 3 {
		_, err := hears(t, c, "ann@desk")
		if few := n < MaxLinksOfOne; few && err != nil || !few && !errors.Is(err, wire.ErrLost) {
			t.Fatalf("link %d: %v", n+1, err)
		}
	}
	if got, err := hears(t, c, "bob@desk"); got != "bob@desk: hello" || err != nil {
		t.Errorf("another hears %q, %v", got, err)
	}
}
