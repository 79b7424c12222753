package door

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// The first line of a door is one of these.
const (
	admitted = "ferrus door 1: open\n"
	refused  = "ferrus door 1: refused: "
)

// longestWhy bounds a reason in bytes, and refuseTime how long it may wait to be read.
const (
	longestWhy = 1 << 10
	refuseTime = time.Second
)

// refuse tells a peer why it is refused.
func refuse(conn *net.UnixConn, why error) {
	text := strings.ReplaceAll(why.Error(), "\n", " ")
	if conn.SetWriteDeadline(time.Now().Add(refuseTime)) == nil {
		_, _ = io.WriteString(conn, refused+text[:min(len(text), longestWhy)]+"\n") // one that has gone reads nothing
	}
	conn.Close() //nolint:errcheck // nothing else is done with it
}

// Relay connects the standard streams of a client to its door until the server ends. The ends
// of the input and of ctx end the server once it has answered.
func Relay(ctx context.Context, socket string, in io.Reader, out io.Writer) error {
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return fmt.Errorf("reach ferrus outside the sandbox: %w", err)
	}
	defer conn.Close()
	from := bufio.NewReaderSize(conn, 64<<10)
	first, err := from.ReadString('\n')
	switch {
	case strings.HasPrefix(first, refused):
		return errors.New("ferrus refused this connection: " + strings.TrimSpace(strings.TrimPrefix(first, refused)))
	case first != admitted:
		return errors.Join(errors.New("reach ferrus outside the sandbox: it does not answer"), err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.CloseWrite() })
	defer stop()
	go func() {
		_, _ = io.Copy(conn, in)
		_ = conn.CloseWrite() // the server ends, which ends this
	}()
	if _, err := io.Copy(out, from); err != nil {
		return fmt.Errorf("relay to ferrus outside the sandbox: %w", err)
	}
	return nil
}
