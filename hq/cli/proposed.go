package cli

import (
	"fmt"
	"io"
	"os/exec"
	"strings"

	"ferrus/hq/config"
)

// proposeInstalled returns the check commands that fit a directory and whose programs are here,
// and prints those whose programs are not.
func proposeInstalled(dir string, out io.Writer) (commands []string) {
	for _, c := range config.Propose(dir) {
		if program := programOf(c); !isInstalled(program) {
			fmt.Fprintf(out, "not proposed, because %s is not installed: %s\n", program, c)
			continue
		}
		commands = append(commands, c)
	}
	return commands
}

func isInstalled(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// programOf returns the program that a proposed command needs. cargo has programs of its own for
// some subcommands, which not every installation has.
func programOf(command string) string {
	if rest, ok := strings.CutPrefix(command, "cd "); ok {
		_, command, _ = strings.Cut(rest, " && ")
	}
	words := strings.Fields(command)
	if len(words) > 1 && words[0] == "cargo" && (words[1] == "clippy" || words[1] == "fmt") && isInstalled("cargo") {
		return "cargo-" + words[1]
	}
	return words[0]
}
