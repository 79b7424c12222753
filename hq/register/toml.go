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

// checkTOML reports a file that is not TOML, with the place.
func checkTOML(file string, data []byte) error {
	err := toml.Unmarshal(data, &map[string]any{})
	if err == nil {
		return nil
	}
	f := &Fault{File: file, What: strings.TrimPrefix(err.Error(), "toml: ")}
	if d := (*toml.DecodeError)(nil); errors.As(err, &d) {
		f.Line, f.Column = d.Position()
	}
	return f
}

// addTOML makes a table at the end of the file, or anew where it stands, unless it
// says the same already.
func addTOML(data []byte, e agent.Edit) ([]byte, error) {
	if err := checkTOML(e.File, data); err != nil {
		return nil, err
	}
	var old, want entry
	if tableEntry(data, e, &old) && toml.Unmarshal([]byte(e.Value), &want) == nil && reflect.DeepEqual(old, want) {
		return data, nil
	}
	text := "[" + strings.Join(place(e), ".") + "]\n" + e.Value
	edited, err := tomledit.SetTable(data, place(e), strings.ReplaceAll(text, "\n", tomledit.LineEnd(data)))
	if err != nil {
		at := max(bytes.Index(data, []byte(e.Path[0])), 0)
		return nil, fault(e.File, data, at, strings.Join(e.Path, ".")+" is written in a way that cannot be added to: give each of its entries a table of its own")
	}
	return edited, nil
}

// removeTOML takes a table away, or puts back the one that was there.
func removeTOML(data []byte, e agent.Edit, old string) ([]byte, error) {
	if err := checkTOML(e.File, data); err != nil {
		return nil, err
	}
	remove := tomledit.RemoveTable
	if old != "" {
		remove = func(data []byte, path []string) ([]byte, error) { return tomledit.SetTable(data, path, old) }
	}
	edited, err := remove(data, place(e))
	if err != nil {
		at := max(bytes.Index(data, []byte(e.Key)), 0)
		return nil, fault(e.File, data, at, e.Key+" is written in a way that cannot be removed here")
	}
	return edited, nil
}

func place(e agent.Edit) []string { return append(slices.Clone(e.Path), e.Key) }

// tableEntry reads what matters of a table, and reports whether it is an entry.
func tableEntry(data []byte, e agent.Edit, into *entry) bool {
	value := tomledit.Lookup(data, place(e))
	if value == nil {
		return false
	}
	text, err := toml.Marshal(value)
	return err == nil && toml.Unmarshal(text, into) == nil
}
