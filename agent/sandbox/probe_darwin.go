package sandbox

import (
	"context"
	"os"
)

// required are the walls that [Require] demands.
const required = Seatbelt

// notHere are findings that this system cannot have: it has neither such sockets nor a filter of system calls.
var notHere = []string{findAbstract, findVsock, findCalls}

func abstract(base, _ string) string { return base + "/a" }

// tryKernel tries what only the program inside sees.
func (r *report) tryKernel() {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		r.Terminal = err.Error()
		return
	}
	master.Close()
}

func probeNamespace(context.Context, Network) (Walls, error) {
	return Walls{}, &Error{"use a sandbox", "macOS has no namespaces; its own walls are experimental"}
}

// probeSecond tries the walls of macOS.
func probeSecond(ctx context.Context) (Walls, error) {
	w := Walls{Kind: Seatbelt, Network: Open}
	if !exists(seatbeltProgram) {
		return w, &Error{"use " + seatbeltProgram, "it is not installed"}
	}
	var err error
	if w.Findings, err = w.probe(ctx); err != nil {
		return w, err
	}
	return w, failures(w.Findings)
}
