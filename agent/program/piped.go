package program

import (
	"io"
	"os/exec"
)

// StartPiped starts a program, and returns its standard input and output.
func StartPiped(cmd *exec.Cmd) (in io.WriteCloser, out io.ReadCloser, err error) {
	if in, err = cmd.StdinPipe(); err != nil {
		return nil, nil, err
	}
	if out, err = cmd.StdoutPipe(); err != nil {
		return nil, nil, err
	}
	return in, out, cmd.Start()
}
