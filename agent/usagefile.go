package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// usageFile is the file into which a program writes the usage of its session, as JSON, in a
// temporary directory that only this user can open. Nil if the program writes none.
type usageFile struct{ dir string }

// addUsageFile adds the file to the command line of a program that writes one.
func addUsageFile(inv Invocation) (Invocation, error) {
	if inv.UsageFlag == "" {
		return inv, nil
	}
	dir, err := os.MkdirTemp(inv.UsageDir, "ferrus-account-")
	if err != nil {
		return inv, fmt.Errorf("create the usage file: %w", err)
	}
	inv.usageFile = &usageFile{dir}
	inv.Args = append(inv.Args[:len(inv.Args):len(inv.Args)], inv.UsageFlag+inv.usageFile.file())
	return inv, nil
}

func (a *usageFile) file() string { return filepath.Join(a.dir, "used.json") }

// readLine returns the content as one line of the program's stream; nil if there is nothing that
// can be read.
func (a *usageFile) readLine() []byte {
	if a == nil {
		return nil
	}
	top, err := os.OpenRoot(filepath.Dir(a.dir)) // an agent may replace what is below by a link
	if err != nil {
		return nil
	}
	defer top.Close()
	below := filepath.Join(filepath.Base(a.dir), filepath.Base(a.file()))
	file, err := top.OpenFile(below, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(file, maxLine))
	var line bytes.Buffer
	line.WriteByte('\n') // the stream may have stopped within a line
	if err != nil || json.Compact(&line, text) != nil {
		return nil
	}
	line.WriteByte('\n')
	return line.Bytes()
}

// remove deletes the file.
func (a *usageFile) remove() error {
	if a == nil {
		return nil
	}
	return os.RemoveAll(a.dir)
}
