package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// kernelFiles are what may forbid namespaces, or change what is inside. Some systems have only a part of them.
var kernelFiles = []string{
	"/proc/sys/kernel/random/boot_id", "/proc/self/mountinfo", "/proc/self/attr/current",
	"/proc/sys/user/max_user_namespaces", "/proc/sys/user/max_mnt_namespaces", "/proc/sys/user/max_pid_namespaces",
	"/proc/sys/user/max_net_namespaces", "/proc/sys/kernel/unprivileged_userns_clone",
	"/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
	"/proc/sys/kernel/apparmor_restrict_unprivileged_unconfined",
}

// statusLines are the lines of /proc/self/status that say what this process may do.
var statusLines = []string{"Uid:", "Gid:", "Groups:", "Cap", "NoNewPrivs:", "Seccomp"}

// namespaces are the kinds of which the walls are made.
var namespaces = []string{"cgroup", "ipc", "mnt", "net", "pid", "user", "uts"}

// systemState returns a hash of all that decides whether walls hold: the system as it runs, what this process may do,
// and the programs that make the walls.
func systemState(w Walls) (hash string, ok bool) {
	sum := sha256.New()
	for _, name := range kernelFiles {
		data, err := os.ReadFile(name)
		fmt.Fprintf(sum, "%s %q %t\n", name, data, err == nil)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(status)) {
		if slices.ContainsFunc(statusLines, func(begin string) bool { return strings.HasPrefix(line, begin) }) {
			fmt.Fprintln(sum, line)
		}
	}
	for _, name := range namespaces {
		to, err := os.Readlink("/proc/self/ns/" + name)
		fmt.Fprintln(sum, name, to, err == nil)
	}
	for _, program := range []string{"/proc/self/exe", w.Bwrap, w.Env} {
		var stat unix.Stat_t
		if err := unix.Stat(program, &stat); err != nil && program != "" {
			return "", false
		}
		fmt.Fprintln(sum, program, stat.Dev, stat.Ino, stat.Mode, stat.Size, stat.Mtim, stat.Ctim)
	}
	return hex.EncodeToString(sum.Sum(nil)), true
}
