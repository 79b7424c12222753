package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	"ferrus/hq/hqtest"
	"ferrus/hq/remote"
	"ferrus/hq/wire"
)

// simulated answers as a worker with four tasks that run.
type simulated struct{ build wire.Build }

func (s simulated) Call(_ context.Context, m wire.Method, _ []byte) ([]byte, error) {
	status := wire.Status{Labels: []string{"linux"}, Slots: 4, Cores: 8, Load: 1,
		Agents: []wire.Agent{{Name: "claude-code"}, {Name: "codex"}, {Name: "gemini", Missing: "it is not installed"}}}
	for i := range 4 {
		task := fmt.Sprintf("t-%d-a-task-with-a-title", i)
		status.Sessions = append(status.Sessions, wire.Session{ID: fmt.Sprintf("%032d", i), Slot: "executor",
			Task: wire.Task{Task: task, Attempt: 1}})
		status.Tasks = append(status.Tasks, task)
	}
	if m == wire.MethodHello {
		return json.Marshal(wire.Welcome{Build: s.build, Status: status})
	}
	return json.Marshal(status)
}

func (simulated) Stream(ctx context.Context, _ wire.Method, _ []byte, _ wire.Stream) error {
	return ctx.Err()
}

// processorTime returns what this process has used.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkFleet is what home's share of a processor is while nothing happens but that workers of four tasks each say
// how they are. The links, which are processes of their own, and the workers are in this process, too.
func BenchmarkFleet(b *testing.B) {
	for _, workers := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.Setenv("XDG_RUNTIME_DIR", "/tmp")
			p := hqtest.NewProject(b, nil)
			ctx, cancel := context.WithCancel(context.Background())
			build := wire.Build{Protocol: wire.Protocol, Hash: "same", System: "test/test"}
			var all []remote.Target
			ended := make(chan error, workers)
			for i := range workers {
				t := remote.Target{Project: p.Dir, Name: fmt.Sprintf("w%d", i), SSH: "w", Patience: 60}
				all = append(all, t)
				go func() {
					ended <- remote.RunLink(ctx, t, build, func(context.Context) (wire.Link, error) {
						here, there := net.Pipe()
						go func() {
							_ = wire.Serve(ctx, wire.Bytes(there, there), simulated{build})
							there.Close()
						}()
						return wire.Dial(wire.Bytes(here, here)), nil
					})
				}()
			}
			f := &Fleet{project: p, ferrus: "false", changed: func() {}}
			f.follow(ctx, all)
			connected := func() (n int) {
				f.mu.Lock()
				defer f.mu.Unlock()
				for _, l := range f.links {
					if l.status.Connected {
						n++
					}
				}
				return n
			}
			for connected() < workers {
				time.Sleep(10 * time.Millisecond)
			}
			const measured = 10 * time.Second
			for b.Loop() {
				before := processorTime(b)
				time.Sleep(measured)
				b.ReportMetric(100*(processorTime(b)-before).Seconds()/measured.Seconds(), "%cpu")
			}
			b.ReportMetric(0, "ns/op")
			cancel()
			for range workers {
				if err := <-ended; err != nil {
					b.Error(err)
				}
			}
		})
	}
}
