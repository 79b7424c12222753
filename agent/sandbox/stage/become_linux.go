package stage

import (
	"errors"
	"io"
	"math"
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

// CloseInherited keeps from the next program what this one inherited, which would be a way out, and refuses
// standard streams that are more inside than what they were given for: a directory leads to others, and a file
// that is to be read can be opened once more, to be written.
func CloseInherited() error {
	const closeOnExec = 4
	_, _, _ = syscall.RawSyscall(numberCloseRange, 3, math.MaxUint32, closeOnExec) // Linux before 5.11 has none.
	for fd := range 3 {
		var info syscall.Stat_t
		if err := syscall.Fstat(fd, &info); err != nil {
			continue
		}
		name := "descriptor " + strconv.Itoa(fd)
		switch info.Mode & syscall.S_IFMT {
		case syscall.S_IFDIR:
			return errors.New(name + " is a directory, which leads outside")
		case syscall.S_IFREG:
			return errors.New(name + " is a file, which could be opened again for anything: use a pipe")
		}
	}
	return nil
}

// Finish refuses system calls and becomes the program.
func Finish(path string, argv, env []string, f Filter) error {
	if err := setEnvironment(env); err != nil {
		return err
	}
	if err := limitCores(); err != nil {
		return err
	}
	if err := f.install(); err != nil {
		return err
	}
	return become(path, argv)
}

func become(path string, argv []string) error {
	return wrap("start "+path, syscall.Exec(path, argv, os.Environ()))
}

// setEnvironment sets variables: of two with one name programs take either.
func setEnvironment(env []string) error {
	for _, entry := range env {
		name, value, _ := cut(entry, '=')
		if err := os.Setenv(name, value); err != nil {
			return wrap("set "+name, err)
		}
	}
	return nil
}

// LookPath finds a program by the PATH that it will have.
func LookPath(name string, env []string) (string, error) {
	if err := setEnvironment(env); err != nil {
		return "", err
	}
	if _, _, ok := cut(name, '/'); ok {
		return name, nil // execve says what is wrong with it
	}
	for _, dir := range split(os.Getenv("PATH"), ':') {
		if path := dir + "/" + name; dir[0] == '/' && executable(path) { // What is beside it is not started.
			return path, nil
		}
	}
	return "", errors.New(strconv.Quote(name) + " is not in any directory of PATH")
}

// executable reports whether this process could start a program.
func executable(path string) bool {
	var info syscall.Stat_t
	if syscall.Stat(path, &info) != nil || info.Mode&syscall.S_IFMT == syscall.S_IFDIR {
		return false
	}
	const start = 1
	return syscall.Access(path, start) == nil
}

// memoryFile returns a descriptor to read some bytes from, which the next program inherits.
func memoryFile(data []byte) (int, error) {
	name := [...]byte{'f', 'e', 'r', 'r', 'u', 's', 0}
	r, _, failed := syscall.RawSyscall(numberMemfdCreate, uintptr(unsafe.Pointer(&name)), 0, 0)
	if failed != 0 {
		return 0, wrap("make a file in memory", failed)
	}
	fd := int(r)
	for rest := data; len(rest) > 0; {
		n, err := syscall.Write(fd, rest)
		if err != nil {
			return 0, wrap("make a file in memory", err)
		}
		rest = rest[n:]
	}
	_, err := syscall.Seek(fd, 0, 0)
	return fd, err
}

// readAll reads a descriptor to its end, and closes it.
func readAll(fd int) ([]byte, error) {
	f := os.NewFile(uintptr(fd), "specification")
	defer f.Close()
	return io.ReadAll(f)
}

// privateProgram returns the program to start in the place of one that belongs to this user: a
// copy in memory. The first process inside is bubblewrap, so /proc/1/exe is its file outside,
// whose mode and times the owner could change through it.
func privateProgram(path string) (string, error) {
	var info syscall.Stat_t
	if err := syscall.Stat(path, &info); err != nil || int(info.Uid) != os.Geteuid() {
		return path, err
	}
	data, err := os.ReadFile(path)
	if err != nil || len(data) < 4 || string(data[:4]) != "\x7fELF" { // a script is another program's to read
		return path, err
	}
	fd, err := memoryFile(data)
	if err != nil {
		return "", err
	}
	syscall.CloseOnExec(fd)
	return "/proc/self/fd/" + strconv.Itoa(fd), nil
}

// limitCores keeps a crash inside from a program outside that handles crashes, if the system has one. To
// the kernel, a limit of one byte means that the handler itself crashed, and it does not start the
// handler for that.
func limitCores() error {
	if !HandlesCrashes() {
		return nil
	}
	err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{Cur: 1, Max: 1})
	if errors.Is(err, syscall.EPERM) {
		return nil // The limit is 0 already, and cannot be raised; the handler is started in spite of it.
	}
	if err != nil {
		return wrap("refuse a handler of crashes", err)
	}
	return nil
}

// HandlesCrashes reports whether the system has a program or a server that gets what a crashed program was, and not
// only a file beside it.
func HandlesCrashes() bool {
	pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
	return err == nil && len(pattern) > 0 && (pattern[0] == '|' || pattern[0] == '@')
}
