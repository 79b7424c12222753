package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"

	"ferrus/agent/sandbox/stage"
)

// required are the walls that [Require] demands.
const required = Namespace

// notHere are findings that this system cannot have.
var notHere []string

// abstract returns the address of a socket that has no file.
func abstract(_, secret string) string { return "@ferrus-probe-" + secret }

// probeNamespace tries bubblewrap.
func probeNamespace(ctx context.Context, network Network) (Walls, error) {
	w, err := namespaceWalls(network, false)
	if err != nil {
		return Walls{}, err
	}
	w.Env = findEnv(ctx)
	w.Findings, err = w.probe(ctx)
	if err == nil {
		var cannot []string
		if w.Network == Open && w.ABI < abiScopes {
			cannot = append(cannot, findAbstract)
		}
		err = failures(w.Findings, cannot...)
	}
	return w, err
}

// probeSecond tries Landlock, the second best walls.
func probeSecond(ctx context.Context) (Walls, error) {
	w := Walls{Kind: Landlock, Network: Open, ABI: landlockABI()}
	if w.ABI < abiLeast {
		return w, &Error{"use Landlock", fmt.Sprintf("the kernel has ABI %d, and %d is needed", w.ABI, abiLeast)}
	}
	var err error
	if w.Findings, err = w.probe(ctx); err != nil {
		return w, err
	}
	cannot := []string{findRename, findParent}
	if w.ABI < abiSockets {
		cannot = append(cannot, findSocket)
	}
	if w.ABI < abiScopes {
		cannot = append(cannot, findSignal, findAbstract)
	}
	return w, failures(w.Findings, cannot...)
}

// bubblewraps are where bubblewrap is installed. A program that PATH names may be one that
// an agent wrote.
var bubblewraps = []string{"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"}

func findBubblewrap() (string, error) {
	for _, path := range bubblewraps {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", &Error{"use bubblewrap", "it is not installed"}
}

// namespaceWalls returns namespace walls without trying them. Signals says that env can reset ignored signals.
func namespaceWalls(network Network, signals bool) (Walls, error) {
	path, err := findBubblewrap()
	w := Walls{Kind: Namespace, Network: network, Bwrap: path, ABI: landlockABI()}
	if signals {
		w.Env = env
	}
	return w, err
}

// env is the program that starts others with the signals that they expect.
const env = "/usr/bin/env"

// findEnv returns env if it can reset ignored signals, as GNU's does.
func findEnv(ctx context.Context) string {
	if exec.CommandContext(ctx, env, stage.DefaultSignals, env, "true").Run() != nil {
		return ""
	}
	return env
}

// tryKernel tries what only the program inside sees.
func (r *report) tryKernel() {
	r.Vsock = reason(unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0))
	r.Calls = reason(unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false))
	if err := makeTerminal(); err != nil {
		r.Terminal = err.Error()
	}
}

func reason(_ int, err error) string {
	if err == nil {
		return "it worked"
	}
	return err.Error()
}

// makeTerminal makes a terminal and opens it.
func makeTerminal() error {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	defer master.Close()
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return err
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return err
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	return slave.Close()
}
