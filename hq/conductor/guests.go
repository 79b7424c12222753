package conductor

import (
	"context"
	"errors"
	"slices"

	"ferrus/hq/config"
	"ferrus/hq/natslink"
	"ferrus/hq/project"
	"ferrus/hq/remote"
	"ferrus/hq/session"
	"ferrus/hq/wire"
)

// A Guest is the HQ of another machine that wants to join over a NATS server.
type Guest struct {
	Name string // user@host, as its subject says
	Pipe wire.Pipe
	Why  error // why it may not; nil: it may
}

// guests lets HQs on other machines join over the NATS server of the configuration. The loop uses it.
type guests struct {
	serve  func(ctx context.Context, g Guest) // nil: none can join
	at     remote.Target                      // the server; empty: none
	names  []string                           // who may join
	cancel context.CancelFunc
}

// reconcile follows the configuration. What it says of guests counts only as far as you trust it.
func (g *guests) reconcile(ctx context.Context, p *project.Task, loop *session.Loop, cfg config.Config) error {
	at, names := serverOf(p.Project, cfg), cfg.Workers.Join
	if g.serve == nil || at.NATS == "" || len(names) == 0 {
		at, names = remote.Target{}, nil
	}
	if at == g.at && slices.Equal(names, g.names) {
		return nil
	}
	if g.cancel != nil {
		g.cancel()
		g.at, g.names, g.cancel = remote.Target{}, nil, nil
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
	g.at, g.names = at, names
	ctx, g.cancel = context.WithCancel(ctx)
	loop.Go(func() {
		defer server.Close()
		_ = server.Admit(ctx, at.HomeID(), func(name string, pipe wire.Pipe) { // it is connected again by itself
			g.serve(ctx, Guest{Name: name, Pipe: pipe, Why: mayJoin(server, names, name)})
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
