package register

import (
	"bytes"
	"encoding/json"
	"strings"

	"ferrus/agent"
)

// lineEnd is how a file ends its lines.
func lineEnd(data []byte) string {
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func splice(data []byte, from, to int, text string) []byte {
	out := make([]byte, 0, len(data)+len(text))
	return append(append(append(out, data[:from]...), text...), data[to:]...)
}

// addJSON makes a member or an element, unless it is there.
func addJSON(data []byte, e agent.Edit) ([]byte, error) {
	root, err := document(e.File, data, e.Comments)
	if err != nil {
		return nil, err
	}
	if root.kind == 0 {
		text := pretty(inside(e, e.Path), "", "  ", lineEnd(data)) + lineEnd(data)
		if comments := bytes.TrimRight(data, " \t\r\n"); len(comments) > 0 {
			text = string(comments) + lineEnd(data) + text
		}
		return []byte(text), nil
	}
	w := writer{data, lineEnd(data), unit(data, root), e}
	at := root
	for i, key := range e.Path {
		if at.kind != '{' {
			return nil, misplaced(e, data, at, e.Path[:i], "an object")
		}
		n, ok := at.find(key)
		if !ok {
			return w.add(at, key, inside(e, e.Path[i+1:])), nil
		}
		at = at.parts[n].value
	}
	if e.Kind == agent.Element {
		return w.element(at)
	}
	return w.member(at)
}

func misplaced(e agent.Edit, data []byte, at span, path []string, want string) error {
	return fault(e.File, data, at.start, named(path)+" is not "+want)
}

func named(path []string) string {
	if len(path) == 0 {
		return "the whole"
	}
	return strings.Join(path, ".")
}

// inside is the edit with the containers that its path still lacks.
func inside(e agent.Edit, path []string) string {
	value := "[" + e.Value + "]"
	if e.Kind == agent.Member {
		value = "{" + quoted(e.Key) + ":" + e.Value + "}"
	}
	for i := len(path) - 1; i >= 0; i-- {
		value = "{" + quoted(path[i]) + ":" + value + "}"
	}
	return value
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string always can
	return string(b)
}

// pretty lays a value out; its first line is not indented.
func pretty(value, indent, unit, end string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(value), indent, unit); err != nil {
		panic(err) // values come from package agent
	}
	return strings.ReplaceAll(b.String(), "\n", end)
}

// unit is one step of indentation in a document.
func unit(data []byte, root span) string {
	if len(root.parts) > 0 {
		if indent, own := indentation(data, root.parts[0].start); own && indent != "" {
			return indent
		}
	}
	return "  "
}

// indentation is the white space that a line begins with, and whether nothing
// else stands before the offset.
func indentation(data []byte, at int) (indent string, own bool) {
	line := data[bytes.LastIndexByte(data[:at], '\n')+1 : at]
	rest := bytes.TrimLeft(line, " \t")
	return string(line[:len(line)-len(rest)]), len(rest) == 0 && bytes.IndexByte(data[:at], '\n') >= 0
}

// writer adds to one document in the way it is written.
type writer struct {
	data      []byte
	end, unit string
	edit      agent.Edit
}

// member sets the edit's key in an object. An entry that says the same of what
// ferrus is and how it is started is left as it is.
func (w writer) member(at span) ([]byte, error) {
	if at.kind != '{' {
		return nil, misplaced(w.edit, w.data, at, w.edit.Path, "an object")
	}
	n, ok := at.find(w.edit.Key)
	if !ok {
		return w.add(at, w.edit.Key, w.edit.Value), nil
	}
	old := at.parts[n]
	if sameEntry(w.data[old.value.start:old.value.end], []byte(w.edit.Value)) {
		return w.data, nil
	}
	value := w.edit.Value
	if indent, own := indentation(w.data, old.start); own {
		value = pretty(value, indent, w.unit, w.end)
	}
	return splice(w.data, old.value.start, old.value.end, value), nil
}

func (w writer) element(at span) ([]byte, error) {
	if at.kind != '[' {
		return nil, misplaced(w.edit, w.data, at, w.edit.Path, "an array")
	}
	if _, ok := w.index(at); ok {
		return w.data, nil
	}
	return w.add(at, "", w.edit.Value), nil
}

// index finds the edit's element.
func (w writer) index(at span) (int, bool) {
	for i, p := range at.parts {
		if equal(w.data[p.value.start:p.value.end], []byte(w.edit.Value)) {
			return i, true
		}
	}
	return 0, false
}

// add puts a part behind the last one: on a line of its own if that one has one.
func (w writer) add(at span, key, value string) []byte {
	name := ""
	if key != "" {
		name = quoted(key) + ": "
	}
	if len(at.parts) == 0 {
		outer, _ := indentation(w.data, at.start)
		text := w.end + outer + w.unit + name + pretty(value, outer+w.unit, w.unit, w.end) + w.end + outer
		return splice(w.data, w.hollow(at), at.end-1, text)
	}
	last := at.parts[len(at.parts)-1]
	indent, own := indentation(w.data, last.start)
	if !own {
		return splice(w.data, last.value.end, last.value.end, ", "+name+value)
	}
	after := w.behind(last.value.end)
	text := "," + string(w.data[last.value.end:after]) + w.end + indent + name + pretty(value, indent, w.unit, w.end)
	return splice(w.data, last.value.end, after, text)
}

// hollow is where in an empty container the white space before its end begins;
// comments stay.
func (w writer) hollow(at span) int {
	return at.start + 1 + len(bytes.TrimRight(w.data[at.start+1:at.end-1], " \t\r\n"))
}

// behind is the end of the comments that follow a value on its line.
func (w writer) behind(at int) int {
	r := &reader{data: w.data, at: at, comments: true}
	for {
		rest := bytes.TrimLeft(r.data[r.at:], " \t")
		skipped := len(r.data[r.at:]) - len(rest)
		if !bytes.HasPrefix(rest, []byte("//")) && !bytes.HasPrefix(rest, []byte("/*")) {
			return at
		}
		r.at += skipped
		r.comment(rest)
		at = r.at - (len(w.data[:r.at]) - len(bytes.TrimSuffix(w.data[:r.at], []byte("\r"))))
	}
}
