package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent/home"
)

// custom is a program that ferrus.toml describes.
type custom struct {
	name string
	Custom
}

func newCustom(name string, c Custom) (Adapter, error) {
	for _, argv := range [][]string{c.Command, c.InteractiveCommand, c.ACP} {
		if len(argv) > 0 && argv[0] == "" {
			return nil, fmt.Errorf("agent %q: a command in [agent.%s] has an empty program name", name, name)
		}
	}
	switch {
	case len(c.Command)+len(c.InteractiveCommand)+len(c.ACP) == 0:
		return nil, fmt.Errorf("agent %q: [agent.%s] has neither command nor interactive_command nor acp", name, name)
	case len(c.Command) > 0 && len(c.ACP) > 0:
		return nil, fmt.Errorf("agent %q: [agent.%s] has command and acp, which are two ways to run a headless session",
			name, name)
	}
	return custom{name, c}, nil
}

func (c custom) Name() string  { return c.name }
func (c custom) WaitSecs() int { return defaultWaitSecs }

// Renderer returns one for the events of the protocol; what a command prints is for reading.
func (c custom) Renderer() Renderer {
	if len(c.ACP) == 0 {
		return nil
	}
	return newProtocolRenderer(resembled(c).Name())
}

func (c custom) Binary() string {
	for _, argv := range [][]string{c.ACP, c.Command} {
		if len(argv) > 0 {
			return argv[0]
		}
	}
	return c.InteractiveCommand[0]
}

// home has only what the command line names: files, and of a script its package. What else a
// program of yours needs of your home, you say in [sandbox] read. A program that a built-in agent
// runs, too, gets what that gets.
func (c custom) home() home.List {
	list := home.List{}
	if known := resembled(c); known.Name() != c.name {
		list = Home(known)
	}
	list.Tried = true
	for _, argument := range slices.Concat(c.Command, c.InteractiveCommand, c.ACP) {
		info, err := os.Stat(argument)
		if !filepath.IsAbs(argument) || err != nil || !info.Mode().IsRegular() {
			continue
		}
		list.Files = append(list.Files, argument)
		if info.Mode()&0o111 != 0 || slices.Contains(scriptTypes, filepath.Ext(argument)) {
			list.Files = append(list.Files, packageDirs(argument)...)
			if real, err := filepath.EvalSymlinks(argument); err == nil && real != argument {
				list.Files = append(append(list.Files, real), packageDirs(real)...)
			}
		}
	}
	return list
}

// scriptTypes are the ends of the names of scripts, which need not be executable.
var scriptTypes = []string{".py", ".js", ".mjs", ".cjs", ".ts", ".sh", ".rb", ".pl", ".php", ".lua"}

// Invoke fills in the placeholders. {mcp_config} does not contain the nonce, because every
// user can read a command line: the server of a client that does not pass its environment on
// is known by its host.
func (c custom) Invoke(l Launch) (Invocation, error) {
	if err := l.validate(); err != nil {
		return Invocation{}, err
	}
	if c.dialog() || len(c.ACP) > 0 && !l.Interactive {
		return c.invokeProtocol(l), nil
	}
	key, argv := "command", c.Command
	if l.Interactive {
		key, argv = "interactive_command", c.InteractiveCommand
	}
	if len(argv) == 0 {
		return Invocation{}, &NoCommandError{c.name, key}
	}
	fill := strings.NewReplacer("{prompt}", l.Prompt, "{model}", l.Model, "{mcp_config}", l.configJSON(l.server(c)),
		"{workspace}", l.Workspace, "{role}", l.Role)
	inv := Invocation{Path: argv[0], Env: append(l.env(), "FERRUS_WAIT_SECS="+l.waitSecs(c)), Headless: !l.Interactive}
	for _, argument := range fillArgs(argv[1:], l) {
		inv.Args = append(inv.Args, fill.Replace(argument))
	}
	return inv, nil
}

// NoCommandError reports that ferrus.toml has no command for a kind of session, headless or interactive.
type NoCommandError struct{ Agent, Key string }

func (e *NoCommandError) Error() string {
	return fmt.Sprintf("agent %q: [agent.%s] has no %s", e.Agent, e.Agent, e.Key)
}

// dialog reports whether its screen is a dialog by the protocol.
func (c custom) dialog() bool { return len(c.ACP) > 0 && len(c.InteractiveCommand) == 0 }

// invokeProtocol fills in the placeholders of acp. A model that none of them names is chosen by the
// protocol.
func (c custom) invokeProtocol(l Launch) Invocation {
	prompt, model := prefixTools(l.Prompt, toolPrefix(c)), l.Model
	if strings.Contains(strings.Join(c.ACP, " "), "{model}") {
		model = ""
	}
	fill := strings.NewReplacer("{model}", l.Model, "{workspace}", l.Workspace, "{role}", l.Role)
	command := c.ACP[:1:1]
	for _, argument := range fillArgs(c.ACP[1:], l) {
		command = append(command, fill.Replace(argument))
	}
	return l.invokeProtocol(c, prompt, model, command)
}

// fillArgs removes a lone {prompt} if there is no prompt and, if the agent uses its own model,
// {model} with its flag.
func fillArgs(argv []string, l Launch) []string {
	var kept []string
	for _, argument := range argv {
		if l.Prompt == "" && argument == "{prompt}" {
			continue
		}
		if l.Model != "" || !strings.Contains(argument, "{model}") {
			kept = append(kept, argument)
			continue
		}
		if last := len(kept) - 1; argument == "{model}" && last >= 0 && strings.HasPrefix(kept[last], "-") {
			kept = kept[:last]
		}
	}
	return kept
}
