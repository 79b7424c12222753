package fleet

import (
	"context"
	"maps"
	"slices"
	"time"

	"ferrus/hq/config"
	"ferrus/hq/natslink"
	"ferrus/hq/project"
	"ferrus/hq/remote"
)

// maxFound bounds how many workers are taken from a server.
const maxFound = 256

// discovery looks for workers on a NATS server. It is used by one goroutine; found is called on
// the server's.
type discovery struct {
	at     remote.Target // without a name
	server *natslink.Conn
}

// follow looks for workers on the server of a configuration until the context ends, and nowhere else.
func (d *discovery) follow(ctx context.Context, at remote.Target, found func(name string)) {
	if d.at == at {
		return
	}
	if d.server != nil {
		d.server.Close()
	}
	d.at, d.server = at, nil
	if at.NATS == "" {
		return
	}
	var err error
	if d.server, err = discover(at, found); err != nil {
		d.at = remote.Target{} // the next turn tries again
		return
	}
	context.AfterFunc(ctx, d.server.Close)
}

// discover calls found for each announcement of a worker until the connection is closed.
func discover(at remote.Target, found func(name string)) (*natslink.Conn, error) {
	server, err := at.Server()
	if err != nil {
		return nil, err
	}
	_, err = server.Discover(func(f natslink.Found) {
		if config.IsWorkerName(f.Worker) {
			found(f.Worker)
		}
	})
	if err != nil {
		server.Close()
		return nil, err
	}
	return server, nil
}

// ServerOf returns where workers of a configuration announce themselves, without a name; its NATS is empty where
// they do not.
func ServerOf(p *project.Project, cfg config.Config) remote.Target {
	w := cfg.Workers
	if w.NATS == "" {
		return remote.Target{}
	}
	return remote.Target{Project: p.Dir, NATS: w.NATS, Creds: w.Creds, CA: w.CA, Patience: int(w.Patience.Seconds())}
}

// heardFor is how long [Discover] listens once it has heard of a worker: they are asked to announce
// themselves at once.
const heardFor = time.Second

// Discover returns the workers that announce themselves on the server of a configuration, without the workers
// that it names. It listens until the context ends, or for a moment once it has heard of one. An error says
// why the server cannot be used.
func Discover(ctx context.Context, p *project.Project, cfg config.Config) (all []remote.Target, err error) {
	at := ServerOf(p, cfg)
	if at.NATS == "" {
		return nil, nil
	}
	heard := make(chan string, maxFound)
	server, err := discover(at, func(name string) {
		select {
		case heard <- name:
		default: // more are not listed
		}
	})
	if err != nil {
		return nil, err
	}
	defer server.Close()
	names := map[string]bool{}
	var enough <-chan time.Time
	for open := true; open; {
		select {
		case name := <-heard:
			if _, named := cfg.Worker[name]; !named {
				names[name] = true
			}
			if enough == nil {
				enough = time.After(heardFor)
			}
		case <-enough:
			open = false
		case <-ctx.Done():
			open, err = false, server.Err()
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		all = append(all, TargetOf(p, cfg, name))
	}
	return all, err
}
