package register

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"ferrus/agent"
	"ferrus/hq/tomledit"
)

// checkTOML reports invalid TOML with its position.
func checkTOML(file string, data []byte) error {
	err := toml.Unmarshal(data, &map[string]any{})
	if err == nil {
		return nil
	}
	f := &FileError{File: file, What: strings.TrimPrefix(err.Error(), "toml: ")}
	if d := (*toml.DecodeError)(nil); errors.As(err, &d) {
		f.Line, f.Column = d.Position()
	}
	return f
}

// addTOML adds a table at the end of the file, or replaces it, unless it already starts
// ferrus in the same way.
func addTOML(data []byte, e agent.Edit) ([]byte, error) {
	if err := checkTOML(e.File, data); err != nil {
		return nil, err
	}
	var old, want entry
	if tableEntry(data, e, &old) && toml.Unmarshal([]byte(e.Value), &want) == nil && reflect.DeepEqual(old, want) {
		return data, nil
	}
	text := "[" + strings.Join(keyPath(e), ".") + "]\n" + e.Value
	edited, err := tomledit.SetTable(data, keyPath(e), strings.ReplaceAll(text, "\n", tomledit.LineEnd(data)))
	if err != nil {
		at := max(bytes.Index(data, []byte(e.Path[0])), 0)
		return nil, errorAt(e.File, data, at,
			strings.Join(e.Path,
				".")+" is written in a way that cannot be extended; write each of its entries as a table")
	}
	return edited, nil
}

// removeTOML removes a table, or restores the previous one.
func removeTOML(data []byte, e agent.Edit, old string) ([]byte, error) {
	if err := checkTOML(e.File, data); err != nil {
		return nil, err
	}
	remove := tomledit.RemoveTable
	if old != "" {
		remove = func(data []byte, path []string) ([]byte, error) { return tomledit.SetTable(data, path, old) }
	}
	edited, err := remove(data, keyPath(e))
	if err != nil {
		at := max(bytes.Index(data, []byte(e.Key)), 0)
		return nil, errorAt(e.File, data, at, e.Key+" is written in a way that cannot be removed")
	}
	return edited, nil
}

func keyPath(e agent.Edit) []string { return append(slices.Clone(e.Path), e.Key) }

// tableEntry decodes the fields of a table that matter, and reports whether there is one.
func tableEntry(data []byte, e agent.Edit, into *entry) bool {
	value := tomledit.Lookup(data, keyPath(e))
	if value == nil {
		return false
	}
	text, err := toml.Marshal(value)
	return err == nil && toml.Unmarshal(text, into) == nil
}
