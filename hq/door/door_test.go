package door

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain is also the server behind a door: PLAY says which.
func TestMain(m *testing.M) {
	switch os.Getenv("PLAY") {
	case "echo":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "deaf": // neither reads nor ends
		select {}
	case "talk": // writes until its output is closed
		for line := []byte(strings.Repeat("x", 1<<16) + "\n"); ; {
			if _, err := os.Stdout.Write(line); err != nil {
				return
			}
		}
	default:
		os.Exit(m.Run())
	}
}

// fixture is a door whose server plays a part. A door knows no project, so package hqtest has nothing for it.
type fixture struct {
	*testing.T
	Door
	socket string
}

func newFixture(t *testing.T, part string) *fixture {
	t.Helper()
	dir, err := os.MkdirTemp("", "door")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &fixture{T: t, socket: filepath.Join(dir, "door")}
	s.Door = Door{
		Admit: func(*net.UnixConn) error { return nil }, Bounds: Usual,
		Server: func(ctx context.Context) *exec.Cmd {
			cmd := exec.CommandContext(ctx, os.Args[0])
			cmd.Env = append(os.Environ(), "PLAY="+part)
			return cmd
		},
	}
	return s
}

// serve listens until the test ends.
func (s *fixture) serve() {
	s.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.socket, Net: "unix"})
	if err != nil {
		s.Fatal(err)
	}
	go s.Serve(l)
	s.Cleanup(func() { l.Close(); s.Close() })
}

// dial connects as a client does that knows nothing of the door's first line.
func (s *fixture) dial() (*net.UnixConn, *bufio.Reader) {
	s.Helper()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: s.socket, Net: "unix"})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { conn.Close() })
	return conn, bufio.NewReader(conn)
}

// admitted connects and returns the connection once the door has answered.
func (s *fixture) admitted() (*net.UnixConn, *bufio.Reader) {
	s.Helper()
	conn, from := s.dial()
	if line, err := from.ReadString('\n'); line != admitted {
		s.Fatalf("the door says %q, %v", line, err)
	}
	return conn, from
}

func TestRelayCopiesBothWaysAndEndsWithItsInput(t *testing.T) {
	t.Parallel()
	s := newFixture(t, "echo")
	s.Bounds.Messages = 10_000
	s.serve()
	in := strings.Repeat("a message\n", 1000)
	var out bytes.Buffer
	if err := Relay(t.Context(), s.socket, strings.NewReader(in), &out); err != nil || out.String() != in {
		t.Errorf("%d of %d bytes came back, %v", out.Len(), len(in), err)
	}
}

func TestARefusalHasItsReason(t *testing.T) {
	t.Parallel()
	s := newFixture(t, "echo")
	s.Admit = func(*net.UnixConn) error { return errors.New("this belongs to\nanother session") }
	s.serve()
	err := Relay(t.Context(), s.socket, strings.NewReader("{}\n"), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "this belongs to another session") {
		t.Errorf("told: %v", err)
	}
}

// Hundreds of connections get nowhere, and the admitted connections work on.
func TestHundredsOfConnections(t *testing.T) {
	t.Parallel()
	s := newFixture(t, "echo")
	s.serve()
	conn, from := s.admitted()
	var all sync.WaitGroup
	var mu sync.Mutex
	open := 0
	for range 300 {
		_, from := s.dial()
		all.Go(func() {
			if line, _ := from.ReadString('\n'); line == admitted {
				mu.Lock()
				open++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if open >= s.Bounds.Connections {
		t.Errorf("%d more are open at once", open)
	}
	fmt.Fprintln(conn, "still here")
	if line, err := from.ReadString('\n'); line != "still here\n" {
		t.Errorf("the first connection reads %q, %v", line, err)
	}
}

func TestAnotherFitsInAfterOneIsClosed(t *testing.T) {
	t.Parallel()
	s := newFixture(t, "echo")
	s.Bounds.Connections, s.Bounds.Opened = 1, 1<<30 // however often it is tried
	s.serve()
	first, _ := s.admitted()
	if _, from := s.dial(); !strings.HasPrefix(readLine(from), refused) {
		t.Error("a second connection is open")
	}
	first.Close()
	for deadline := time.Now().Add(30 * time.Second); ; {
		conn, from := s.dial()
		if readLine(from) == admitted {
			return
		}
		conn.Close()
		if time.Now().After(deadline) {
			t.Fatal("nothing is admitted after the first was closed")
		}
	}
}

func readLine(from *bufio.Reader) string {
	line, _ := from.ReadString('\n')
	return line
}

// A line that never ends takes no memory and its connection ends.
func TestEndlessLine(t *testing.T) { // not beside others, whose memory it would count
	s := newFixture(t, "echo")
	s.Bounds.Message = 1 << 20
	s.serve()
	conn, from := s.admitted()
	go io.Copy(io.Discard, from) //nolint:errcheck // it ends with the connection
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	line, sent := bytes.Repeat([]byte("x"), 1<<16), 0
	for ; sent < 1<<30; sent += len(line) {
		if _, err := conn.Write(line); err != nil {
			break
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if sent > 16<<20 {
		t.Errorf("%d MiB of one line were taken", sent>>20)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("the door holds %d MiB", grown>>20)
	}
}

// A client that does not read its answers loses its connection, and its server ends.
func TestAnswersMustBeRead(t *testing.T) {
	t.Parallel()
	s := newFixture(t, "talk")
	s.Bounds.Write, s.Bounds.End = 50*time.Millisecond, 50*time.Millisecond
	s.serve()
	s.admitted()
	s.awaitNone()
}

// A server that does nothing does not keep the door from closing.
func TestADeafServerIsEnded(t *testing.T) {
	t.Parallel()
	s := newFixture(t, "deaf")
	s.Bounds.End = 50 * time.Millisecond
	s.serve()
	conn, _ := s.admitted()
	go conn.Write(bytes.Repeat([]byte("x"), 1<<20)) //nolint:errcheck // it ends with the connection
	s.Close()
	s.awaitNone()
}

// awaitNone waits until the door has no connection.
func (s *fixture) awaitNone() {
	s.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		s.mu.Lock()
		none := len(s.open) == 0
		s.mu.Unlock()
		if none {
			return
		}
	}
	s.Fatal("a connection is still open after 30 s")
}

// More messages than allowed wait, and all of them arrive.
func TestMessagesAreLimited(t *testing.T) {
	t.Parallel()
	d, now := Door{Bounds: Bounds{Messages: 100, Message: 1 << 20}}, time.Now()
	var out bytes.Buffer
	in := strings.Repeat("m\n", 105)
	if err := d.pass(&out, strings.NewReader(in)); !errors.Is(err, io.EOF) || out.String() != in {
		t.Errorf("%d of %d bytes, %v", out.Len(), len(in), err)
	}
	if took := time.Since(now); took < 90*time.Millisecond { // five, at 50 a second
		t.Errorf("five messages too many took %v", took)
	}
}

// BenchmarkRelay is one message there and back: through the door, and over a pipe.
func BenchmarkRelay(b *testing.B) {
	b.Run("direct", func(b *testing.B) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "PLAY=echo")
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		trip(b, in, bufio.NewReader(out))
		in.Close()
		_ = cmd.Wait()
	})
	b.Run("door", func(b *testing.B) {
		dir := b.TempDir()
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "door"), Net: "unix"})
		if err != nil {
			b.Skip(err)
		}
		d := Door{Admit: func(*net.UnixConn) error { return nil }, Bounds: Usual,
			Server: func(ctx context.Context) *exec.Cmd {
				cmd := exec.CommandContext(ctx, os.Args[0])
				cmd.Env = append(os.Environ(), "PLAY=echo")
				return cmd
			}}
		d.Bounds.Messages = 1 << 30
		go d.Serve(l)
		toIn, in := io.Pipe()
		out, fromOut := io.Pipe()
		go Relay(b.Context(), l.Addr().String(), toIn, fromOut) //nolint:errcheck // a trip would fail
		trip(b, in, bufio.NewReader(out))
		in.Close()
		l.Close()
		d.Close()
	})
}

func trip(b *testing.B, in io.Writer, out *bufio.Reader) {
	message := strings.Repeat("m", 400) + "\n"
	for b.Loop() {
		if _, err := io.WriteString(in, message); err != nil {
			b.Fatal(err)
		}
		if _, err := out.ReadString('\n'); err != nil {
			b.Fatal(err)
		}
	}
}
