package host

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// socketGrace is the age below which a socket without a listener stays, and so does an empty
// directory: its host may be about to listen.
const socketGrace = time.Minute

// Sweep removes what killed hosts of all projects left behind, and returns how many
// sockets that were.
func Sweep() (sockets int) {
	all := socketDirs("")[0]
	if checkPrivate(all) != nil {
		return 0
	}
	projects, err := os.ReadDir(all)
	if err != nil {
		return 0
	}
	for _, p := range projects {
		dir := filepath.Join(all, p.Name())
		info, err := p.Info() // before the sweep changes it
		if err != nil || checkPrivate(dir) != nil {
			continue
		}
		sockets += sweep(dir)
		if time.Since(info.ModTime()) >= socketGrace {
			_ = syscall.Rmdir(dir) // one in use stays
		}
	}
	return sockets
}

// sweep removes the dead sockets of one project.
func sweep(dir string) (sockets int) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	for _, n := range names {
		info, err := n.Info()
		if err != nil || info.Mode().Type() != os.ModeSocket || time.Since(info.ModTime()) < socketGrace {
			continue
		}
		if (strings.HasSuffix(n.Name(), ".sock") || n.Name() == doorName) && removeDead(filepath.Join(dir, n.Name())) {
			sockets++
		}
	}
	return sockets
}
