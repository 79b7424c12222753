package sandbox

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func init() {
	commands[execCommand] = buildWalls
	commands[innerCommand] = enter
}

// passedOn are the signals that bubblewrap, outside, ignores: an end of the process group and
// a Ctrl-C are for the program inside, which ends on its own terms.
var passedOn = []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM}

// buildWalls replaces this process by the program inside, or by bubblewrap.
func buildWalls(data string, argv []string) error {
	var s spec
	if err := json.Unmarshal([]byte(data), &s); err != nil {
		return err
	}
	// What this process inherited would be a way out.
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // Linux before 5.11 has none.
	if s.Kind == Namespace {
		return s.bubblewrap(argv)
	}
	if s.Policy.Dir != "" {
		if err := os.Chdir(s.Policy.Dir); err != nil {
			return err
		}
	}
	runtime.LockOSThread() // The walls are those of a thread until the program is another.
	path, err := lookPath(argv[0], s.Policy.Env)
	if err != nil {
		return err
	}
	if err := s.Policy.landlock(s.ABI); err != nil {
		return err
	}
	return finish(path, argv, s.Policy.Env)
}

// defaultSignals has env undo what bubblewrap inherits.
const defaultSignals = "--default-signal=HUP,INT,QUIT,TERM"

// bubblewrap starts bubblewrap. What is inside is walled in before: bubblewrap needs none of
// the refused calls.
func (s spec) bubblewrap(argv []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p := s.Policy.hasWorkingDirectory()
	p.Mounts = append(p.Mounts, Mount{From: self, To: self})
	flags, err := memoryFile(strings.Join(p.bubblewrapFlags(), "\x00"))
	if err != nil {
		return err
	}
	inner, err := s.inner(p, argv)
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	if p.Network == Open && s.ABI >= abiScopes {
		if err := landlockScopes(s.ABI); err != nil { // Abstract sockets belong to the network.
			return err
		}
	}
	signal.Ignore(passedOn...)
	return finish(s.Bwrap, append([]string{"bwrap", "--args", fmt.Sprint(flags), "--"}, inner...), p.Env)
}

// inner returns what bubblewrap starts: env, which takes a millisecond, or this program once
// more.
func (s spec) inner(p Policy, argv []string) ([]string, error) {
	if s.Env != "" && !strings.Contains(argv[0], "=") && !strings.HasPrefix(argv[0], "-") {
		return append([]string{s.Env, defaultSignals}, argv...), nil
	}
	return stage(innerCommand, spec{Policy: Policy{Env: p.Env}}, argv)
}

// memoryFile returns a descriptor to read a text from, which the next program inherits.
func memoryFile(text string) (int, error) {
	fd, err := unix.MemfdCreate("bwrap", 0)
	if err != nil {
		return 0, fmt.Errorf("memfd_create: %w", err)
	}
	if _, err := unix.Write(fd, []byte(text)); err != nil {
		return 0, err
	}
	_, err = unix.Seek(fd, 0, unix.SEEK_SET)
	return fd, err
}

// enter is the first program inside of a namespace.
func enter(data string, argv []string) error {
	var s spec
	if err := json.Unmarshal([]byte(data), &s); err != nil {
		return err
	}
	// The next program gets the default again of a signal that this one handles.
	signal.Notify(make(chan os.Signal, 1), passedOn...)
	path, err := lookPath(argv[0], s.Policy.Env)
	if err != nil {
		return err
	}
	return become(path, argv)
}

// finish refuses system calls and becomes the program.
func finish(path string, argv, env []string) error {
	if err := setEnvironment(env); err != nil {
		return err
	}
	if err := refuseCalls(); err != nil {
		return err
	}
	return become(path, argv)
}

func become(path string, argv []string) error {
	return fmt.Errorf("start %s: %w", path, syscall.Exec(path, argv, os.Environ()))
}

// setEnvironment sets variables: of two with one name programs take either.
func setEnvironment(env []string) error {
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		if err := os.Setenv(name, value); err != nil {
			return fmt.Errorf("set %s: %w", name, err)
		}
	}
	return nil
}

// lookPath finds a program by the PATH that it will have.
func lookPath(name string, env []string) (string, error) {
	if err := setEnvironment(env); err != nil {
		return "", err
	}
	return exec.LookPath(name)
}
