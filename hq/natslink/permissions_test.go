package natslink

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Two homes use one worker, and one home two workers: no message reaches another one.
func TestLinksDoNotCross(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, name := range []string{"big", "small"} {
		work(t, s.ClientURL(), name)
	}
	var all sync.WaitGroup
	for i, name := range []string{"laptop", "desk"} {
		h := open(t, s.ClientURL(), name)
		for _, worker := range []string{"big", "small"} {
			h.finds(worker)
			l := h.reaches(worker)
			all.Go(func() { echoes(t, l, i, 20) })
		}
	}
	all.Wait()
}

// A worker with the permissions of its name cannot announce, answer or read for another.
func TestPermissions(t *testing.T) {
	t.Parallel()
	user := func(name string, p Permissions) *server.User {
		return &server.User{Username: name, Password: "secret", Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: p.Publish},
			Subscribe: &server.SubjectPermission{Allow: p.Subscribe},
		}}
	}
	s := serve(t, func(o *server.Options) {
		o.Users = []*server.User{user("big", WorkerPermissions("big")), user("small", WorkerPermissions("small")),
			user("laptop", HomePermissions("laptop")), user("desk", HomePermissions("desk"))}
	})
	as := func(name string) string { return strings.Replace(s.ClientURL(), "//", "//"+name+":secret@", 1) }
	work(t, as("big"), "big")
	h := open(t, as("laptop"), "laptop")
	h.finds("big")
	l := h.reaches("big")

	adversary, refused := rawConnect(t, as("small"))
	for _, subject := range []string{
		toWorker + ">", toHome + ">", toWorker + "big.*.*", toHome + "laptop.*.*", announce + "*", ">",
	} {
		if _, err := adversary.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		expectRefusal(t, refused, subject)
	}
	for _, subject := range []string{announce + "big", toHome + "laptop.big.x", toWorker + "big.laptop.x", ask} {
		if err := adversary.Publish(subject, []byte("I am big")); err != nil {
			t.Fatal(err)
		}
		expectRefusal(t, refused, subject)
	}
	other, refused := rawConnect(t, as("desk"))
	for _, subject := range []string{toHome + "laptop.*.*", toHome + ">", toWorker + ">"} {
		if _, err := other.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		expectRefusal(t, refused, subject)
	}
	if err := other.Publish(toWorker+"big.laptop.x", message(kindLast, 1, nil)); err != nil {
		t.Fatal(err)
	}
	expectRefusal(t, refused, "laptop")
	if b, err := l.Call(t.Context(), "echo", []byte("still")); string(b) != "big: still" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

// rawConnect connects without ferrus, and returns what the server refuses.
func rawConnect(t *testing.T, to string) (*nats.Conn, chan error) {
	t.Helper()
	refused := make(chan error, 100)
	report := func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }
	c, err := nats.Connect(to, nats.ErrorHandler(report))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, refused
}

func expectRefusal(t *testing.T, refused chan error, subject string) {
	t.Helper()
	select {
	case err := <-refused:
		if !strings.Contains(err.Error(), subject) || !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("%s: %v", subject, err)
		}
	case <-time.After(20 * time.Second):
		t.Errorf("%s was allowed", subject)
	}
}
