package tui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui"
	"ferrus/ui/style"
)

// maxClipboard is how many bytes terminals take by OSC 52; of more they take none.
const maxClipboard = 74_994

// clipboards are the programs that keep a clipboard, each where its variable is
// set. A tmux around us keeps OSC 52 from the terminal, but passes on what is
// loaded this way.
var clipboards = []struct {
	where   string
	command []string
}{
	{"TMUX", []string{"tmux", "load-buffer", "-w", "-"}},
	{"WAYLAND_DISPLAY", []string{"wl-copy"}},
	{"DISPLAY", []string{"xclip", "-selection", "clipboard", "-in"}},
	{"DISPLAY", []string{"xsel", "--clipboard", "--input"}},
	{"WSL_DISTRO_NAME", []string{"clip.exe"}},
	{"HOME", []string{"pbcopy"}},
}

// copy puts text on the clipboard: by OSC 52, which reaches the person also from
// another machine, and, as no terminal says whether it knows that, with the
// program that keeps a clipboard here.
func (d *deck) copy(i ui.Copy) tea.Cmd {
	var byTerminal tea.Cmd
	if len(i.Text) <= maxClipboard && !style.TerminalOf(d.options.Environ).Mute {
		byTerminal = tea.SetClipboard(i.Text)
	}
	return tea.Batch(byTerminal, func() tea.Msg { return d.copied(i.Text) })
}

func (d *deck) copied(text string) tea.Msg {
	ctx, cancel := context.WithTimeout(d.ctx, 5*time.Second)
	defer cancel()
	kept := keep(ctx, text)
	if kept != nil && len(text) > maxClipboard {
		return ui.DoneMsg{Text: fmt.Sprintf("copy %s: a terminal takes %d bytes at most, and %v: select less", amount(text), maxClipboard, kept), Error: true}
	}
	return ui.DoneMsg{Text: "copied " + amount(text) + "; Ctrl+Y puts it at the prompt"}
}

// keep gives text to the first program that keeps a clipboard here.
func keep(ctx context.Context, text string) error {
	for _, c := range clipboards {
		if os.Getenv(c.where) == "" {
			continue
		}
		if _, err := exec.LookPath(c.command[0]); err != nil {
			continue
		}
		command := exec.CommandContext(ctx, c.command[0], c.command[1:]...)
		command.Stdin = strings.NewReader(text)
		command.WaitDelay = time.Second // some stay, to serve the clipboard
		if err := command.Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(c.command, " "), err)
		}
		return nil
	}
	return fmt.Errorf("no program that keeps a clipboard is here")
}

// amount is how much text there is, in words.
func amount(text string) string {
	if n := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1; n > 1 {
		return fmt.Sprintf("%d lines", n)
	}
	if n := utf8.RuneCountInString(text); n != 1 {
		return fmt.Sprintf("%d characters", n)
	}
	return "1 character"
}
