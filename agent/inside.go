package agent

import (
	"os/exec"
	"path/filepath"
	"strings"

	"ferrus/agent/home"
)

// homed is an adapter that knows which files of your home its program needs.
type homed interface{ home() home.List }

// Home returns what an agent needs of your home, if its adapter knows.
func Home(a Adapter) home.List {
	if h, ok := a.(homed); ok {
		return h.home()
	}
	return home.List{}
}

// ProgramDirs returns the directories that a program on your PATH needs to be run: where it is,
// and the package that it is a part of.
func ProgramDirs(path string) (dirs []string) {
	file, err := exec.LookPath(path)
	if err != nil {
		return nil
	}
	for _, link := range []func(string) (string, error){filepath.Abs, filepath.EvalSymlinks} {
		at, err := link(file)
		if err != nil {
			continue
		}
		if before, _, ok := strings.Cut(at, "/node_modules/"); ok {
			dirs = append(dirs, filepath.Join(before, "node_modules"))
		}
		dirs = append(dirs, filepath.Dir(at))
	}
	return dirs
}
