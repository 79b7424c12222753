package vt

import (
	"bytes"
	"encoding/binary"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/creack/pty"
)

// floodSize is about how much is printed for one measurement.
const floodSize = 2 << 20

// flood is a program in a pseudo-terminal that prints what it gets, so many
// times, and says when the terminal has taken it.
type flood struct{ conn net.Conn }

// floodListener waits for a program to be started with the environment it returns.
func floodListener(b *testing.B) (net.Listener, string) {
	b.Helper()
	name := filepath.Join(shortDir(b), "flood")
	listener, err := net.Listen("unix", name)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { listener.Close() })
	return listener, floodEnv + "=" + name
}

func acceptFlood(b *testing.B, listener net.Listener) flood {
	b.Helper()
	conn, err := listener.Accept()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	return flood{conn}
}

// print prints a stream often enough and returns the MB/s.
func (f flood) print(b *testing.B, stream []byte) float64 {
	b.Helper()
	times := max(floodSize/len(stream), 1)
	head := binary.BigEndian.AppendUint32(nil, uint32(times))
	head = binary.BigEndian.AppendUint32(head, uint32(len(stream)))
	began := time.Now()
	if _, err := f.conn.Write(append(head, stream...)); err != nil {
		b.Fatal(err)
	}
	if _, err := io.ReadFull(f.conn, make([]byte, 1)); err != nil {
		b.Fatal(err)
	}
	return float64(times*len(stream)) / 1e6 / time.Since(began).Seconds()
}

// floodInTmux returns the program in a pane of tmux without a client.
func floodInTmux(b *testing.B) flood {
	if _, err := exec.LookPath("tmux"); err != nil {
		b.Skip("tmux is not installed: nothing to compare with")
	}
	listener, env := floodListener(b)
	startTmuxWith(b, 120, 40, "-e", env, os.Args[0])
	return acceptFlood(b, listener)
}

// floodInPTY returns the program in a pseudo-terminal; take gets what it prints and
// returns what to answer.
func floodInPTY(b *testing.B, take func([]byte) []byte) flood {
	b.Helper()
	listener, env := floodListener(b)
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), env)
	terminal, err := pty.StartWithSize(command, &pty.Winsize{Cols: 120, Rows: 40})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		command.Process.Kill()
		terminal.Close()
		command.Wait()
	})
	go func() {
		p := make([]byte, 32<<10)
		for {
			n, err := terminal.Read(p)
			if err != nil {
				return
			}
			if answer := take(p[:n]); len(answer) > 0 {
				terminal.Write(answer)
			}
		}
	}()
	return acceptFlood(b, listener)
}

// discard answers only the question that ends a flood.
func discard(p []byte) []byte {
	if bytes.HasSuffix(p, []byte("\x1b[5n")) {
		return []byte("\x1b[0n")
	}
	return nil
}

// BenchmarkPane is what a program in a pseudo-terminal can print per second
// into nothing, into our pane and into one of tmux, in one run. The budget
// is x-tmux >= 1, and >= 2 where tmux is below a third of nothing.
func BenchmarkPane(b *testing.B) {
	streams := generated()
	maps.Copy(streams, recorded(b))
	ours := NewLocked(120, 40, 10_000)
	raw := floodInPTY(b, discard)
	pane := floodInPTY(b, func(p []byte) []byte {
		ours.Write(p)
		return ours.Replies()
	})
	tmux := floodInTmux(b)
	for _, name := range slices.Sorted(maps.Keys(streams)) {
		b.Run(name, func(b *testing.B) {
			var rates [3][]float64
			for b.Loop() {
				for i, f := range []flood{raw, pane, tmux, raw, pane, tmux, raw, pane, tmux} {
					rates[i%3] = append(rates[i%3], f.print(b, streams[name]))
				}
			}
			var middle [3]float64
			for i, r := range rates {
				slices.Sort(r)
				middle[i] = r[len(r)/2]
			}
			b.ReportMetric(middle[0], "raw-MB/s")
			b.ReportMetric(middle[1], "ours-MB/s")
			b.ReportMetric(middle[2], "tmux-MB/s")
			b.ReportMetric(middle[1]/middle[2], "x-tmux")
			b.ReportMetric(0, "ns/op")
			if need := choose(middle[2] < middle[0]/3, 2.0, 1.0); middle[1] < need*middle[2] {
				b.Logf("below its budget of %.0f x tmux", need)
			}
		})
	}
}

// BenchmarkMemory is what a pane with 10,000 full lines takes; the budget is 10 MB.
func BenchmarkMemory(b *testing.B) {
	var taken int
	for b.Loop() {
		var v *Terminal
		v, taken = fillWith(10_100, fullLine)
		if v.Scrollback() != 10_000 {
			b.Fatalf("%d lines", v.Scrollback())
		}
	}
	b.ReportMetric(float64(taken)/(1<<20), "MB/pane")
}
