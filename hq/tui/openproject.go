package tui

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui"
)

// openedFrom names in the environment of an HQ the projects whose HQs wait below it in the same
// terminal.
const openedFrom = "FERRUS_OPENED_FROM"

// openProject opens the HQ of another project in the terminal. This one keeps its sessions
// running, and gets the terminal back when that ends.
func (a *app) openProject(dir string) tea.Msg {
	below := filepath.SplitList(os.Getenv(openedFrom))
	if slices.Contains(below, dir) {
		return ui.DoneMsg{Text: "The HQ of " + filepath.Base(dir) + " is open below this one: /quit returns to it"}
	}
	program, err := os.Executable()
	if err != nil {
		return ui.DoneMsg{Text: fmt.Sprintf("open the HQ of %s: %v", filepath.Base(dir), err), Error: true}
	}
	var output strings.Builder
	c := exec.Command(program)
	here := a.Engine.View().Project
	c.Dir = dir
	c.Env = append(os.Environ(), "PWD="+dir, "FERRUS_PROJECT=", openedFrom+"="+
		strings.Join(append(below, here), string(os.PathListSeparator)))
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, &output
	return a.terminal.Release(a.ctx, tea.ExecProcess(c, func(err error) tea.Msg {
		a.terminal.Resume()
		if err != nil {
			why := fmt.Sprintf("The HQ of %s: %s", filepath.Base(dir), firstLine(output.String(), err))
			return ui.DoneMsg{Text: why, Error: true}
		}
		return ui.DoneMsg{Text: "Back in " + filepath.Base(here)}
	}))()
}

// firstLine returns what a program printed first, else how it ended.
func firstLine(output string, ended error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(output), "\n")
	if line = strings.TrimPrefix(line, "ferrus: "); line != "" {
		return line
	}
	return ended.Error()
}
