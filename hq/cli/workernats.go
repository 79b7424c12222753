package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/hq/config"
	"ferrus/hq/natslink"
	"ferrus/hq/wire"
	"ferrus/hq/worker"
	"ferrus/ui/text"
)

// natsWorker is this machine as a worker that announces itself on a NATS server.
type natsWorker struct {
	natslink.Server
	name   string
	labels []string
	slots  int
}

func (n *natsWorker) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&n.URL, "nats", "", "run as a worker on the NATS server at this `URL`; separate several with commas")
	f.StringVar(&n.Creds, "creds", "", "the credentials `file` for the server")
	f.StringVar(&n.CA, "ca", "", "the `file` with the certificate of the server's authority")
	f.StringVar(&n.name, "name", "", "the `name` of this worker (default: this machine's name)")
	f.StringSliceVar(&n.labels, "labels", nil, "labels that a task can ask for with --needs, such as gpu,linux")
	f.IntVar(&n.slots, "slots", 4, "how many tasks it takes at the same time")
	for _, flag := range []string{"creds", "ca"} {
		_ = c.MarkFlagFilename(flag)
	}
}

// serve is a worker until the context ends.
func (n *natsWorker) serve(ctx context.Context, std *streams) error {
	if n.name == "" {
		n.name = hostWorkerName()
	}
	switch {
	case !config.IsWorkerName(n.name):
		return misuse(fmt.Sprintf("--name is %q, which is not a valid worker name", n.name),
			"use lowercase letters, digits and dashes, at most 32")
	case n.slots < 1:
		return misuse(fmt.Sprintf("--slots is %d", n.slots), "a worker takes at least one task")
	}
	dir, err := workerDir()
	if err != nil {
		return err
	}
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	server, err := natslink.Connect(n.Server, n.name)
	if err != nil {
		return err
	}
	defer server.Close()
	o := worker.Options{Dir: filepath.Join(dir, "nats", n.name), Labels: n.labels, Slots: n.slots}
	return runWorker(ctx, o, 0, func(ctx context.Context, w *worker.Worker) error {
		fmt.Fprintf(std.out, "worker %s: %s, on %s; Ctrl+C ends it\n", n.name, text.Count(n.slots, "slot"), n.URL)
		return server.Serve(ctx, natslink.Worker{
			Name: n.name, Handler: func(home string) wire.Handler { return w.Handler(home) },
		})
	})
}

// hostWorkerName makes a worker's name of the name of this machine.
func hostWorkerName() string {
	host, _ := os.Hostname() // without one the name is not valid, and one has to be given
	host, _, _ = strings.Cut(strings.ToLower(host), ".")
	host = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return -1
	}, host)
	return host[:min(len(host), 32)]
}
