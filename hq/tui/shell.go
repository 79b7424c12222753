package tui

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui"
)

// The scripts print where they are. One becomes a shell; the other runs a line, and waits for Enter.
const (
	thenShell = `printf '%s\nexit returns to HQ\n' "$1"; exec "$2"`
	thenWait  = `printf '%s$ %s\n' "$1" "$2"; eval "$2"
printf '\n[exit %s] Enter returns to HQ ' "$?"; read -r _`
)

// openShell opens your shell where the selected task is worked on, or runs a command line there, in
// HQ's terminal. Sessions keep running meanwhile.
func (a *app) openShell(line string) tea.Msg {
	dir, env, err := a.Engine.WorkIn()
	if err != nil {
		return ui.DoneMsg{Text: "open a shell: " + err.Error(), Error: true}
	}
	c := exec.Command("/bin/sh", "-c", thenWait, "sh", shown(dir), line)
	if line == "" {
		c = exec.Command("/bin/sh", "-c", thenShell, "sh", shown(dir), Shell())
	}
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	return a.terminal.Release(a.ctx, tea.ExecProcess(c, func(error) tea.Msg { // of the last command in it
		a.terminal.Resume()
		return ui.DoneMsg{Text: "Back in HQ"}
	}))()
}

// shown returns a directory as you would write it.
func shown(dir string) string {
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(dir, home+string(filepath.Separator)) {
		return "~" + strings.TrimPrefix(dir, home)
	}
	return dir
}

// Shell returns the program of your shell.
func Shell() string {
	if shell := os.Getenv("SHELL"); filepath.IsAbs(shell) {
		return shell
	}
	return "/bin/sh"
}
