package config

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"ferrus/hq/tomledit"
)

// setting is one value of the file, or an empty table.
type setting struct {
	path  []string
	value any
}

// document knows the line of each key.
type document struct {
	data  []byte
	lines map[string]int
}

// settings returns the values in the order of the file, so that the first error is
// reported first.
func (d *document) settings(tree map[string]any) []setting {
	var all []setting
	var walk func(path []string, value any)
	walk = func(path []string, value any) {
		table, ok := value.(map[string]any)
		if !ok || len(table) == 0 && len(path) > 0 {
			all = append(all, setting{path, value})
			return
		}
		for _, k := range slices.Sorted(maps.Keys(table)) {
			walk(append(slices.Clone(path), k), table[k])
		}
	}
	walk(nil, tree)
	slices.SortStableFunc(all, func(a, b setting) int { return d.lineOf(a.path) - d.lineOf(b.path) })
	return all
}

// lineOf returns the line of a key, or of the table it is in.
func (d *document) lineOf(path []string) int {
	for ; len(path) > 0; path = path[:len(path)-1] {
		if n := d.lines[join(path)]; n > 0 {
			return n
		}
	}
	return 0
}

// fail adds file and line to an error of the value at a path.
func (d *document) fail(path []string, err error) error {
	var m *valueError
	if !errors.As(err, &m) {
		return err
	}
	return &Error{File: File, Line: d.lineOf(path), What: m.what, Fix: m.fix}
}

// keyLines returns the line of every key and table.
func keyLines(data []byte) map[string]int {
	found := map[string]int{}
	at, lines := 0, 1 // the line of a place, counted on from the previous one
	line := func(n *unstable.Node) int {
		to := int(n.Raw.Offset)
		if to < at {
			at, lines = 0, 1
		}
		lines += bytes.Count(data[at:to], []byte("\n"))
		at = to
		return lines
	}
	tomledit.Walk(data, func(path []string, key, _ *unstable.Node) {
		if name := join(path); found[name] == 0 {
			found[name] = line(key)
		}
	})
	return found
}

// join returns a path as one string; a key cannot contain an unescaped newline.
func join(path []string) string { return strings.Join(path, "\n") }
