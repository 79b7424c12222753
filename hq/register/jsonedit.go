package register

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"ferrus/agent"
	"ferrus/hq/tomledit"
)

const blanks = " \t\r\n"

// containers are the kinds of values that edits are made in.
var containers = map[agent.Kind]struct {
	kind hujson.Kind
	name string
}{agent.Member: {'{', "an object"}, agent.Element: {'[', "an array"}}

// addJSON adds a member or an element in the style of the file. A member that starts
// ferrus in the same way is kept.
func addJSON(data []byte, e agent.Edit) ([]byte, error) {
	d, err := parseJSON(data, e)
	if err != nil {
		return nil, err
	}
	if d.root == nil {
		text := string(bytes.TrimRight(data, blanks))
		if text != "" {
			text += tomledit.LineEnd(data)
		}
		return []byte(text + d.pretty(d.wrapped(e.Path), "") + tomledit.LineEnd(data)), nil
	}
	at := d.root
	for i, key := range e.Path {
		if err := d.expect(at, e.Path[:i], agent.Member); err != nil {
			return nil, err
		}
		below := d.find(e.Path[:i+1]...)
		if below == nil {
			return d.append(at, key, d.wrapped(e.Path[i+1:])), nil
		}
		at = below
	}
	if err := d.expect(at, e.Path, e.Kind); err != nil {
		return nil, err
	}
	return d.set(at), nil
}

// expect reports a value that cannot hold an edit of a kind.
func (d *document) expect(at *hujson.Value, path []string, kind agent.Kind) error {
	want := containers[kind]
	if at.Value.Kind() == want.kind {
		return nil
	}
	name := cmp.Or(strings.Join(path, "."), "the whole")
	return d.errorAt(at.StartOffset, name+" is not "+want.name)
}

// set makes the edit in its container.
func (d *document) set(at *hujson.Value) []byte {
	all, n := d.index(at)
	if n < 0 {
		return d.append(at, d.Key, d.Value)
	}
	old := all[n].value
	if d.Kind == agent.Element || sameEntry(old, d.Value) {
		return d.splice(0, 0, "")
	}
	value := d.Value
	if indent, own := d.indent(all[n].first.StartOffset); own {
		value = d.pretty(value, indent)
	}
	return d.splice(old.StartOffset, old.EndOffset, value)
}

// index returns the parts of a container, and the index of the edit's part or -1.
func (d *document) index(at *hujson.Value) ([]part, int) {
	all, _ := parts(at)
	return all, slices.IndexFunc(all, func(p part) bool {
		if d.Kind == agent.Member {
			return p.key == d.Key
		}
		var x, y any
		return decodeValue(p.value, &x) && json.Unmarshal([]byte(d.Value), &y) == nil && reflect.DeepEqual(x, y)
	})
}

// wrapped returns the edit in the containers that are missing on its path.
func (d *document) wrapped(path []string) string {
	value := "[" + d.Value + "]"
	if d.Kind == agent.Member {
		value = "{" + quoted(d.Key) + ":" + d.Value + "}"
	}
	for _, key := range slices.Backward(path) {
		value = "{" + quoted(key) + ":" + value + "}"
	}
	return value
}

func quoted(s string) string { return string(hujson.String(s)) }

// pretty formats a value; its first line is not indented.
func (d *document) pretty(value, indent string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(value), indent, d.unit()); err != nil {
		panic(err) // values come from package agent, and TestGolden formats them all
	}
	return strings.ReplaceAll(b.String(), "\n", tomledit.LineEnd(d.text))
}

// unit returns one step of indentation.
func (d *document) unit() string {
	if d.root != nil {
		if all, _ := parts(d.root); len(all) > 0 {
			if indent, own := d.indent(all[0].first.StartOffset); own && indent != "" {
				return indent
			}
		}
	}
	return "  "
}

// indent returns the indentation of the line of an offset, and whether nothing else is
// before it on its line.
func (d *document) indent(at int) (indent string, own bool) {
	start := bytes.LastIndexByte(d.text[:at], '\n') + 1
	line := d.text[start:at]
	rest := bytes.TrimLeft(line, " \t")
	return string(line[:len(line)-len(rest)]), len(rest) == 0 && start > 0
}

// append adds a part after the last one, on its own line if the last one has its own. A
// comment on the line of the last one stays there.
func (d *document) append(at *hujson.Value, key, value string) []byte {
	name, end := "", tomledit.LineEnd(d.text)
	if key != "" {
		name = quoted(key) + ": "
	}
	all, closing := parts(at)
	if len(all) == 0 {
		outer, _ := d.indent(at.StartOffset)
		text := end + outer + d.unit() + name + d.pretty(value, outer+d.unit()) + end + outer
		return d.splice(at.StartOffset+1+len(bytes.TrimRight(*closing, blanks)), at.EndOffset-1, text)
	}
	last := all[len(all)-1]
	from, to, comma := last.value.EndOffset, last.value.EndOffset, ","
	if after := last.value.AfterExtra; after != nil { // a trailing comma
		from, comma = from+len(after)+1, ""
		to = from
	}
	indent, own := d.indent(last.first.StartOffset)
	if !own {
		return d.splice(from, to, comma+" "+name+value)
	}
	comment, _, _ := bytes.Cut(*closing, []byte("\n"))
	comment = bytes.TrimRight(comment, blanks)
	if bytes.Count(comment, []byte("/*")) != bytes.Count(comment, []byte("*/")) {
		comment = nil // it continues on the next line
	}
	return d.splice(from, to+len(comment), comma+string(comment)+end+indent+name+d.pretty(value, indent))
}

// removeJSON removes what addJSON added, and the containers that become empty.
func removeJSON(data []byte, e agent.Edit) ([]byte, error) {
	d, err := parseJSON(data, e)
	if err != nil {
		return nil, err
	}
	at := d.find(e.Path...)
	if at == nil {
		return data, nil
	}
	all, n := d.index(at)
	if n < 0 {
		return data, nil
	}
	for depth := len(e.Path) - 1; depth >= 0 && len(all) == 1; depth-- { // it would become empty
		all, _ = parts(d.find(e.Path[:depth]...))
		n = slices.IndexFunc(all, func(p part) bool { return p.key == e.Path[depth] })
	}
	return d.remove(all, n), nil
}

// remove deletes a part of a container and keeps the comments before it.
func (d *document) remove(all []part, n int) []byte {
	before, value, last := all[n].first.BeforeExtra, all[n].value, n == len(all)-1
	from, to := all[n].first.StartOffset-len(before), value.EndOffset
	kept := string(bytes.TrimRight(before, blanks))
	if !last || value.AfterExtra != nil {
		to += len(value.AfterExtra) + len(",")
	}
	switch {
	case n == 0 && !last:
		kept = string(before)
		to += len(d.text[to:]) - len(bytes.TrimLeft(d.text[to:], blanks))
	case n == 0 && kept == "":
		to += len(d.text[to:]) - len(bytes.TrimLeft(d.text[to:], blanks))
	case last && n > 0:
		from = all[n-1].value.EndOffset + len(all[n-1].value.AfterExtra) // its comma
	}
	comment := strings.Contains(kept[strings.LastIndexByte(kept, '\n')+1:], "//")
	if comment && !bytes.HasPrefix(bytes.TrimLeft(d.text[to:], " \t\r"), []byte("\n")) {
		kept += tomledit.LineEnd(d.text)
	}
	return d.splice(from, to, kept)
}
