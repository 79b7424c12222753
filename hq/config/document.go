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

// leaf is one value of the file, or an empty table.
type leaf struct {
	path  []string
	value any
}

// document remembers where in the file each key stands.
type document struct {
	data  []byte
	lines map[string]int
}

// leaves lists the values in the order of the file, so that the first fault is
// the one a person reads first.
func (d *document) leaves(tree map[string]any) []leaf {
	var all []leaf
	var walk func(path []string, value any)
	walk = func(path []string, value any) {
		table, ok := value.(map[string]any)
		if !ok || len(table) == 0 && len(path) > 0 {
			all = append(all, leaf{path, value})
			return
		}
		for _, k := range slices.Sorted(maps.Keys(table)) {
			walk(append(slices.Clone(path), k), table[k])
		}
	}
	walk(nil, tree)
	slices.SortStableFunc(all, func(a, b leaf) int { return d.line(a.path) - d.line(b.path) })
	return all
}

// line is where a key stands, or the table it is in.
func (d *document) line(path []string) int {
	for ; len(path) > 0; path = path[:len(path)-1] {
		if n := d.lines[join(path)]; n > 0 {
			return n
		}
	}
	return 0
}

// fail adds file and line to what is wrong with a path.
func (d *document) fail(path []string, err error) error {
	var m *misfit
	if !errors.As(err, &m) {
		return err
	}
	return &Error{File: File, Line: d.line(path), What: m.what, Fix: m.fix}
}

// lines finds the line of every key and table.
func lines(data []byte) map[string]int {
	found := map[string]int{}
	line := func(n *unstable.Node) int { return 1 + bytes.Count(data[:n.Raw.Offset], []byte("\n")) }
	tomledit.Walk(data, func(path []string, key, _ *unstable.Node) {
		if name := join(path); found[name] == 0 {
			found[name] = line(key)
		}
	})
	return found
}

// join makes one string of a path; a key cannot contain a newline unescaped.
func join(path []string) string { return strings.Join(path, "\n") }
