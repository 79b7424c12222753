package proxy

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Port is where the proxy is on the loopback inside: above the ports that the kernel gives to
// programs by itself.
const Port = 61128

// offerTime is how long the handover of listeners may take.
const offerTime = 20 * time.Second

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
