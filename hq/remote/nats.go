package remote

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"ferrus/hq/natslink"
	"ferrus/hq/sshlink"
	"ferrus/hq/wire"
)

// Dialer returns what connects to the worker.
func (t Target) Dialer() Dialer {
	if t.SSH != "" {
		return func(ctx context.Context) (wire.Link, error) {
			return sshlink.Dial(ctx, sshlink.Options{
				Destination: t.SSH, Command: sshlink.Shell("worker --stdio"), Greeting: wire.Greeting,
			})
		}
	}
	var server *natslink.Conn // used by the one goroutine that dials
	return func(context.Context) (wire.Link, error) {
		if server == nil {
			var err error
			if server, err = t.Server(); err != nil {
				return nil, err
			}
		}
		return server.Dial(t.HomeID(), t.Name)
	}
}

// Server connects to the NATS server of the target as its home. It does not wait for the server.
func (t Target) Server() (*natslink.Conn, error) {
	return natslink.Connect(natslink.Server{URL: t.NATS, Creds: expand(t.Creds), CA: expand(t.CA)}, t.HomeID())
}

// expand returns a path of the configuration.
func expand(path string) string {
	below, ok := strings.CutPrefix(path, "~/")
	if home, err := os.UserHomeDir(); ok && err == nil {
		return filepath.Join(home, below)
	}
	return path
}
