package stage

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// offerTime is how many seconds the handover of listeners may take.
const offerTime = 20

// dial connects to the socket of a proxy. The descriptor is inherited by the programs that
// this process becomes.
func dial(socket string) (int, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: socket})
	}
	if err != nil {
		return 0, wrap("connect to the proxy", err)
	}
	return fd, nil
}

// offer listens on the loopback, for the proxy and for services at some ports, and hands the
// listeners over by a descriptor of dial, which it closes. It listens in the network
// namespace of this process.
func offer(conn, proxyPort int, ports []int) error {
	defer syscall.Close(conn) //nolint:errcheck // an error would have been one of the handover
	var fds []int
	var offered []string
	add := func(fd, port int) { fds, offered = append(fds, fd), append(offered, strconv.Itoa(port)) }
	fd, err := listen(syscall.AF_INET, proxyPort)
	if err != nil {
		return wrap("listen for the proxy", err)
	}
	add(fd, 0)
	for _, port := range ports {
		fd, err := listen(syscall.AF_INET, port)
		if errors.Is(err, syscall.EACCES) { // below 1024; the other ports, and the program, do without it
			const cannot = " of your loopback cannot be opened inside\n"
			_, _ = os.Stderr.WriteString("ferrus: sandbox: port " + strconv.Itoa(port) + cannot) // it is a note
			continue
		}
		if err != nil {
			return wrap("listen at port "+strconv.Itoa(port), err)
		}
		add(fd, port)
		if fd, err := listen(syscall.AF_INET6, port); err == nil { // A machine may have no IPv6.
			add(fd, port)
		}
	}
	if err := handOver(conn, fds, "["+join(offered, ",")+"]"); err != nil {
		return wrap("pass the network to the proxy", err)
	}
	return nil
}

// listen listens on the loopback of one family.
func listen(family, port int) (int, error) {
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	if family == syscall.AF_INET6 {
		err = errors.Join(err, syscall.SetsockoptInt(fd, syscall.IPPROTO_IPV6, syscall.IPV6_V6ONLY, 1))
	}
	var at syscall.Sockaddr = &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
	if family == syscall.AF_INET6 {
		at = &syscall.SockaddrInet6{Port: port, Addr: [16]byte{15: 1}}
	}
	if err == nil {
		err = syscall.Bind(fd, at)
	}
	if err == nil {
		err = syscall.Listen(fd, 4096)
	}
	if err != nil {
		syscall.Close(fd) //nolint:errcheck // it is not used
	}
	return fd, err
}

// handOver sends listeners and waits until the proxy has them.
func handOver(conn int, fds []int, ports string) error {
	limit := syscall.Timeval{Sec: offerTime}
	for _, way := range []int{syscall.SO_SNDTIMEO, syscall.SO_RCVTIMEO} {
		if err := syscall.SetsockoptTimeval(conn, syscall.SOL_SOCKET, way, &limit); err != nil {
			return err
		}
	}
	if err := syscall.Sendmsg(conn, []byte(ports), syscall.UnixRights(fds...), nil, 0); err != nil {
		return err
	}
	for _, fd := range fds {
		syscall.Close(fd) //nolint:errcheck // the proxy has it
	}
	for {
		n, err := syscall.Read(conn, make([]byte, 1))
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return err
		case n == 0:
			return errors.New("the proxy has ended")
		default:
			return nil
		}
	}
}
