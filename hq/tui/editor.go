package tui

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui"
)

// maxWritten bounds what is read back from an editor.
const maxWritten = 1 << 20

// write opens a text in the person's editor, and brings back what is left of it.
// The terminal is the editor's meanwhile.
func (d *deck) write(text string) tea.Cmd {
	name, err := draft(text)
	if err != nil {
		return func() tea.Msg { return ui.WrittenMsg{Error: err.Error()} }
	}
	editor := cmp.Or(d.options.Environ("VISUAL"), d.options.Environ("EDITOR"), "vi")
	// The shell takes an editor with arguments apart, as git and others have it.
	command := exec.Command("/bin/sh", "-c", editor+` "$1"`, "ferrus", name)
	command.Stdin, command.Stdout = os.Stdin, os.Stdout // itself: it is asked whether it is a terminal
	return d.terminal.Release(d.ctx, tea.ExecProcess(command, func(err error) tea.Msg {
		d.terminal.Resume()
		defer os.Remove(name) //nolint:errcheck // a draft in the folder for such
		if err != nil {
			return ui.WrittenMsg{Error: fmt.Sprintf("the editor %q ended with %v; what was typed is as before", editor, err)}
		}
		return drafted(name)
	}))
}

// draft puts a text into a file that only its user reads.
func draft(text string) (string, error) {
	f, err := os.CreateTemp("", "ferrus-*.md")
	if err != nil {
		return "", fmt.Errorf("make a file for the editor: %w", err)
	}
	_, err = io.WriteString(f, text+"\n")
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name()) // of no use, and said so
		return "", fmt.Errorf("write the file for the editor: %w", err)
	}
	return f.Name(), nil
}

func drafted(name string) tea.Msg {
	f, err := os.Open(name)
	if err != nil {
		return ui.WrittenMsg{Error: fmt.Sprintf("read what the editor wrote: %v", err)}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxWritten))
	if err != nil {
		return ui.WrittenMsg{Error: fmt.Sprintf("read what the editor wrote: %v", err)}
	}
	return ui.WrittenMsg{Text: string(data)}
}
