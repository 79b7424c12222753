// Shot draws the bytes of a terminal on standard input as a picture:
//
//	go run ./ui/screenshot -columns 120 -rows 40 -o screen.png < bytes
//	tmux capture-pane -p -e | go run ./ui/screenshot -lf -columns 120 -rows 40 -o screen.png
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"ferrus/ui/screenshot/png"
	"ferrus/ui/vt"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "shot:", err)
		os.Exit(1)
	}
}

// run reads a screen and writes the picture of it.
func run(args []string, in io.Reader, usage io.Writer) error {
	flags := flag.NewFlagSet("shot", flag.ContinueOnError)
	flags.SetOutput(usage)
	columns := flags.Int("columns", 120, "columns of the screen")
	rows := flags.Int("rows", 40, "rows of the screen")
	out := flags.String("o", "screen.png", "file to write")
	lines := flags.Bool("lf", false, "lines end in a line feed alone, as from tmux capture-pane")
	var o png.Options
	flags.IntVar(&o.Size, "size", 0, "pixels of the font (default 28)")
	flags.BoolVar(&o.Cursor, "cursor", false, "draw the cursor")
	flags.BoolVar(&o.Bare, "bare", false, "no frame around the cells")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	input, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read the screen: %w", err)
	}
	t := vt.New(*columns, *rows, 0)
	if *lines {
		input = captured(input)
	}
	t.Write(input)
	return write(*out, t, o)
}

// captured is the output of tmux capture-pane as bytes for a terminal. Line
// drawing in it is in the second character set.
func captured(b []byte) []byte {
	b = bytes.ReplaceAll(bytes.TrimSuffix(b, []byte("\n")), []byte("\n"), []byte("\r\n"))
	return append([]byte("\x1b)0"), b...)
}

// write makes the file, and none when it fails.
func write(name string, t *vt.Terminal, o png.Options) error {
	var picture bytes.Buffer
	if err := png.Write(&picture, t, o); err != nil {
		return fmt.Errorf("draw the screen: %w", err)
	}
	if err := os.WriteFile(name, picture.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the picture: %w", err)
	}
	return nil
}
