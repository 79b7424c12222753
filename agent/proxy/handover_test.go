package proxy

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

// TestListenersAreHandedOver offers listeners as the first program inside does.
func TestListenersAreHandedOver(t *testing.T) {
	s, hosts := web(t)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	dir, err := os.MkdirTemp("/tmp", "ferrus-proxy-") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	p := New(Rules{Ports: []string{port}})
	p.slots = make(chan struct{}, 1) // fewer than listeners
	defer p.Close()
	socket := filepath.Join(dir, "s")
	if err := p.Listen(socket); err != nil {
		t.Fatal(err)
	}
	var files []*os.File
	var addresses []string
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		f, err := l.(*net.TCPListener).File()
		if err != nil {
			t.Fatal(err)
		}
		files, addresses = append(files, f), append(addresses, l.Addr().String())
		l.Close()
	}
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	number := s.Listener.Addr().(*net.TCPAddr).Port
	if err := handOver(conn, files, fmt.Sprintf("[0,%d,%d]", number, number+1)); err != nil {
		t.Fatal(err)
	}
	request := "GET http://localhost:" + port + "/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	if out := talk(t, addresses[0], request); !strings.HasSuffix(out, "GET localhost:"+port+" ") {
		t.Errorf("by the proxy: %q", out)
	}
	request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	if out := talk(t, addresses[1], request); !strings.HasSuffix(out, "GET x ") {
		t.Errorf("by the port: %q", out)
	}
	if len(*hosts) != 2 {
		t.Errorf("asked for %q", *hosts)
	}
	conn.Close() // Everything inside has ended.
	for _, a := range addresses {
		for end := time.Now().Add(30 * time.Second); ; {
			c, err := net.Dial("tcp", a)
			if err != nil {
				break
			}
			c.Close()
			if time.Now().After(end) {
				t.Fatalf("%s is still served", a)
			}
		}
	}
}

// handOver sends listeners as a program inside does, and waits until the proxy has them.
// TestAPortIsServedAfterAFailedAccept has no descriptor for the first connection.
func TestAPortIsServedAfterAFailedAccept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Rules{})
		inside, outside := net.Pipe()
		l := &scriptedListener{errs: []error{syscall.EMFILE, nil, net.ErrClosed}, conn: outside}
		p.servePort(l, 80)
		if _, err := inside.Read(make([]byte, 1)); err != io.EOF { // The rules name no port.
			t.Errorf("the connection was left: %v, want EOF", err)
		}
		p.Close()
	})
}

// scriptedListener returns its errors in turn, and conn where there is none.
type scriptedListener struct {
	net.Listener
	errs []error
	conn net.Conn
}

func (l *scriptedListener) Accept() (net.Conn, error) {
	err := l.errs[0]
	l.errs = l.errs[1:]
	if err != nil {
		return nil, &net.OpError{Op: "accept", Err: err}
	}
	return l.conn, nil
}

func handOver(conn *net.UnixConn, files []*os.File, ports string) error {
	var fds []int
	for _, f := range files {
		defer f.Close()
		fds = append(fds, int(f.Fd()))
	}
	if _, _, err := conn.WriteMsgUnix([]byte(ports), unix.UnixRights(fds...), nil); err != nil {
		return err
	}
	_, err := conn.Read(make([]byte, 1))
	return err
}
