package budgets

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"ferrus/hq/benchtest"
	"ferrus/store/exectest"
)

// relayEnv makes the test binary the connection to a worker: it runs a command, and passes on its
// input and output. The variable's value is a [relaying].
const relayEnv = "FERRUS_BUDGET_RELAY"

// relaying describes a connection.
type relaying struct {
	Delay time.Duration // in each direction
	Rate  int           // bytes per second from the worker; 0: unlimited
	Count string        // file that gets the number of bytes from the worker
}

// relay runs its last argument, as ssh does.
func relay(how string) int {
	var r relaying
	if err := json.Unmarshal([]byte(how), &r); err != nil {
		return 255
	}
	_ = os.Unsetenv(relayEnv) // the command is not relay
	c := exec.Command("sh", "-c", os.Args[len(os.Args)-1])
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return 255
	}
	out, err := c.StdoutPipe()
	if err != nil || c.Start() != nil {
		return 255
	}
	var came atomic.Int64
	go func() {
		for range time.Tick(100 * time.Millisecond) {
			_ = os.WriteFile(r.Count, []byte(strconv.FormatInt(came.Load(), 10)), 0o600) // the next one follows
		}
	}()
	go func() {
		r.pass(in, os.Stdin, 0, nil)
		_ = in.Close()
	}()
	r.pass(os.Stdout, out, r.Rate, &came)
	_ = c.Wait()
	return 0
}

// pass copies, delaying each part.
func (r relaying) pass(to io.Writer, from io.Reader, rate int, count *atomic.Int64) {
	type part struct {
		data []byte
		due  time.Time
	}
	parts := make(chan part, 64) // as much as a connection has in flight
	if rate > 0 {
		parts = make(chan part, 4)
	}
	go func() {
		defer close(parts)
		for {
			buf := make([]byte, 16<<10)
			n, err := from.Read(buf)
			if n > 0 {
				parts <- part{buf[:n], time.Now().Add(r.Delay)}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range parts {
		time.Sleep(time.Until(p.due))
		if rate > 0 {
			time.Sleep(time.Duration(len(p.data)) * time.Second / time.Duration(rate))
		}
		if _, err := to.Write(p.data); err != nil {
			return
		}
		if count != nil {
			count.Add(int64(len(p.data)))
		}
	}
}

// openOnWorker opens HQ with a task whose agent runs on a worker on this machine, over a
// connection, and returns the screen and the number of bytes from the worker so far.
func openOnWorker(b *testing.B, r relaying) (s *screen, came func() int) {
	b.Helper()
	there, err := os.MkdirTemp("/tmp", "fw") // a socket's path must be short
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(there) })
	r.Count = filepath.Join(there, "count")
	how, err := json.Marshal(r)
	if err == nil {
		err = os.MkdirAll(filepath.Join(there, ".local", "bin"), 0o700)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(there, "run"), 0o700)
	}
	if err == nil {
		err = os.Symlink(program(b), filepath.Join(there, ".local", "bin", "ferrus"))
	}
	ssh := filepath.Join(there, "ssh")
	if err == nil {
		script := fmt.Sprintf("#!/bin/sh\nexport HOME=%s XDG_RUNTIME_DIR=%[1]s/run %s='%s'\nexec %s \"$@\"\n", there,
			relayEnv, how, os.Args[0])
		err = exectest.WriteFile(ssh, []byte(script), 0o700)
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Setenv("FERRUS_SSH_COMMAND", ssh)
	begun := b.TempDir()
	dir := newTasksWith(b, 1, 1, begun, "[worker.w]\nssh = \"w\"\nslots = 1\nlabels = [\"w\"]\n", "Needs: w\n")
	b.Cleanup(func() { endHosts(b) })
	s = open(b, dir, program(b))
	s.await("F1 help")
	s.awaitBegun(begun, 1)
	s.await("ready")
	s.send("\x0f2")
	return s, func() int {
		data, _ := os.ReadFile(r.Count) // it is rewritten now and then
		n, _ := strconv.Atoi(string(data))
		return n
	}
}

// workers measures what a worker's pane costs, against one on this machine: the echo of a key, and
// the bytes that its flood sends.
func workers(b *testing.B) {
	local := openHQ(b, newProject(b, 0, "off"))
	local.send("\x0f2")
	here := local.echoes(1)
	local.end()
	for _, row := range []struct {
		name   string
		how    relaying
		limits [2]float64 // echo, in ms
		wire   float64    // in MB/s; a fast connection carries the whole of the log at home
		behind float64    // how far the screen may lag, in ms
	}{
		{"worker", relaying{}, [2]float64{4, 16}, 100, 500},
		{"worker 40 ms away", relaying{Delay: 20 * time.Millisecond}, [2]float64{46, 60}, 100, 1000},
		{"worker on 64 KB/s", relaying{Rate: 64 << 10}, [2]float64{8, 40}, 0.066, 6000},
	} {
		s, came := openOnWorker(b, row.how)
		got := s.echoes(1)
		for i, share := range []float64{0.5, 0.99} {
			budget{fmt.Sprintf("%s: key echo, p%g", row.name, 100*share), "ms", row.limits[i], false}.report(b,
				benchtest.Milliseconds(got, share), "local", benchtest.Milliseconds(here, share))
		}
		s.send(string(rune(keyFlood)))
		time.Sleep(time.Second)
		const measured = 5 * time.Second
		before := came()
		time.Sleep(measured)
		budget{row.name + ": flood, on the wire", "MB/s", row.wire, false}.report(b,
			float64(came()-before)/1e6/measured.Seconds(), "", 0)
		began := time.Now()
		s.send(string(rune(keyStop)) + "x")
		s.await(fmt.Sprintf("key %d.", keys+1))
		budget{row.name + ": end of a flood to the screen", "ms", row.behind, false}.report(b,
			float64(time.Since(began))/1e6, "", 0)
		s.end()
	}
}
