// Package tomledit changes one value or table of a TOML file and leaves every
// other byte as it is.
//
// [Set], [SetTable] and [RemoveTable] take valid TOML. They parse and compare their
// result, and return [ErrShape] rather than a text in which anything else would
// read differently. [Lookup], [Raw], [Table] and [Walk] only read; [LineEnd], [Gap]
// and [BlankBefore] serve any text of lines.
package tomledit

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// ErrShape reports that the file is written in a way that cannot be edited.
var ErrShape = errors.New("it is written in a way that cannot be edited")

// Set writes a value, given as TOML, at a path. A value that is there is replaced;
// a new one goes into its table behind the keys that sort before it, or into a new
// table at the end of the file.
func Set(data []byte, path []string, value string) ([]byte, error) {
	table, key := path[:len(path)-1], path[len(path)-1]
	at, end := locate(data, table, key), LineEnd(data)
	line := key + " = " + value
	from, to, text := len(data), len(data), Gap(data)+"["+strings.Join(table, ".")+"]"+end+line+end
	switch {
	case at.value != nil:
		from, to, text = at.value.from, at.value.to, value
	case at.inline > 0:
		from, to, text = at.inline, at.inline, ", "+line
	case at.line > 0:
		from, text = endOfLine(data, at.line), end+line
		to = from
	}
	return replaced(data, from, to, text, path)
}

// SetTable writes a table, given with its head: where it stands, or at the end.
func SetTable(data []byte, path []string, text string) ([]byte, error) {
	from, to, ok := block(data, path)
	if !ok {
		from, to, text = len(data), len(data), Gap(data)+text
	}
	return replaced(data, from, to, text, path)
}

// RemoveTable takes a table away, with a blank line before it.
func RemoveTable(data []byte, path []string) ([]byte, error) {
	from, to, _ := block(data, path)
	edited, err := replaced(data, BlankBefore(data, from), to, "", path)
	if Lookup(edited, path) != nil {
		return nil, ErrShape
	}
	return edited, err
}

// Table returns the text of a table, if it has a head of its own.
func Table(data []byte, path []string) (text string, ok bool) {
	from, to, ok := block(data, path)
	return string(data[from:to]), ok
}

// Lookup returns the value at a path, or nil.
func Lookup(data []byte, path []string) (value any) {
	tree := map[string]any{}
	if toml.Unmarshal(data, &tree) != nil {
		return nil
	}
	value = tree
	for _, key := range path {
		table, _ := value.(map[string]any)
		value = table[key]
	}
	return value
}

// replaced returns the file with a part of its text replaced, unless that changes
// more than the value at a path.
func replaced(data []byte, from, to int, text string, path []string) ([]byte, error) {
	edited := slices.Concat(data[:from], []byte(text), data[to:])
	before, after := map[string]any{}, map[string]any{}
	if toml.Unmarshal(data, &before) != nil || toml.Unmarshal(edited, &after) != nil {
		return nil, ErrShape
	}
	forget(before, path)
	forget(after, path)
	if !reflect.DeepEqual(before, after) {
		return nil, ErrShape
	}
	return edited, nil
}

// forget takes a value out of a tree, and with it tables that are empty then.
func forget(tree map[string]any, path []string) {
	if len(path) == 1 {
		delete(tree, path[0])
		return
	}
	if below, ok := tree[path[0]].(map[string]any); ok {
		if forget(below, path[1:]); len(below) == 0 {
			delete(tree, path[0])
		}
	}
}
