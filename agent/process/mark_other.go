//go:build unix && !linux

package process

import (
	"os/exec"
	"strconv"
	"strings"
)

// MarkSession does nothing: these systems have no mark that a process cannot remove.
func MarkSession() error { return nil }

// MarkStarted does nothing, see [MarkSession].
func MarkStarted(int) error { return nil }

// Depth returns 0: there is no mark, see [MarkSession].
func Depth(int) (uint64, error) { return 0, nil }

// AdoptOrphans does nothing: orphans belong to the first process of the system.
func AdoptOrphans() error { return nil }

// AdoptsOrphans reports false, see [AdoptOrphans].
func AdoptsOrphans() bool { return false }

// EndOrphans does nothing, see [AdoptOrphans].
func EndOrphans() error { return nil }

// ReapOrphans does nothing, see [AdoptOrphans].
func ReapOrphans(int) {}

// Protect does nothing: only programs that Apple signs are protected.
func Protect() {}

// NamespacesOf returns none.
func NamespacesOf(int) (Namespaces, error) { return Namespaces{}, nil }

// Terminal returns the controlling terminal of a process; empty: it has none.
func Terminal(pid int) (string, error) {
	out, err := exec.Command("/bin/ps", "-o", "tty=", "-p", strconv.Itoa(pid)).Output()
	name := strings.TrimSpace(string(out))
	if strings.Trim(name, "?-") == "" {
		return "", err
	}
	return name, err
}

// MountedBelow returns nothing: mounting takes privilege.
func MountedBelow(string) (string, error) { return "", nil }
