package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"ferrus/agent/proxy"
	"ferrus/agent/statedir"
)

// The commands with which this program starts itself again.
const (
	execCommand  = "sandbox-exec"  // becomes a program behind Landlock; package stage has those of a namespace
	probeCommand = "sandbox-probe" // tries what must not work
)

// failed is the exit code of a command whose walls could not be built, as env and chroot
// have it.
const failed = 125

// commands are what [Main] does, by name.
var commands = map[string]func(spec string, argv []string) error{}

// ready says that Main was called, so that this program can start itself again.
var ready bool

// Main does what the arguments of this program ask for and exits, if they are of a command
// line that [Walls.Command] returned. Otherwise it returns at once.
func Main(args []string) {
	ready = true
	if len(args) < 2 {
		return
	}
	run := commands[args[0]]
	if run == nil {
		return
	}
	var argv []string
	if len(args) > 3 && args[2] == "--" {
		argv = args[3:]
	}
	if err := run(args[1], argv); err != nil {
		fmt.Fprintf(os.Stderr, "ferrus: sandbox: %v\n", err)
		os.Exit(failed)
	}
	os.Exit(0)
}

// spec is what the program that builds walls of Landlock has to know.
type spec struct {
	ABI    int    `json:"abi,omitempty"`
	Policy Policy `json:"policy"`
}

// Command returns the command line to start in the place of argv. The environment and the
// files that it is started with reach the program inside. Its process is the parent, or the
// same, of everything inside.
func (w Walls) Command(p Policy, argv ...string) ([]string, error) {
	if len(argv) == 0 {
		return nil, errors.New("sandbox: no command")
	}
	p.Network = cmp.Or(p.Network, Open)
	switch {
	case w.Kind == None || w.Kind == "":
		return argv, nil
	case w.Kind != Namespace && p.Network != Open:
		return nil, fmt.Errorf("sandbox: network %q needs namespace walls, and these are %s", p.Network, w.Kind)
	case p.Network == Proxied && p.Proxy == "":
		return nil, errors.New("sandbox: there is no proxy")
	case p.Network == Proxied:
		p.Env = append(slices.Clone(p.Env), proxy.Env()...)
	}
	if w.Kind == Namespace || w.Kind == Landlock {
		p = p.withSecrets(programSecrets()).withoutState(statedir.Find())
	}
	p, err := p.resolve(w.Kind)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	switch w.Kind {
	case Seatbelt:
		return p.seatbeltCommand(argv)
	case Namespace:
		return w.namespaceCommand(p, argv)
	default:
		return stageCommand(execCommand, spec{ABI: w.ABI, Policy: p}, argv)
	}
}

// executable returns the path of this program. Only a benchmark has another one.
var executable = os.Executable

// stageCommand returns the command line that starts this program again.
func stageCommand(command string, s any, argv []string) ([]string, error) {
	self, err := executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return append([]string{strings.TrimSuffix(self, " (deleted)"), command, string(data), "--"}, argv...), nil
}
