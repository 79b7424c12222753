// Screenshot draws the bytes of a terminal on standard input as an SVG picture
// on standard output:
//
//	go run ./ui/screenshot -columns 120 -rows 40 < bytes > screen.svg
//	tmux capture-pane -p -e | go run ./ui/screenshot -lf > screen.svg
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"ferrus/ui/screenshot/svg"
	"ferrus/ui/vt"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "screenshot:", err)
		os.Exit(1)
	}
}

// run reads a screen and writes the picture of it.
func run(args []string, in io.Reader, out, usage io.Writer) error {
	flags := flag.NewFlagSet("screenshot", flag.ContinueOnError)
	flags.SetOutput(usage)
	columns := flags.Int("columns", 120, "columns of the screen")
	rows := flags.Int("rows", 40, "rows of the screen")
	lines := flags.Bool("lf", false, "lines end in a line feed alone, as from tmux capture-pane")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	input, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read the screen: %w", err)
	}
	if *lines {
		input = captured(input)
	}
	screen := vt.New(*columns, *rows, 0)
	screen.Write(input)
	if err := svg.Write(out, screen); err != nil {
		return fmt.Errorf("write the picture: %w", err)
	}
	return nil
}

// captured turns the output of tmux capture-pane into bytes for a terminal. Line
// drawing in it is in the second character set.
func captured(b []byte) []byte {
	b = bytes.ReplaceAll(bytes.TrimSuffix(b, []byte("\n")), []byte("\n"), []byte("\r\n"))
	return append([]byte("\x1b)0"), b...)
}
