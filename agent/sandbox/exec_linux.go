package sandbox

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"ferrus/agent/loader"
	"ferrus/agent/proxy"
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
	if err := refuseFiles(); err != nil {
		return err
	}
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
	if err := dropCapabilities(); err != nil {
		return err
	}
	return finish(path, argv, append(loader.Restore(), s.Policy.Env...))
}

// refuseFiles refuses standard streams that are more inside than what they were given for: a directory leads to
// others, and a file that is to be read can be opened once more, to be written.
func refuseFiles() error {
	for fd := range 3 {
		var info unix.Stat_t
		if err := unix.Fstat(fd, &info); err != nil {
			continue
		}
		switch info.Mode & unix.S_IFMT {
		case unix.S_IFDIR:
			return fmt.Errorf("descriptor %d is a directory, which leads outside", fd)
		case unix.S_IFREG:
			return fmt.Errorf("descriptor %d is a file, which could be opened again for anything: use a pipe", fd)
		}
	}
	return nil
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
	mounts := p.mounts()
	held, err := p.held(mounts)
	if err == nil {
		s.Held, err = offerHeld(held)
	}
	if err != nil {
		return err
	}
	options := p.bubblewrapFlags(mounts)
	if unix.Geteuid() == 0 { // until the inner program has given them up
		options = append(options, "--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP")
	}
	program, err := privateProgram(s.Bwrap)
	if err != nil {
		return err
	}
	env := p.Env
	if s.startsEnv(argv) { // Otherwise this program starts once more inside, and restores them.
		options = append(options, setFlags(loader.Restore())...)
		options = append(options, setFlags(p.Env)...)
		env = slices.DeleteFunc(slices.Clone(env), loader.Changes)
	} else {
		env = loader.Hide(env)
	}
	flags, err := memoryFile([]byte(strings.Join(options, "\x00")))
	if err != nil {
		return err
	}
	var more []string
	if p.Network == Proxied {
		if s.Offer, err = proxy.Connect(p.Proxy); err != nil {
			return err
		}
		held, err := unix.Dup(s.Offer) // by the first process inside: its end tells the proxy
		if err != nil {
			return err
		}
		more = []string{"--sync-fd", fmt.Sprint(held)}
	}
	inner, err := s.inner(p, argv)
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	if s.ABI >= abiScopes {
		// Abstract sockets belong to the network. A signal to the process group reaches all of
		// it, also what a namespace of processes does not show.
		if err := landlockScopes(s.ABI); err != nil {
			return err
		}
	}
	signal.Ignore(passedOn...)
	args := slices.Concat([]string{"bwrap", "--args", fmt.Sprint(flags)}, more, []string{"--"}, inner)
	return finish(program, args, env)
}

// setFlags are the flags that have bubblewrap set variables inside that it must not be loaded with.
func setFlags(env []string) (flags []string) {
	for _, entry := range env {
		if name, value, ok := strings.Cut(entry, "="); ok && loader.Changes(entry) {
			flags = append(flags, "--setenv", name, value)
		}
	}
	return flags
}

// startsEnv reports whether env, which takes a millisecond, can be the first program inside.
func (s spec) startsEnv(argv []string) bool {
	known := s.Env != "" && unix.Geteuid() != 0 && s.Policy.Network != Proxied && s.Held == 0
	return known && !strings.Contains(argv[0], "=") && !strings.HasPrefix(argv[0], "-")
}

// inner returns what bubblewrap starts: env, or this program once more.
func (s spec) inner(p Policy, argv []string) ([]string, error) {
	if s.startsEnv(argv) {
		return append([]string{s.Env, defaultSignals}, argv...), nil
	}
	// Its command line is read by all users while the session runs. The variables are set by then.
	policy := Policy{Devices: p.Devices, Ports: p.Ports}
	return stageCommand(innerCommand, spec{Policy: policy, Offer: s.Offer, Held: s.Held}, argv)
}

// memoryFile returns a descriptor to read some bytes from, which the next program inherits.
func memoryFile(data []byte) (int, error) {
	fd, err := unix.MemfdCreate("bwrap", 0)
	if err != nil {
		return 0, fmt.Errorf("memfd_create: %w", err)
	}
	if _, err := unix.Write(fd, data); err != nil {
		return 0, err
	}
	_, err = unix.Seek(fd, 0, unix.SEEK_SET)
	return fd, err
}

// privateProgram returns the program to start in the place of one that belongs to this user: a
// copy in memory. The first process inside is bubblewrap, so /proc/1/exe is its file outside,
// whose mode and times the owner could change through it.
func privateProgram(path string) (string, error) {
	var info unix.Stat_t
	if err := unix.Stat(path, &info); err != nil || int(info.Uid) != unix.Geteuid() {
		return path, err
	}
	data, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(data, []byte(elf.ELFMAG)) { // a script is another program's to read
		return path, err
	}
	fd, err := memoryFile(data)
	if err != nil {
		return "", err
	}
	unix.CloseOnExec(fd)
	return fmt.Sprintf("/proc/self/fd/%d", fd), nil
}

// enter is the first program inside a namespace.
func enter(data string, argv []string) error {
	var s spec
	if err := json.Unmarshal([]byte(data), &s); err != nil {
		return err
	}
	if err := checkHeld(s.Held); err != nil {
		return err
	}
	if s.Offer != 0 {
		if err := proxy.Offer(s.Offer, s.Policy.Ports); err != nil {
			return err
		}
	}
	runtime.LockOSThread() // A thread gives up what it has, and the next program is started by this one.
	if unix.Geteuid() == 0 {
		if err := s.Policy.confineRoot(); err != nil {
			return err
		}
	}
	// The next program gets the default again of a signal that this one handles.
	signal.Notify(make(chan os.Signal, 1), passedOn...)
	path, err := lookPath(argv[0], loader.Restore())
	if err != nil {
		return err
	}
	return become(path, argv)
}

// newDevices are the files that bubblewrap binds into a new /dev.
var newDevices = []string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/console",
}

// confineRoot takes from root inside a namespace what files alone give it: devices are those
// outside, whose mode it could change, and in a namespace of its own it could mount the control
// groups.
func (p Policy) confineRoot() error {
	for _, path := range slices.Concat(newDevices, p.Devices) {
		// Reading and writing a device needs no writable mount. Linux before 5.12 has no such call.
		err := unix.MountSetattr(unix.AT_FDCWD, path, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
		if err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) {
			return fmt.Errorf("protect %s: %w", path, err)
		}
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if abi := landlockABI(); abi >= abiScopes {
		// The first process inside may still mount. A domain below its own cannot trace it.
		if err := landlockScopes(abi); err != nil {
			return err
		}
	}
	return refuseCalls(mountCalls)
}

// finish refuses system calls and becomes the program.
func finish(path string, argv, env []string) error {
	if err := setEnvironment(env); err != nil {
		return err
	}
	if err := limitCores(); err != nil {
		return err
	}
	if err := refuseCalls(refusedCalls); err != nil {
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
