package stage

import (
	"os"
	"strconv"
	"syscall"
	"time"
)

// groupTrees are where control groups of version 2 are, which a system may have given to you.
var groupTrees = []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}

// groupPrefix is how the names of the control groups start that leaveGroup makes.
const groupPrefix = "ferrus-"

// mostRemoved is how many old control groups one start removes: programs inside can make any number.
const mostRemoved = 256

// leaveGroup moves this process into a control group of its own if you may write the present one, as systemd has
// it for the programs of a desktop. A program inside can mount the control groups below its own one, in a namespace
// that it makes, and freeze or end everything there. As root it can make no mount.
func leaveGroup() error {
	group := ownGroup()
	if group == "" || os.Geteuid() == 0 || !isYours(group) {
		return nil
	}
	left := mostRemoved
	removeGroups(group, groupPrefix, &left)
	var err error
	for range 3 { // Another start may remove it while it is empty.
		name := strconv.FormatInt(time.Now().UnixNano(), 36) + "-" + strconv.Itoa(os.Getpid())
		own := group + "/" + groupPrefix + name
		if err = syscall.Mkdir(own, 0o755); err != nil {
			break
		}
		if err = os.WriteFile(own+"/cgroup.procs", []byte("0"), 0); err == nil {
			return nil
		}
		_ = syscall.Rmdir(own)
	}
	return wrap("move to a control group without your programs", err)
}

// ownGroup returns the directory of this process's control group; empty: it is not to be seen here.
func ownGroup() string {
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	const version2 = "0::"
	for _, line := range split(string(data), '\n') {
		if len(line) <= len(version2) || line[:len(version2)] != version2 {
			continue
		}
		for _, top := range groupTrees {
			var of syscall.Statfs_t
			const magic = 0x63677270
			group := top + line[len(version2):]
			if err := syscall.Statfs(group, &of); err == nil && of.Type == magic {
				return group
			}
		}
	}
	return ""
}

// isYours reports whether you may write a control group.
func isYours(group string) bool {
	const writing = 2
	for _, name := range []string{"", "/cgroup.procs", "/cgroup.freeze", "/cgroup.kill"} {
		if syscall.Access(group+name, writing) == nil {
			return true
		}
	}
	return false
}

// removeGroups removes the control groups below one in which nothing is, and what programs inside made in them.
func removeGroups(group, prefix string, left *int) {
	entries, _ := os.ReadDir(group) // without them, they stay
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() || len(name) < len(prefix) || name[:len(prefix)] != prefix || *left == 0 {
			continue
		}
		*left--
		if dir := group + "/" + name; syscall.Rmdir(dir) != nil {
			removeGroups(dir, "", left)
			_ = syscall.Rmdir(dir) // one in which something runs stays
		}
	}
}
