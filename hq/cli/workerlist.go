package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ferrus/hq/config"
	"ferrus/hq/fleet"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/remote"
	"ferrus/hq/wire"
	"ferrus/store"
	"ferrus/ui/text"
)

func workerList(std *streams) *cobra.Command {
	return &cobra.Command{Use: "list", Short: "List the workers: capacity, agents, load, and when they answered last",
		Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error { return listWorkersHere(cmd.Context(), std) }}
}

// listWait is how long a worker may take to connect until it is listed as not connected.
const listWait = 5 * time.Second

func listWorkersHere(ctx context.Context, std *streams) error {
	p, err := openProject()
	if err != nil {
		return err
	}
	return listWorkers(ctx, std.out, p)
}

func listWorkers(ctx context.Context, out io.Writer, p *project.Task) error {
	cfg, err := p.Config()
	if err != nil {
		return err
	}
	all := fleet.Workers(p.Project, cfg)
	if len(all) == 0 && cfg.Workers.NATS == "" {
		fmt.Fprintln(out, "there are no workers; add one to ferrus.toml: [worker.big] ssh = \"me@big\"")
		return nil
	}
	if err := requireTrustedWorkers(p, cfg); err != nil {
		return err
	}
	all = append(all, announced(ctx, out, p, cfg)...)
	var doc queue.Document
	if q, err := queue.Open(p); err == nil {
		s, err := q.Load()
		if err != nil {
			return err
		}
		doc = s.World
	} else if !errors.Is(err, store.ErrNone) {
		return err
	}
	for _, t := range all {
		status, err := statusOf(ctx, t)
		if err != nil {
			status.Why = err.Error()
		}
		for _, line := range describeWorker(t, cfg, doc, status) {
			fmt.Fprintln(out, text.Sanitize(line))
		}
	}
	return nil
}

// announced returns the workers that announce themselves on the server of the configuration, and says which
// home this is there.
func announced(ctx context.Context, out io.Writer, p *project.Task, cfg config.Config) []remote.Target {
	if cfg.Workers.NATS == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	all, err := fleet.Discover(ctx, p.Project, cfg)
	home := remote.Target{Project: p.Dir}.HomeID()
	switch {
	case err != nil:
		fmt.Fprintln(out, text.Sanitize(fmt.Sprintf("%s  not connected: %v", cfg.Workers.NATS, err)))
	case len(all) == 0:
		fmt.Fprintf(out, "%s  no worker has announced itself; this home is %s\n", cfg.Workers.NATS, home)
	default:
		fmt.Fprintf(out, "%s  %s; this home is %s\n", cfg.Workers.NATS, plural(len(all), "worker"), home)
	}
	return all
}

// statusOf asks for the status of a worker, and waits a little for its connection.
func statusOf(ctx context.Context, t remote.Target) (s remote.LinkStatus, err error) {
	program, err := os.Executable()
	if err != nil {
		return s, err
	}
	l, err := remote.Connect(ctx, t, program)
	if err != nil {
		return s, err
	}
	defer l.Close()
	for end := time.Now().Add(listWait); ; time.Sleep(50 * time.Millisecond) {
		s, err = remote.Status(ctx, l)
		if err != nil || s.Connected || s.Marked != "" || s.Why != "connecting" || time.Now().After(end) {
			return s, err
		}
	}
}

// describeWorker returns the lines about a worker.
func describeWorker(t remote.Target, cfg config.Config, doc queue.Document, s remote.LinkStatus) []string {
	running := 0
	for _, i := range doc.Items {
		if i.Running() && i.Worker == t.Name {
			running++
		}
	}
	slots, labels := fleet.Capacity(cfg, t.Name, s.Welcome)
	why := ""
	words := []string{fmt.Sprintf("%d of %d slots", running, slots)}
	if doc.IsDrained(t.Name) {
		words = append(words, "drained")
	}
	switch {
	case s.Marked != "":
		words, why = append(words, "marked"), "it "+s.Marked
	case s.Connected:
		words = append(words, "connected")
	default:
		words, why = append(words, "not connected"), s.Why
	}
	lines := []string{fmt.Sprintf("%s  %s  %s", t.Name, cmp.Or(t.SSH, t.NATS), strings.Join(words, ", "))}
	if why != "" {
		lines = append(lines, "  reason   "+why)
	}
	if len(labels) > 0 {
		lines = append(lines, "  labels   "+strings.Join(labels, " "))
	}
	if there := s.Welcome; there != nil {
		lines = append(lines,
			"  agents   "+strings.Join(agentsOf(there.Agents), " "),
			fmt.Sprintf("  machine  %s, %s, load %.1f of %d cores, %d MB free memory, %d MB free disk, sandbox: %s",
				there.Worker, there.System, there.Load, there.Cores, there.MemoryMB, there.DiskMB, there.Walls),
			fmt.Sprintf("  ferrus   %s, last heard %s ago", there.Version,
				max(time.Since(s.Heard), 0).Round(time.Second)))
	}
	return lines
}

// agentsOf returns the names of the agents that are installed.
func agentsOf(all []wire.Agent) (names []string) {
	for _, a := range all {
		if a.Missing == "" {
			names = append(names, a.Name)
		}
	}
	return names
}
