package stage

import (
	"errors"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"ferrus/agent/loader"
)

// Failed is the exit code of a command whose walls could not be built, as env and chroot
// have it.
const Failed = 125

// init is what this program does instead of all else, if its arguments are of [Spec.Command].
func init() {
	if len(os.Args) < 5 || os.Args[3] != "--" {
		return
	}
	var err error
	switch os.Args[1] {
	case Outer:
		err = outer(os.Args[2], os.Args[4:])
	case Inner:
		err = inner(os.Args[2], os.Args[4:])
	default:
		return
	}
	_, _ = os.Stderr.WriteString("ferrus: sandbox: " + err.Error() + "\n") // there is no one else to tell
	os.Exit(Failed)
}

// Command returns the command line that starts argv behind the walls.
func (s Spec) Command(program string, argv []string) []string {
	return append([]string{program, Outer, s.String(), "--"}, argv...)
}

// passedOn are the signals that bubblewrap, outside, ignores: an end of the process group and
// a Ctrl-C are for the program inside, which ends on its own terms.
var passedOn = []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM}

// DefaultSignals is the option of env that resets the signals that bubblewrap inherits.
const DefaultSignals = "--default-signal=HUP,INT,QUIT,TERM"

// outer starts bubblewrap. What is inside is walled in before: bubblewrap needs none of
// the refused calls.
func outer(text string, argv []string) error {
	s, err := parse(text)
	if err == nil {
		err = CloseInherited()
	}
	if err != nil {
		return err
	}
	for i := range s.Held {
		if err := s.Held[i].identify(); err != nil {
			return err
		}
	}
	program, err := privateProgram(s.Bwrap)
	if err == nil {
		err = leaveGroup()
	}
	if err != nil {
		return err
	}
	args := []string{"bwrap"}
	if s.Proxy != "" {
		more, err := s.connect()
		if err != nil {
			return err
		}
		args = append(args, more...)
	}
	flags, env := append(s.Flags, s.workingDirectory()...), s.Set
	switch {
	case s.Root != nil && os.Geteuid() == 0: // until the inner program has given them up
		flags = append(flags, "--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP")
	case s.Root != nil: // Root made the specification, and has another user start it.
		flags, s.Root = append(flags, s.Root.flags()...), nil
	}
	var start []string
	if s.Env != "" { // Otherwise this program starts once more inside, and restores them.
		flags = append(flags, setFlags(loader.Restore())...)
		flags = append(flags, setFlags(env)...)
		env = slices.DeleteFunc(slices.Clone(env), loader.Changes)
		start = []string{s.Env, DefaultSignals}
	} else {
		env = loader.Hide(env)
		if start, err = s.inner(); err != nil {
			return err
		}
	}
	options, err := memoryFile([]byte(join(flags, "\x00")))
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	if s.Scopes {
		// Abstract sockets belong to the network. A signal to the process group reaches all of
		// it, also what a namespace of processes does not show.
		if err := restrictScopes(); err != nil {
			return err
		}
	}
	signal.Ignore(passedOn...)
	args = slices.Concat(args, []string{"--args", strconv.Itoa(options), "--"}, start, argv)
	return Finish(program, args, env, s.Filter)
}

// connect connects to the proxy, and returns the flags that have the first process inside hold the
// connection, too: when it ends, the proxy sees that everything has ended.
func (s *Spec) connect() (flags []string, err error) {
	if s.offer, err = dial(s.Proxy); err != nil {
		return nil, err
	}
	held, err := syscall.Dup(s.offer)
	return []string{"--sync-fd", strconv.Itoa(held)}, err
}

// inner returns what bubblewrap starts, this program once more. Its command line is read by all users while the
// session runs, so it says nothing.
func (s Spec) inner() ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	rest := Spec{Held: s.Held, ProxyPort: s.ProxyPort, Ports: s.Ports, Root: s.Root, offer: s.offer}
	fd, err := memoryFile([]byte(rest.String()))
	return []string{self, Inner, strconv.Itoa(fd), "--"}, err
}

// workingDirectory returns the flags for the working directory of this process, if that can be reached.
func (s Spec) workingDirectory() []string {
	if len(s.Reach) == 0 {
		return nil
	}
	dir, err := os.Getwd()
	inside := func(top string) bool { return dir == top || len(dir) > len(top) && dir[:len(top)+1] == top+"/" }
	if err != nil || !slices.ContainsFunc(s.Reach, inside) {
		dir = "/"
	}
	return []string{"--chdir", dir}
}

// setFlags returns the flags that have bubblewrap set variables inside that it must not be loaded
// with.
func setFlags(env []string) (flags []string) {
	for _, entry := range env {
		if name, value, ok := cut(entry, '='); ok && loader.Changes(entry) {
			flags = append(flags, "--setenv", name, value)
		}
	}
	return flags
}

// inner is the first program inside a namespace.
func inner(fd string, argv []string) error {
	s, err := receive(fd)
	if err != nil {
		return err
	}
	for _, h := range s.Held {
		err = errors.Join(err, h.check())
	}
	if err == nil && s.offer != 0 {
		err = offer(s.offer, s.ProxyPort, s.Ports)
	}
	if err != nil {
		return err
	}
	runtime.LockOSThread() // A thread gives up what it has, and the next program is started by this one.
	if s.Root != nil {
		if err := s.Root.confine(); err != nil {
			return err
		}
	}
	// The next program gets the default again of a signal that this one handles.
	signal.Notify(make(chan os.Signal, 1), passedOn...)
	path, err := LookPath(argv[0], loader.Restore())
	if err != nil {
		return err
	}
	return become(path, argv)
}

// receive reads what the outer program wrote into a file in memory.
func receive(fd string) (s Spec, err error) {
	n, err := strconv.Atoi(fd)
	if err != nil {
		return s, errSpec
	}
	text, err := readAll(n)
	if err != nil {
		return s, wrap("read what is to be built", err)
	}
	return parse(string(text))
}
