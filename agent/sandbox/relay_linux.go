package sandbox

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// proxyAddress is where the relay listens on the loopback inside.
const proxyAddress = "127.0.0.1:3128"

// proxyVariables have programs use the proxy.
var proxyVariables = []string{
	"HTTP_PROXY=http://" + proxyAddress, "HTTPS_PROXY=http://" + proxyAddress, "ALL_PROXY=http://" + proxyAddress,
	"http_proxy=http://" + proxyAddress, "https_proxy=http://" + proxyAddress, "all_proxy=http://" + proxyAddress,
	"NO_PROXY=localhost,127.0.0.1,::1", "no_proxy=localhost,127.0.0.1,::1", "NODE_USE_ENV_PROXY=1",
}

func init() { commands[relayCommand] = relay }

// startRelay starts the relay inside, and returns when it listens.
func startRelay(p Policy) error {
	argv, err := stage(relayCommand, p, nil)
	if err != nil {
		return err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // A Ctrl-C is not for it.
	ready, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the relay: %w", err)
	}
	if _, err := bufio.NewReader(ready).ReadString('\n'); err != nil {
		return fmt.Errorf("the relay to the proxy did not start: %w", cmd.Wait())
	}
	return nil
}

// relay carries connections to the proxy's socket, and those to a port that the policy opens
// through the proxy to the same port outside. It ends with everything inside.
func relay(data string, _ []string) error {
	var p Policy
	if err := json.Unmarshal([]byte(data), &p); err != nil {
		return err
	}
	failed := make(chan error)
	serve := func(address string, dial func() (net.Conn, error)) error {
		l, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		go func() { failed <- acceptAll(l, dial) }()
		return nil
	}
	if err := serve(proxyAddress, dialProxy); err != nil {
		return err
	}
	for _, port := range p.Ports {
		target := net.JoinHostPort("localhost", strconv.Itoa(port))
		dial := func() (net.Conn, error) { return dialThrough(target) }
		if err := serve(strings.Replace(target, "localhost", "127.0.0.1", 1), dial); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	os.Stdout.Close()
	return <-failed
}

func acceptAll(l net.Listener, dial func() (net.Conn, error)) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			up, err := dial()
			if err != nil {
				return
			}
			defer up.Close()
			join(c, up)
		}()
	}
}

// join carries what each of two connections sends to the other, until both have ended.
func join(a, b net.Conn) {
	done := make(chan struct{})
	go func() { defer close(done); copyHalf(a, b) }()
	copyHalf(b, a)
	<-done
}

// copyHalf copies until one side ends, and has the other see that.
func copyHalf(to, from net.Conn) {
	_, _ = io.Copy(to, from) // However it ended, the other side sees the end.
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	} else {
		to.Close()
	}
}

func dialProxy() (net.Conn, error) { return net.Dial("unix", relaySocket) }

// dialThrough asks the proxy for a connection.
func dialThrough(target string) (net.Conn, error) {
	c, err := dialProxy()
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, target); err != nil {
		c.Close()
		return nil, err
	}
	r, err := http.ReadResponse(bufio.NewReaderSize(oneByte{c}, 16), nil)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("the proxy refused %s: %s", target, r.Status)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// oneByte reads single bytes, so that nothing after an answer is read.
type oneByte struct{ io.Reader }

// Read reads one byte.
func (o oneByte) Read(b []byte) (int, error) { return o.Reader.Read(b[:min(len(b), 1)]) }
