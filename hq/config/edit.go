package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// SetModel writes the model of a role ("supervisor", "executor") into
// ferrus.toml; an empty model means the agent's own default. Only that value
// changes: comments, order and spelling of all else stay. The file is replaced
// atomically, and not at all when it would not say what was asked.
func SetModel(dir, role, model string) error { return set(dir, role, "model", model) }

// SetAgent writes who plays a role, as [SetModel] writes what it runs on.
func SetAgent(dir, role, agent string) error { return set(dir, role, "agent", agent) }

func set(dir, role, key, value string) error {
	data, err := read(dir)
	if err != nil {
		return err
	}
	edited, err := Edit(data, role, key, value)
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, File), edited)
}

// Edit is [SetModel] and [SetAgent] for bytes that were already read; key is
// "agent" or "model". It returns an error rather than text in which anything but
// that value reads differently.
func Edit(data []byte, role, key, value string) ([]byte, error) {
	before, err := Parse(data, nil)
	if err != nil {
		return nil, err
	}
	edited := splice(data, role, key, quote(value))
	if err := proves(before, edited, role, key, value); err != nil {
		return nil, fmt.Errorf("set the %s of the %s: %s is written in a way that cannot be edited here: %w", key, role, File, err)
	}
	return edited, nil
}

// splice returns the file with one value changed or added.
func splice(data []byte, role, key, value string) []byte {
	at, end := survey(data, role, key), lineEnd(data)
	switch {
	case at.value != nil:
		return insert(data, *at.value, value)
	case at.flat != nil && key == "agent":
		return insert(data, *at.flat, value)
	case at.flat != nil:
		agent := data[at.flat.Offset:][:at.flat.Length]
		return insert(data, *at.flat, fmt.Sprintf("{ agent = %s, model = %s }", agent, value))
	case at.inline != nil:
		return insert(data, unstable.Range{Offset: at.inline.Offset + at.inline.Length}, ", "+key+" = "+value)
	case at.table > 0:
		return insert(data, unstable.Range{Offset: uint32(endOfLine(data, at.table))}, end+key+" = "+value)
	}
	gap := end
	if len(data) > 0 && data[len(data)-1] != '\n' {
		gap = end + end
	}
	return append(bytes.Clone(data), gap+"[hq."+role+"]"+end+key+" = "+value+end...)
}

// lineEnd is how the file ends its lines.
func lineEnd(data []byte) string {
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// places are where a value may be written.
type places struct {
	value  *unstable.Range // itself
	flat   *unstable.Range // the agent's name in the flat form
	inline *unstable.Range // the other value in an inline table
	table  int             // an offset in the line after which it belongs
}

func survey(data []byte, role, key string) (at places) {
	table, other := join([]string{"hq", role}), map[string]string{"model": "agent", "agent": "model"}[key]
	inline := false
	walk(data, func(path []string, word, value *unstable.Node) {
		switch join(path) {
		case table:
			switch {
			case value == nil:
				at.table = int(word.Raw.Offset)
			case value.Kind == unstable.String:
				at.flat = &unstable.Range{Offset: value.Raw.Offset, Length: value.Raw.Length}
			default:
				inline = true
			}
		case table + "\n" + key:
			at.value = &unstable.Range{Offset: value.Raw.Offset, Length: value.Raw.Length}
		case table + "\n" + other:
			switch {
			case inline:
				at.inline = &unstable.Range{Offset: value.Raw.Offset, Length: value.Raw.Length}
			case at.table > 0 && other == "agent":
				at.table = int(value.Raw.Offset) // a model stands below its agent
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
func proves(before Config, edited []byte, role, key, value string) error {
	after, err := Parse(edited, nil)
	if err != nil {
		return err
	}
	want, got := before.HQ.player(role), after.HQ.player(role)
	field := map[string]func(*RoleConfig) *string{"agent": func(p *RoleConfig) *string { return &p.Agent }, "model": func(p *RoleConfig) *string { return &p.Model }}[key]
	if *field(got) != strings.TrimSpace(value) {
		return fmt.Errorf("the %s would read %q", key, *field(got))
	}
	*field(want) = *field(got)
	if !reflect.DeepEqual(before, after) {
		return errors.New("something else would change too")
	}
	return nil
}

func (h *HQ) player(role string) *RoleConfig {
	if role == "supervisor" {
		return &h.Supervisor
	}
	return &h.Executor
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
