package config

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// SetModel writes the model of a role ("supervisor", "executor") into
// ferrus.toml; an empty model means the agent's own default. Only that value
// changes: comments, order and spelling of all else stay. The file is replaced
// atomically, and not at all when it would not say what was asked.
func SetModel(dir, role, model string) error {
	data, err := read(dir)
	if err != nil {
		return err
	}
	edited := splice(data, role, quote(model))
	if err := proves(edited, role, model); err != nil {
		return fmt.Errorf("set the model of the %s: %s is written in a way that cannot be edited here: %w", role, File, err)
	}
	return replace(filepath.Join(dir, File), edited)
}

// splice returns the file with one value changed or added.
func splice(data []byte, role, value string) []byte {
	at := survey(data, role)
	switch {
	case at.model != nil:
		return insert(data, *at.model, value)
	case at.flat != nil:
		agent := data[at.flat.Offset:][:at.flat.Length]
		return insert(data, *at.flat, fmt.Sprintf("{ agent = %s, model = %s }", agent, value))
	case at.inline != nil:
		return insert(data, unstable.Range{Offset: at.inline.Offset + at.inline.Length}, ", model = "+value)
	case at.table > 0:
		return insert(data, unstable.Range{Offset: uint32(endOfLine(data, at.table))}, "\nmodel = "+value)
	}
	gap := "\n"
	if len(data) > 0 && data[len(data)-1] != '\n' {
		gap = "\n\n"
	}
	return append(bytes.Clone(data), fmt.Sprintf("%s[hq.%s]\nmodel = %s\n", gap, role, value)...)
}

// places are where a model may be written.
type places struct {
	model  *unstable.Range // its value
	flat   *unstable.Range // the agent's name in the flat form
	inline *unstable.Range // the agent's name in an inline table
	table  int             // an offset in the line after which it belongs
}

func survey(data []byte, role string) (at places) {
	table := join([]string{"hq", role})
	inline := false
	walk(data, func(path []string, key, value *unstable.Node) {
		switch join(path) {
		case table:
			switch {
			case value == nil:
				at.table = int(key.Raw.Offset)
			case value.Kind == unstable.String:
				at.flat = &unstable.Range{Offset: value.Raw.Offset, Length: value.Raw.Length}
			default:
				inline = true
			}
		case table + "\nmodel":
			at.model = &unstable.Range{Offset: value.Raw.Offset, Length: value.Raw.Length}
		case table + "\nagent":
			if inline {
				at.inline = &unstable.Range{Offset: value.Raw.Offset, Length: value.Raw.Length}
			} else if at.table > 0 {
				at.table = int(value.Raw.Offset)
			}
		}
	})
	return at
}

func insert(data []byte, r unstable.Range, text string) []byte {
	edited := append([]byte{}, data[:r.Offset]...)
	edited = append(edited, text...)
	return append(edited, data[r.Offset+r.Length:]...)
}

func endOfLine(data []byte, from int) int {
	if i := bytes.IndexByte(data[from:], '\n'); i >= 0 {
		end := from + i
		if end > 0 && data[end-1] == '\r' {
			end--
		}
		return end
	}
	return len(data)
}

// proves reads the edited file before anybody else does.
func proves(edited []byte, role, model string) error {
	c, err := Parse(edited, nil)
	if err != nil {
		return err
	}
	p := c.HQ.Executor
	if role == "supervisor" {
		p = c.HQ.Supervisor
	}
	if p.Model != strings.TrimSpace(model) {
		return fmt.Errorf("the model would read %q", p.Model)
	}
	return nil
}

// replace writes a file of the user's anew, through a link if it is one.
func replace(file string, data []byte) error {
	file, err := filepath.EvalSymlinks(file)
	if err != nil {
		return fmt.Errorf("write %s: %w", File, err)
	}
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("write %s: %w", File, err)
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+File+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", File, err)
	}
	defer os.Remove(f.Name()) //nolint:errcheck // gone after the rename
	if err := fillFile(f, data, info.Mode().Perm()); err != nil {
		return fmt.Errorf("write %s: %w", File, err)
	}
	if err := os.Rename(f.Name(), file); err != nil {
		return fmt.Errorf("write %s: %w", File, err)
	}
	return nil
}

func fillFile(f *os.File, data []byte, mode os.FileMode) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
