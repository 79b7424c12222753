package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ferrus/agent/program"
	"ferrus/ui"
	"ferrus/ui/intent"
	"ferrus/ui/style"
	"ferrus/ui/text"
)

// maxClipboard limits a text for OSC 52, in bytes. Terminals ignore a longer one.
const maxClipboard = 74_994

// clipboards are the programs that set a clipboard, each where its variable is set. A
// tmux around HQ does not pass OSC 52 on, but does pass on what is loaded this way.
var clipboards = []struct {
	variable string
	command  []string
}{
	{"TMUX", []string{"tmux", "load-buffer", "-w", "-"}},
	{"WAYLAND_DISPLAY", []string{"wl-copy"}},
	{"DISPLAY", []string{"xclip", "-selection", "clipboard", "-in"}},
	{"DISPLAY", []string{"xsel", "--clipboard", "--input"}},
	{"WSL_DISTRO_NAME", []string{"clip.exe"}},
	{"HOME", []string{"pbcopy"}},
}

// copy puts text on the clipboard: with OSC 52, which also reaches another machine,
// and, because no terminal says whether it supports that, with a program that sets the
// clipboard here.
func (a *app) copy(i intent.Copy) tea.Cmd {
	var byTerminal tea.Cmd
	if len(i.Text) <= maxClipboard && !style.TerminalOf(a.Environ).Mute {
		byTerminal = tea.SetClipboard(i.Text)
	}
	return tea.Batch(byTerminal, func() tea.Msg { return a.copyByProgram(i.Text) })
}

func (a *app) copyByProgram(text string) tea.Msg {
	ctx, cancel := context.WithTimeout(a.ctx, 5*time.Second)
	defer cancel()
	if err := setClipboard(ctx, text); err != nil && len(text) > maxClipboard {
		why := fmt.Sprintf("Copy %s: a terminal takes at most %d bytes, and %v. Select less", amount(text),
			maxClipboard, err)
		return ui.DoneMsg{Text: why, Error: true}
	}
	return ui.DoneMsg{Text: "Copied " + amount(text) + "; Ctrl+Y puts it at the prompt"}
}

// setClipboard gives text to the first program that sets a clipboard here.
func setClipboard(ctx context.Context, text string) error {
	for _, c := range clipboards {
		if os.Getenv(c.variable) == "" {
			continue
		}
		command := program.Command(ctx, os.Environ(), c.command[0], c.command[1:]...)
		if command.Err != nil {
			continue
		}
		command.Stdin = strings.NewReader(text)
		command.WaitDelay = time.Second // some stay, to serve the clipboard
		if err := command.Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(c.command, " "), err)
		}
		return nil
	}
	return errors.New("no clipboard program is installed")
}

// amount says how much text there is.
func amount(s string) string {
	if n := strings.Count(strings.TrimSuffix(s, "\n"), "\n") + 1; n > 1 {
		return text.Count(n, "line")
	}
	return text.Count(utf8.RuneCountInString(s), "character")
}
