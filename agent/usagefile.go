package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// usageFile is the file in which a program leaves what its session used, as JSON. It
// lies in a folder of its own that only this user can open, among the temporary
// files; nil where the program leaves none.
type usageFile struct{ dir string }

// accounting gives a command line the file that it is to leave its account in.
func accounting(inv Invocation) (Invocation, error) {
	if inv.Account == "" {
		return inv, nil
	}
	dir, err := os.MkdirTemp("", "ferrus-account-")
	if err != nil {
		return inv, fmt.Errorf("place its account: %w", err)
	}
	inv.left = &usageFile{dir}
	inv.Args = append(inv.Args[:len(inv.Args):len(inv.Args)], inv.Account+inv.left.file())
	return inv, nil
}

func (a *usageFile) file() string { return filepath.Join(a.dir, "used.json") }

// line is what was left, as one line of the program's stream; nil when it ended
// without leaving anything that can be read.
func (a *usageFile) line() []byte {
	if a == nil {
		return nil
	}
	file, err := os.Open(a.file())
	if err != nil {
		return nil
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, longest))
	var line bytes.Buffer
	line.WriteByte('\n') // the stream may have stopped within a line
	if err != nil || json.Compact(&line, text) != nil {
		return nil
	}
	line.WriteByte('\n')
	return line.Bytes()
}

// remove takes the file away.
func (a *usageFile) remove() error {
	if a == nil {
		return nil
	}
	return os.RemoveAll(a.dir)
}
