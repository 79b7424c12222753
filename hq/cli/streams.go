package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"ferrus/hq/project"
	"ferrus/hq/tui/tty"
	"ferrus/ui/text"
)

// streams are the standard streams, and what may be done with them.
type streams struct {
	in         io.Reader
	out, err   io.Writer
	canAsk     bool // in is a terminal
	fullScreen bool // in and out are
	columns    int  // of out, where that is a terminal; else 0

	task    string        // that --task names; empty: none
	present *project.Task // the project's own record, if the command uses it because no task is named
}

// report prints what went wrong and returns the exit code.
func (s *streams) report(err error) int {
	if err == nil {
		return 0
	}
	f := toExitError(err)
	s.wrapTo(s.err, func(out io.Writer) {
		if f.what != "" {
			fmt.Fprintf(out, "ferrus: %s\n", hanging(f.what))
		}
		for _, h := range f.hints {
			fmt.Fprintf(out, "ferrus: hint: %s\n", hanging(h))
		}
	})
	return f.code
}

// confirm asks a yes-or-no question. An empty line is the usual answer; the end of
// the input is no, and any other line is asked again. Lines that were typed before the
// question was there do not answer it, and what a terminal answers late is no part of an answer.
func (s *streams) confirm(question string, usual bool) bool {
	if terminal, ok := s.in.(*os.File); ok && s.canAsk {
		tty.DiscardTyped(terminal)
	}
	defer endOnInterrupt()()
	answers := bufio.NewReader(s.in)
	for {
		fmt.Fprintf(s.out, "%s %s ", question, map[bool]string{true: "[Y/n]", false: "[y/N]"}[usual])
		line, err := answers.ReadString('\n')
		switch strings.ToLower(strings.TrimSpace(text.Plain(line))) {
		case "y", "yes":
			return true
		case "n", "no":
			return false
		case "":
			return usual && err == nil
		}
		if err != nil {
			return false
		}
		fmt.Fprintln(s.out, "please answer y or n")
	}
}

// endOnInterrupt has Ctrl+C and SIGTERM end the program until stop is called: while it waits for an answer, a canceled
// context alone changes nothing.
func endOnInterrupt() (stop func()) {
	interrupts, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(interrupts, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case got := <-interrupts:
			signal.Reset(got)
			_ = syscall.Kill(os.Getpid(), got.(syscall.Signal)) // it cannot fail for this process
		case <-over:
		}
	}()
	return func() {
		signal.Stop(interrupts)
		close(over)
	}
}

// printJSON prints a value for programs.
func (s *streams) printJSON(v any) error { return writeJSON(s.out, v, "  ") }

// writeJSON writes a value for programs, with an indent or, without one, in one line.
func writeJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, text.Escape(b.String()))
	return err
}

// requireTerminal refuses what cannot show a whole screen; terminal is $TERM.
func (s *streams) requireTerminal(terminal string) error {
	without := `ferrus run "task text" works without one; ferrus status shows the state`
	switch {
	case !s.fullScreen:
		return failure("HQ needs an interactive terminal", without)
	case terminal == "" || terminal == "dumb":
		why := "TERM=dumb cannot"
		if terminal == "" {
			why = "TERM is not set"
		}
		return failure("HQ needs a terminal that can position the cursor, and "+why,
			"if yours can, run: TERM=xterm-256color ferrus", without)
	}
	return nil
}

// untilInterrupted returns a context that Ctrl+C or SIGTERM cancels.
func untilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
}
