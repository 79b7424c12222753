package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"ferrus/agent"
	"ferrus/agent/sandbox"

	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/fleet"
	"ferrus/hq/host"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/remote"
	"ferrus/hq/sshlink"
	"ferrus/hq/wire"
	"ferrus/hq/worker"
	"ferrus/store"
)

func workerCommand(std *streams) *cobra.Command {
	var stdio bool
	var server natsWorker
	c := &cobra.Command{
		Use:   "worker",
		Short: "List other machines that run sessions, or run as one",
		Long: `Lists the workers in ferrus.toml: machines that run the sessions of whole tasks.

With --nats this machine is a worker, until you interrupt it, for every home whose
ferrus.toml names the same NATS server in [workers]. With --stdio it is a worker for one
home; HQ starts that over ssh.`,
		Example: "  ferrus worker list\n  ferrus worker drain big\n  ferrus worker resume big\n" +
			"  ferrus worker --nats nats://nats.example.com:4222 --creds worker.creds --labels gpu --slots 8",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case stdio:
				return connectWorker(std)
			case server.URL != "":
				return server.serve(cmd.Context(), std)
			}
			return listWorkersHere(cmd.Context(), std)
		},
	}
	c.Flags().BoolVar(&stdio, "stdio", false, "run as a worker for the HQ at the other end of stdin and stdout")
	server.flags(c)
	c.MarkFlagsMutuallyExclusive("stdio", "nats")
	c.AddCommand(workerList(std),
		workerDrain(std, "drain", "Give a worker no more tasks; what runs there continues", true),
		workerDrain(std, "resume", "Give a worker tasks again", false), workerCopy(std))
	for _, hidden := range []*cobra.Command{workerRun(), workerTools(std), workerLink(), workerSession(std)} {
		hidden.Hidden = true
		c.AddCommand(hidden)
	}
	return c
}

// buildOf describes this program.
func buildOf() (b wire.Build, program string, err error) {
	b = wire.Build{Protocol: wire.Protocol, Version: versionString(), System: runtime.GOOS + "/" + runtime.GOARCH}
	if program, err = os.Executable(); err != nil {
		return b, program, fmt.Errorf("find the ferrus program: %w", err)
	}
	f, err := os.Open(program)
	if err != nil {
		return b, program, err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return b, program, err
	}
	b.Hash = hex.EncodeToString(sum.Sum(nil))
	return b, program, nil
}

// workerDir returns the directory in which a worker keeps everything.
func workerDir() (string, error) {
	heads := string(store.UserHeads())
	if heads == "" {
		return "", errors.New("run as a worker: there is no directory for its state; set XDG_STATE_HOME or HOME")
	}
	return filepath.Join(filepath.Dir(heads), "worker"), nil
}

// connectWorker connects the worker of this machine to its standard streams.
func connectWorker(std *streams) error {
	dir, err := workerDir()
	if err != nil {
		return err
	}
	socket, err := worker.Socket(dir)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return worker.Connect(socket, std.in, drawnOn(std.out), func() error {
		return host.StartDetached(filepath.Join(dir, "worker.log"), program, "worker", "run")
	})
}

// workerIdle is how long a worker without links and sessions stays.
const workerIdle = 10 * time.Minute

// workerRun is the process that outlives links.
func workerRun() *cobra.Command {
	return &cobra.Command{Use: "run", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		dir, err := workerDir()
		if err != nil {
			return err
		}
		ctx, stop := untilInterrupted(cmd.Context())
		defer stop()
		return runWorker(ctx, worker.Options{Dir: dir}, workerIdle, nil)
	}}
}

// runWorker runs a worker until the context ends or, if idle is not 0, it has had nothing to do for that
// long. It also runs serve, whose error ends it; nil: nothing.
func runWorker(ctx context.Context, o worker.Options, idle time.Duration,
	serve func(context.Context, *worker.Worker) error) error {
	var err error
	if o.Build, o.Ferrus, err = buildOf(); err != nil {
		return err
	}
	socket, err := worker.Socket(o.Dir)
	if err != nil {
		return err
	}
	o.Open, o.Agents, o.Walls = openWorkerHome, agentsHere, wallsHere(ctx)
	o.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	o.Replaced = func() bool {
		now, _, err := buildOf()
		return err == nil && now.Hash != o.Build.Hash
	}
	w, err := worker.New(o)
	if err != nil {
		return err
	}
	all, ctx := errgroup.WithContext(ctx)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	all.Go(func() error { return w.Listen(ctx, socket) })
	if serve != nil {
		all.Go(func() error { return serve(ctx, w) })
	}
	all.Go(func() error {
		defer cancel()
		w.Run(ctx, idle)
		return nil
	})
	return all.Wait()
}

// openWorkerHome opens the project of a home on a worker, which has neither a configuration nor a
// checkout. The home asks only for commands that it trusts.
func openWorkerHome(ctx context.Context, dir string) (*project.Task, error) {
	p, err := openAt(dir)
	if errors.Is(err, store.ErrNone) {
		if _, err = store.Create(ctx, dir, core.New(time.Now()), store.UserHeads()); err == nil {
			p, err = openAt(dir)
		}
	}
	if err != nil {
		return nil, err
	}
	p.Trusts = nil
	return p, nil
}

// agentsHere returns which of the built-in agents are installed.
func agentsHere() (all []wire.Agent) {
	for _, name := range agent.Names() {
		one := wire.Agent{Name: name}
		if a, err := agent.Lookup(name, nil); err != nil {
			one.Missing = err.Error()
		} else if err := agent.Installed(a); err != nil {
			one.Missing = err.Error()
		}
		all = append(all, one)
	}
	return all
}

func wallsHere(ctx context.Context) string {
	walls, err := sandbox.Chosen(ctx, sandbox.Auto, sandbox.Open)
	if err != nil {
		return "none: " + err.Error()
	}
	return walls.String()
}

func workerTools(std *streams) *cobra.Command {
	return &cobra.Command{Use: "tools", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		return worker.RelayTools(cmd.Context(), std.in, drawnOn(std.out))
	}}
}

// workerLink owns the connection to one worker.
func workerLink() *cobra.Command {
	var dir string
	c := &cobra.Command{Use: "link", Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
		p, err := openAt(dir)
		if err != nil {
			return err
		}
		t, err := targetNamed(p, args[0])
		if err != nil {
			return err
		}
		build, _, err := buildOf()
		if err != nil {
			return err
		}
		ctx, stop := untilInterrupted(cmd.Context())
		defer stop()
		return remote.RunLink(ctx, t, build, t.Dialer())
	}}
	c.Flags().StringVar(&dir, "project", "", "the project")
	return c
}

// requireTrustedWorkers refuses a configuration that you do not trust: it may name machines of its own.
func requireTrustedWorkers(p *project.Task, cfg config.Config) error {
	if trusted, err := p.Trusted(project.GateDefinition(cfg)); err != nil || !trusted {
		return errors.Join(errors.New("ferrus.toml is not trusted; run: ferrus trust"), err)
	}
	return nil
}

// targetNamed returns a worker of a project that you trust.
func targetNamed(p *project.Task, name string) (remote.Target, error) {
	cfg, err := p.Config()
	if err != nil {
		return remote.Target{}, err
	}
	if err := requireTrustedWorkers(p, cfg); err != nil {
		return remote.Target{}, err
	}
	if t, ok := fleet.WorkerNamed(p.Project, cfg, name); ok {
		return t, nil
	}
	return remote.Target{}, fmt.Errorf("ferrus.toml has no worker %q", name)
}

// workerSession shows one session of a worker, in a terminal that a host owns.
func workerSession(std *streams) *cobra.Command {
	return &cobra.Command{Use: "session", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := remote.ReadSession(args[0])
			if err != nil {
				return err
			}
			program, err := os.Executable()
			if err != nil {
				return err
			}
			p, err := openAt(s.Project)
			if err == nil {
				p, err = p.OpenTask(s.Start.Task.Task)
			}
			if err != nil {
				return err
			}
			stop, resized := make(chan os.Signal, 1), make(chan os.Signal, 1)
			signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
			signal.Notify(resized, syscall.SIGWINCH)
			before, err := term.MakeRaw(os.Stdin.Fd())
			if err == nil {
				defer func() { _ = term.Restore(os.Stdin.Fd(), before) }()
			}
			code, err := remote.RunSession(cmd.Context(), s, remote.Terminal{
				In: std.in, Out: drawnOn(std.out), Stop: stop, Resized: resized,
				Size: func() (int, int) {
					columns, rows, err := term.GetSize(os.Stdout.Fd())
					if err != nil {
						return s.Start.Columns, s.Start.Rows
					}
					return columns, rows
				},
			}, remote.HostsOf(p), program)
			if err != nil {
				return err
			}
			if code != 0 {
				return &exitError{code: code}
			}
			return nil
		}}
}

func workerDrain(std *streams, use, short string, drained bool) *cobra.Command {
	return &cobra.Command{Use: use + " <worker>", Short: short, Args: oneWorker,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := openAsHuman("worker " + use)
			if err != nil {
				return err
			}
			words, err := drainWorker(cmd.Context(), p, args[0], drained)
			if err == nil {
				fmt.Fprintln(std.out, words)
			}
			return err
		}}
}

// drainWorker stops giving tasks to a worker, or starts again, and prints so.
func drainWorker(ctx context.Context, p *project.Task, name string, drained bool) (string, error) {
	if _, err := targetNamed(p, name); err != nil {
		return "", err
	}
	q, err := queue.OpenOrCreate(ctx, p)
	if err == nil {
		err = q.Drain(ctx, project.HumanOf(ctx), name, drained)
	}
	if err != nil || !drained {
		return name + " gets tasks again", err
	}
	return name + " gets no more tasks; what runs there continues", nil
}

func oneWorker(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError(cmd, cmd.Name()+" takes the name of one worker")
	}
	return nil
}

func workerCopy(std *streams) *cobra.Command {
	return &cobra.Command{Use: "copy <worker>", Short: "Copy this program to a worker, as ~/.local/bin/ferrus there",
		Args: oneWorker, RunE: func(cmd *cobra.Command, args []string) error {
			p, err := openAsHuman("worker copy")
			if err != nil {
				return err
			}
			t, err := targetNamed(p, args[0])
			if err != nil {
				return err
			}
			if t.SSH == "" {
				return failure(fmt.Sprintf("copy ferrus to %s: it is not connected over ssh", t.Name),
					"install the same build there")
			}
			program, err := os.Executable()
			if err != nil {
				return err
			}
			if err := sshlink.CopyTo(cmd.Context(), t.SSH, program); err != nil {
				return err
			}
			fmt.Fprintf(std.out, "copied ferrus %s to %s\n", versionString(), args[0])
			return nil
		}}
}
