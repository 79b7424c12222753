package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"ferrus/agent/proxy"
	"golang.org/x/sys/unix"
)

// connects dials one of the listeners outside.
func connects(network, name string) func(*outside) error {
	return func(w *outside) error {
		c, err := net.DialTimeout(network, w.Addresses[name], 5*time.Second)
		if err != nil {
			return err
		}
		defer c.Close()
		if network == "unixgram" {
			return ignoring(c.Write([]byte("forged")))
		}
		if network == "udp4" { // It is answered, or the kernel says that there is no such port.
			if _, err := c.Write([]byte("forged")); err != nil {
				return err
			}
			return errors.Join(c.SetReadDeadline(time.Now().Add(20*time.Second)), ignoring(c.Read(make([]byte, 1))))
		}
		return ignoring(c.Read(make([]byte, 1)))
	}
}

// bindsPort takes a port that a program outside has, which only another network has free.
func bindsPort(w *outside) error {
	l, err := net.Listen("tcp4", w.Addresses["tcp4"])
	if err == nil {
		l.Close()
		return errors.New("the port is free: it is another loopback")
	}
	return nil
}

// asksProxy asks the proxy for a connection; %s is the port of a listener that is refused, %a of one
// that is named.
func asksProxy(target string) func(*outside) error {
	return func(w *outside) error {
		_, refused, _ := net.SplitHostPort(w.Addresses["refused"])
		_, named, _ := net.SplitHostPort(w.Addresses["allowed"])
		target := strings.NewReplacer("%s", refused, "%a", named).Replace(target)
		return throughProxy("CONNECT " + target + " HTTP/1.1\r\nHost: example.com:443\r\n\r\n")
	}
}

// throughProxy says all to the proxy, and that it worked if the last answer says so.
func throughProxy(text string) error {
	c, err := net.DialTimeout("tcp4", "127.0.0.1:"+strconv.Itoa(proxy.Port), 5*time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		return err
	}
	if _, err := io.WriteString(c, text); err != nil {
		return err
	}
	answer, err := io.ReadAll(c)
	last := bytes.LastIndex(answer, []byte("HTTP/1.1 "))
	if last < 0 || !bytes.HasPrefix(answer[last:], []byte("HTTP/1.1 200")) {
		return fmt.Errorf("%.200s (%w)", answer, errors.Join(err, unix.EACCES))
	}
	return nil
}

// smuggles hides a request in the body of one that two programs could find an end of.
func smuggles(w *outside) error {
	allowed, refused := w.Addresses["allowed"], w.Addresses["refused"]
	hidden := "GET http://" + refused + "/ HTTP/1.1\r\nHost: " + refused + "\r\nConnection: close\r\n\r\n"
	return throughProxy("POST http://" + allowed + "/ HTTP/1.1\r\nHost: " + refused + "\r\nContent-Length: " +
		strconv.Itoa(len(hidden)+5) + "\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden)
}

// asksNameServer sends a question to where the resolver's file says, or to a public server.
func asksNameServer(*outside) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	r := net.Resolver{PreferGo: true}
	return ignoring(r.LookupHost(ctx, "example.com"))
}

func sendsEcho(*outside) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Sendto(fd, []byte{8, 0, 0, 0, 0, 0, 0, 1}, 0, &unix.SockaddrInet4{Addr: [4]byte{192, 0, 2, 1}})
}

// connectsOut only asks the kernel for a way: nothing is sent.
func connectsOut(*outside) error {
	c, err := net.DialTimeout("udp4", "192.0.2.1:53", 5*time.Second)
	if err == nil {
		c.Close()
	}
	return err
}

func listsSockets(w *outside) error {
	data, err := os.ReadFile("/proc/self/net/unix")
	if err == nil && !bytes.Contains(data, []byte(w.Addresses["bus"])) {
		err = errors.New("it is not in the list")
	}
	return err
}

func sockets(family, kind int) func(*outside) error {
	return func(*outside) error {
		fd, err := unix.Socket(family, kind, 0)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}
}
