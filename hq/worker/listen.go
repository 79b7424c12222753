package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"ferrus/hq/host"
	"ferrus/hq/wire"
)

// methodConnect is the stream of `ferrus worker tools` to its worker. Links cannot open it: it is
// for connections of this machine alone.
const methodConnect wire.Method = "connect"

// Socket returns the path of the socket of the worker in a directory.
func Socket(dir string) (string, error) { return host.NamedSocket(host.WorkerSocket, dir) }

// Listen answers links and servers of sessions that connect to the worker's socket, until the
// context ends.
func (w *Worker) Listen(ctx context.Context, socket string) error {
	l, err := host.Listen(socket)
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.socket = socket
	w.mu.Unlock()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return nil
			}
			return err
		}
		if _, err := host.Peer(conn); err != nil {
			conn.Close()
			continue
		}
		go w.serve(ctx, conn)
	}
}

func (w *Worker) serve(ctx context.Context, conn net.Conn) {
	defer w.count(1)()
	err := wire.Serve(ctx, wire.Bytes(conn, conn), local{w.Handler(""), w})
	w.Log.Info("a connection has ended", "error", err)
}

// count counts a link until what it returns is called.
func (w *Worker) count(n int) func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.links += n
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.links -= n
	}
}

// local answers a connection of this machine, which may also come from a session's server.
type local struct {
	wire.Handler
	worker *Worker
}

func (l local) Stream(ctx context.Context, m wire.Method, body []byte, s wire.Stream) error {
	if m != methodConnect {
		return l.Handler.Stream(ctx, m, body, s)
	}
	t, err := l.worker.find(string(body))
	if err != nil {
		return err
	}
	return t.connect(ctx, s)
}

// Connect copies between a worker and two streams of bytes, one link: `ferrus worker --stdio`.
// Start starts the worker if there is none.
func Connect(socket string, in io.Reader, out io.Writer, start func() error) error {
	conn, err := dial(socket, start)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := io.WriteString(out, wire.Greeting); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(conn, in)
		_ = conn.CloseWrite()
	}()
	_, err = io.Copy(out, conn)
	return err
}

// dial connects to a worker, which is started if there is none.
func dial(socket string, start func() error) (*net.UnixConn, error) {
	address := &net.UnixAddr{Name: socket, Net: "unix"}
	conn, err := net.DialUnix("unix", nil, address)
	if err == nil {
		return conn, nil
	}
	if err := start(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if conn, err = net.DialUnix("unix", nil, address); err == nil {
			return conn, nil
		}
	}
	return nil, fmt.Errorf("reach the worker of this machine: %w", err)
}

// RelayTools is `ferrus worker tools`: the server of a session, as its host sees it. It copies
// between its streams and the worker.
func RelayTools(ctx context.Context, in io.Reader, out io.Writer) error {
	conn, err := net.Dial("unix", os.Getenv(SocketEnv))
	if err != nil {
		return fmt.Errorf("reach the worker of this session: %w", err)
	}
	l := wire.Dial(wire.Bytes(conn, conn))
	defer l.Close()
	s, err := l.Stream(ctx, methodConnect, []byte(os.Getenv(sessionEnv)))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_ = copyMessages(ctx, s, in)
		s.Close(nil)
		cancel()
	}()
	for {
		m, err := s.Receive(ctx)
		if err != nil {
			return nil //nolint:nilerr // either end has ended
		}
		if _, err := out.Write(m); err != nil {
			return err
		}
	}
}

// copyMessages sends what is read as soon as it is there.
func copyMessages(ctx context.Context, s wire.Stream, from io.Reader) error {
	buf := make([]byte, wire.MaxMessage)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if err := s.Send(ctx, buf[:n]); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}
