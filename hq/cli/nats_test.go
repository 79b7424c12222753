package cli

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	nats "github.com/nats-io/nats-server/v2/server"
	"github.com/rogpeppe/go-internal/testscript"
)

// playNATS runs a NATS server in its own process, which can be killed and stopped.
func playNATS(host, port string) int {
	n, err := strconv.Atoi(port)
	if err != nil {
		return 2
	}
	s, err := nats.NewServer(&nats.Options{Host: host, Port: n, NoSigs: true, NoLog: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s.Start()
	s.WaitForShutdown()
	return 1
}

// natsServer starts a NATS server and sets a variable to its URL: natsserver URL. If the variable
// already has one, that server is stopped and started again.
func natsServer(ts *testscript.TestScript, neg bool, args []string) {
	o := &nats.Options{Host: "127.0.0.1", NoSigs: true, NoLog: true}
	if old, running := natsServers.LoadAndDelete(ts.Getenv(args[0])); running {
		s := old.(*nats.Server)
		o.Port = s.Addr().(*net.TCPAddr).Port
		s.Shutdown()
		s.WaitForShutdown()
	} else {
		o.Port = serverPort(ts)
	}
	s := restartNATS(ts, o)
	ts.Defer(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	natsServers.Store(s.ClientURL(), s)
	ts.Setenv(args[0], s.ClientURL())
}

var (
	natsServers sync.Map     // of *nats.Server, by URL
	serverPorts atomic.Int64 // that were tried
)

// serverPort returns a free TCP port that the system gives to no outgoing connection, and ferrus to
// no task. Otherwise a client that reconnects while its server is down could get the server's port,
// connect to itself and keep the port. No port is returned twice: the server that had it may be about
// to start again.
func serverPort(ts *testscript.TestScript) int {
	const lowest, count = 10_000, 10_000 // tasks get ports from 20000 on, connections from 32768 on, or more
	for range count {
		port := lowest + (os.Getpid()+int(serverPorts.Add(1)))%count
		if l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			_ = l.Close() // nothing was written
			return port
		}
	}
	ts.Fatalf("no port from %d to %d is free", lowest, lowest+count-1)
	return 0
}

// restartNATS starts a NATS server, also where one was. A process that another script has started shares the listening
// socket of an earlier server until it executes its program, so the port can be taken for a moment.
func restartNATS(ts *testscript.TestScript, o *nats.Options) *nats.Server {
	for range 20 {
		s, err := nats.NewServer(o.Clone())
		ts.Check(err)
		if s.Start(); s.ReadyForConnections(time.Second) {
			return s
		}
		s.Shutdown()
		s.WaitForShutdown()
	}
	ts.Fatalf("the NATS server did not start")
	return nil
}
