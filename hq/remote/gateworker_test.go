package remote_test

import (
	"context"
	"encoding/json"
	"net"
	"regexp"
	"slices"
	"testing"
	"time"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/remote"
	"ferrus/hq/wire"
	"ferrus/hq/worker"
	"ferrus/store"
)

// realWorker runs a worker in this process and a link process to it, and returns the worker's
// target.
func realWorker(t *testing.T, p *project.Task) remote.Target {
	t.Helper()
	heads := store.Heads(t.TempDir())
	build := wire.Build{Protocol: wire.Protocol, Hash: "same", Version: "1", System: "test/test"}
	w, err := worker.New(worker.Options{Dir: t.TempDir(), Build: build,
		Agents: func() []wire.Agent { return nil },
		Open: func(ctx context.Context, dir string) (*project.Task, error) {
			if _, err := store.Create(ctx, dir, core.New(time.Now()), heads); err != nil {
				return nil, err
			}
			return project.OpenKept(dir, heads)
		}})
	hqtest.Must(t, err)
	target := remote.Target{Project: p.Dir, Name: "big", SSH: "big", Patience: 60}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	dial := func(context.Context) (wire.Link, error) {
		here, there := net.Pipe()
		go func() {
			_ = wire.Serve(ctx, wire.Bytes(there, there), w.Handler(""))
			there.Close()
		}()
		return wire.Dial(wire.Bytes(here, here)), nil
	}
	go func() { ended <- remote.RunLink(ctx, target, build, dial) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return target
}

// connected waits until a target's worker is connected.
func connected(t *testing.T, target remote.Target) {
	t.Helper()
	l, err := remote.Connect(t.Context(), target, "")
	for err != nil { // no listener yet
		if t.Context().Err() != nil {
			t.Fatal(err)
		}
		l, err = remote.Connect(t.Context(), target, "")
	}
	defer l.Close()
	for connected := false; !connected; {
		s, err := remote.Status(t.Context(), l)
		hqtest.Must(t, err)
		connected = s.Connected
	}
}

var took = regexp.MustCompile(` in [0-9.]+m?s`)

// A gate on a worker finds what the same gate finds at home, including what the reviewer of a merge
// gets, here a test that is missing.
func TestAGateOnAWorkerFindsTheSame(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	p := hqtest.NewProject(t, hqtest.Files{"suite": "ok 1 - adds\nok 2 - subtracts\n"})
	repository, err := git.Locate(p.Dir)
	hqtest.Must(t, err)
	g := repository.Git()
	hash := func(args ...string) string {
		out, err := g.Output(t.Context(), args...)
		hqtest.Must(t, err)
		return out
	}
	base := core.Base{Commit: hash("rev-parse", "HEAD"), Tree: hash("rev-parse", "HEAD^{tree}")}
	hqtest.Write(t, p.Dir, "suite", "ok 1 - adds\n")
	tree, err := p.Repo().Tree(t.Context())
	hqtest.Must(t, err)
	target := realWorker(t, p)
	connected(t, target)
	run := func(name, command string, how func(gate.Options) (gate.Record, error)) checks.Record {
		t.Helper()
		d := core.Definition{Commands: []checks.Command{{Run: command}}, TimeoutSecs: 60,
			Sandbox: core.Sandbox{Mode: "off"}}
		r, err := how(gate.Options{Definition: &d, Name: name, Base: base, Tree: tree.Hash,
			Task: &core.Task{ID: "t-1", Base: base, Definition: &d}})
		if err != nil {
			t.Fatalf("%s, %s: %v", name, command, err)
		}
		c := r.Record
		c.Started, c.Ended, c.Tools = time.Time{}, time.Time{}, nil
		c.Why = took.ReplaceAllString(c.Why, "")
		for i := range c.Commands {
			c.Commands[i].Duration = 0
		}
		return c
	}
	for _, command := range []string{"cat suite; true", "exit 3", "echo moved >suite"} {
		there := run("there", command, func(o gate.Options) (gate.Record, error) {
			return remote.RunGate(t.Context(), p, target, "", o)
		})
		here := run("here", command, func(o gate.Options) (gate.Record, error) { return gate.Force(t.Context(), p, o) })
		a, err := json.Marshal(there)
		hqtest.Must(t, err)
		b, err := json.Marshal(here)
		hqtest.Must(t, err)
		if string(a) != string(b) {
			t.Errorf("%s: on the worker\n%s\nwant, as at home,\n%s", command, a, b)
		}
		if command[0] == 'c' && (there.Demands == nil || !slices.Equal(there.Demands.Gone, []string{"tap subtracts"})) {
			t.Errorf("on the worker the demands are %+v, want the missing test", there.Demands)
		}
	}
}
