// Package guest lets HQs on other machines join the HQ of a project over the NATS server named in its
// configuration.
//
// [Admission.Reconcile] applies the configuration; call it whenever that may have changed. Every guest is passed to
// [Admission.Serve], which decides what it sees and may do. A guest that may not join is passed on, too, so that it
// can be told why. The guest's side is package join.
package guest

import (
	"context"
	"errors"
	"slices"

	"ferrus/hq/config"
	"ferrus/hq/fleet"
	"ferrus/hq/natslink"
	"ferrus/hq/project"
	"ferrus/hq/remote"
	"ferrus/hq/wire"
)

// A Guest is the HQ of another machine that wants to join over a NATS server.
type Guest struct {
	Name string // user@host, as its subject says
	Pipe wire.Pipe
	Why  error // why it may not; nil: it may
}

// Admission admits guests over the NATS server of the configuration. One goroutine uses it.
type Admission struct {
	// Serve serves a guest until it has left, or the context ends; nil: none can join. It is called on a
	// goroutine of its own for each guest.
	Serve func(ctx context.Context, g Guest)
	// Go runs a function on a goroutine whose end the caller waits for.
	Go func(func())

	at     remote.Target // the server; empty: none
	names  []string      // who may join
	cancel context.CancelFunc
}

// Reconcile follows the configuration of a project until the context ends. What it says of guests counts only as
// far as you trust it. An error says why no guest can join; the next call tries again.
func (a *Admission) Reconcile(ctx context.Context, p *project.Task, cfg config.Config) error {
	at, names := fleet.ServerOf(p.Project, cfg), cfg.Workers.Join
	if a.Serve == nil || at.NATS == "" || len(names) == 0 {
		at, names = remote.Target{}, nil
	}
	if at == a.at && slices.Equal(names, a.names) {
		return nil
	}
	if a.cancel != nil {
		a.cancel()
		a.at, a.names, a.cancel = remote.Target{}, nil, nil
	}
	if at.NATS == "" {
		return nil
	}
	if trusted, err := p.Trusted(project.GateDefinition(cfg)); err != nil || !trusted {
		return err
	}
	server, err := at.Server()
	if err != nil {
		return err
	}
	a.at, a.names = at, names
	ctx, a.cancel = context.WithCancel(ctx)
	a.Go(func() {
		defer server.Close()
		_ = server.Admit(ctx, at.HomeID(), func(name string, pipe wire.Pipe) { // it is connected again by itself
			a.Serve(ctx, Guest{Name: name, Pipe: pipe, Why: mayJoin(server, names, name)})
		})
	})
	return nil
}

// errUnknownGuests is why no guest is admitted over a server on which everyone has every name.
var errUnknownGuests = errors.New("its NATS server asks for no login, so anyone could join; hint: give every " +
	"user and worker a login of its own there, with the permissions in ferrus help workers")

// mayJoin returns why a guest may not join.
func mayJoin(server *natslink.Conn, names []string, name string) error {
	if !server.Authenticates() {
		return errUnknownGuests
	}
	if !slices.Contains(names, name) {
		return errors.New(name + " is not among those who may join; hint: add the name to join in [workers] of " +
			"ferrus.toml there, and run ferrus trust")
	}
	return nil
}
