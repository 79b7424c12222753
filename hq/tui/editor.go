package tui

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"

	"ferrus/agent/program"
	"ferrus/ui"
	"ferrus/ui/text"
)

// maxWritten bounds what is read back from an editor, in bytes.
const maxWritten = 1 << 20

// edit opens a text in the human's editor, which has the terminal meanwhile, and returns
// what it left.
func (a *app) edit(typed string) tea.Msg {
	name, err := writeDraft(typed)
	if err != nil {
		return ui.EditedMsg{Error: err.Error()}
	}
	editor := cmp.Or(a.Environ("VISUAL"), a.Environ("EDITOR"), "vi")
	// The shell splits an editor with arguments, as it does for git.
	command := exec.Command("/bin/sh", "-c", editor+` "$1"`, "ferrus", name)
	command.Env = program.Environ(os.Environ())
	command.Stdin, command.Stdout = os.Stdin, os.Stdout // the files themselves: editors ask whether they are terminals
	return a.terminal.Release(a.ctx, tea.ExecProcess(command, func(err error) tea.Msg {
		a.terminal.Resume()
		if err != nil {
			_ = os.Remove(name) // it lies in the directory for temporary files
			return ui.EditedMsg{Error: fmt.Sprintf("The editor %q ended with %v; your text is unchanged", editor, err)}
		}
		return readDraft(name)
	}))()
}

// writeDraft writes a text to a new file that only its user can read.
func writeDraft(typed string) (string, error) {
	f, err := os.CreateTemp("", "ferrus-*.md")
	if err != nil {
		return "", fmt.Errorf("create a file for the editor: %w", err)
	}
	_, err = io.WriteString(f, typed+"\n")
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name()) // the first error is returned
		return "", fmt.Errorf("write the file for the editor: %w", err)
	}
	return f.Name(), nil
}

// readDraft returns what an editor left, and removes the file. A text that the prompt cannot take stays there.
func readDraft(name string) ui.EditedMsg {
	written, err := readWritten(name)
	if err != nil {
		return ui.EditedMsg{Error: fmt.Sprintf("read the edited text: %v; it stays in %s", err, name)}
	}
	_ = os.Remove(name) // it lies in the directory for temporary files
	return ui.EditedMsg{Text: written}
}

func readWritten(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxWritten+1))
	if err == nil && len(data) > maxWritten {
		err = fmt.Errorf("it has more than %d bytes", maxWritten)
	}
	if err == nil {
		err = text.CheckEncoding(string(data))
	}
	return string(data), err
}
