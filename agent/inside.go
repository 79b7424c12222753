package agent

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent/home"
	"ferrus/agent/paths"
)

// sharedSkills are your skills for more than one client.
var sharedSkills = home.Dir{Default: ".agents", Copy: []string{"skills"}}

// homed is an adapter that knows which files of your home its program needs.
type homed interface{ home() home.List }

// Home returns what an agent needs of your home, if its adapter knows.
func Home(a Adapter) home.List {
	if h, ok := a.(homed); ok {
		return h.home()
	}
	return home.List{}
}

// ProgramDirs returns what a program on your PATH needs to run: itself, its directory, and the
// package that it is a part of.
func ProgramDirs(path string) (all []string) {
	file, err := exec.LookPath(path)
	if err != nil {
		return nil
	}
	for _, link := range []func(string) (string, error){filepath.Abs, filepath.EvalSymlinks} {
		if at, err := link(file); err == nil {
			all = append(all, at)
			all = append(all, packageDirs(at)...)
		}
	}
	return all
}

// packageMarks are files at the top of a package, whose parts a script of it needs.
var packageMarks = []string{"package.json", "pyproject.toml", "pyvenv.cfg", "node_modules"}

// packageDepth is how far above a script the top of its package is looked for.
const packageDepth = 4

// packageDirs returns the directory of a program or script and the top of its package, without
// directories that hold more than programs: your home, what is hidden right below it, and
// directories that all programs share.
func packageDirs(file string) (dirs []string) {
	home, _ := os.UserHomeDir() // Without one nothing is below it.
	dir := filepath.Dir(file)
	if isShared(dir, home) {
		return nil
	}
	dirs = append(dirs, dir)
	if before, _, ok := strings.Cut(file, "/node_modules/"); ok {
		dirs = append(dirs, filepath.Join(before, "node_modules"))
	}
	for range packageDepth {
		for _, mark := range packageMarks {
			if _, err := os.Stat(filepath.Join(dir, mark)); err == nil {
				return append(dirs, dir)
			}
		}
		if dir = filepath.Dir(dir); isShared(dir, home) {
			break
		}
	}
	return dirs
}

// isShared reports whether a directory holds more than the files of one program.
func isShared(dir, home string) bool {
	shared := []string{"/", "/tmp", "/var/tmp", "/dev/shm", "/run", "/home", "/opt", "/srv", "/mnt"}
	hidden := filepath.Dir(dir) == home && strings.HasPrefix(filepath.Base(dir), ".")
	return slices.Contains(shared, dir) || home != "" && paths.Within(dir, home) || hidden
}
