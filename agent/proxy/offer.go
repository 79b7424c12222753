package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Port is where the proxy is on the loopback inside: above the ports that the kernel gives to
// programs by itself.
const Port = 61128

// offerTime is how long the handover of listeners may take.
const offerTime = 20 * time.Second

// Connect connects to the socket of a proxy. The descriptor is inherited by the programs that
// this process becomes.
func Connect(socket string) (int, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		err = unix.Connect(fd, &unix.SockaddrUnix{Name: socket})
	}
	if err != nil {
		return 0, fmt.Errorf("connect to the proxy: %w", err)
	}
	return fd, nil
}

// Offer listens on the loopback, for the proxy and for services at some ports, and hands the
// listeners over by a descriptor of [Connect], which it closes. The network is the one that
// this process is in.
func Offer(fd int, ports []int) error {
	conn, err := fileConn(fd)
	if err != nil {
		return err
	}
	defer conn.Close()
	var files []*os.File
	var offered []int
	listen := func(network string, at, port int) error {
		l, err := net.Listen(network, net.JoinHostPort(map[string]string{"tcp4": "127.0.0.1", "tcp6": "::1"}[network],
			strconv.Itoa(at)))
		if err != nil {
			return err
		}
		defer l.Close()
		f, err := l.(*net.TCPListener).File() //nolint:forcetypeassert // of a tcp network
		if err == nil {
			files, offered = append(files, f), append(offered, port)
		}
		return err
	}
	if err := listen("tcp4", Port, 0); err != nil {
		return fmt.Errorf("listen for the proxy: %w", err)
	}
	for _, port := range ports {
		err := listen("tcp4", port, port)
		if errors.Is(err, unix.EACCES) { // below 1024; the other ports, and the program, do without it
			fmt.Fprintf(os.Stderr, "ferrus: sandbox: port %d of your loopback cannot be opened inside\n", port)
			continue
		}
		if err != nil {
			return fmt.Errorf("listen at port %d: %w", port, err)
		}
		_ = listen("tcp6", port, port) // A machine may have no IPv6.
	}
	return handOver(conn, files, offered)
}

func fileConn(fd int) (*net.UnixConn, error) {
	f := os.NewFile(uintptr(fd), "proxy")
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, fmt.Errorf("pass the network to the proxy: %w", err)
	}
	return c.(*net.UnixConn), nil //nolint:forcetypeassert // Connect made it.
}

// handOver sends listeners and waits until the proxy has them.
func handOver(conn *net.UnixConn, files []*os.File, offered []int) error {
	var fds []int
	for _, f := range files {
		defer f.Close()
		fds = append(fds, int(f.Fd()))
	}
	data, err := json.Marshal(offered)
	if err == nil {
		err = conn.SetDeadline(time.Now().Add(offerTime))
	}
	if err == nil {
		_, _, err = conn.WriteMsgUnix(data, unix.UnixRights(fds...), nil)
	}
	if err == nil {
		_, err = conn.Read(make([]byte, 1))
	}
	if err != nil {
		return fmt.Errorf("pass the network to the proxy: %w", err)
	}
	return nil
}

// receive returns the listeners of an offer, and the port that each is for; 0: the proxy.
func receive(conn *net.UnixConn) (listeners []net.Listener, ports []int, err error) {
	if err := conn.SetDeadline(time.Now().Add(offerTime)); err != nil {
		return nil, nil, err
	}
	data, rights := make([]byte, 4096), make([]byte, unix.CmsgSpace(4*(2*maxPorts+1)))
	n, oobn, _, _, err := conn.ReadMsgUnix(data, rights)
	if err != nil {
		return nil, nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:oobn])
	if err != nil {
		return nil, nil, err
	}
	for _, m := range messages {
		fds, failed := unix.ParseUnixRights(&m)
		if failed != nil {
			err = failed
		}
		for _, fd := range fds {
			f := os.NewFile(uintptr(fd), "offered")
			l, failed := net.FileListener(f)
			f.Close()
			if failed != nil {
				err = failed
				continue
			}
			listeners = append(listeners, l)
		}
	}
	if err == nil {
		err = json.Unmarshal(data[:n], &ports)
	}
	if err == nil && len(ports) != len(listeners) {
		err = fmt.Errorf("%d ports for %d listeners", len(ports), len(listeners))
	}
	return listeners, ports, err
}
