package register

import (
	"bytes"
	"encoding/json"
	"reflect"

	"ferrus/agent"
)

// removeJSON takes away what addJSON made, and containers that are empty then.
func removeJSON(data []byte, e agent.Edit) ([]byte, error) {
	root, err := document(e.File, data, e.Comments)
	if err != nil {
		return nil, err
	}
	w := writer{data, lineEnd(data), "", e}
	holders := []span{root}
	places := []int{}
	for _, key := range e.Path {
		n, ok := holders[len(holders)-1].find(key)
		if !ok {
			return data, nil
		}
		places = append(places, n)
		holders = append(holders, holders[len(holders)-1].parts[n].value)
	}
	n, ok := w.position(holders[len(holders)-1])
	if !ok {
		return data, nil
	}
	places = append(places, n)
	depth := len(holders) - 1
	for depth > 0 && len(holders[depth].parts) == 1 {
		depth--
	}
	return w.take(holders[depth], places[depth]), nil
}

func (w writer) position(at span) (int, bool) {
	if w.edit.Kind == agent.Element {
		return w.index(at)
	}
	return at.find(w.edit.Key)
}

// take removes one part with one comma, and leaves comments between parts.
func (w writer) take(at span, n int) []byte {
	p := at.parts[n]
	switch {
	case n > 0 && p.comma >= 0:
		return splice(w.data, w.from(p, p.comma+1), p.comma+1, "")
	case n > 0:
		before := at.parts[n-1].comma
		return splice(splice(w.data, w.from(p, p.value.end), p.value.end, ""), before, before+1, "")
	case p.comma >= 0:
		return splice(w.data, p.start, w.next(p.comma+1), "")
	}
	end := w.next(p.value.end)
	if w.from(p, end) > at.start+1 { // a comment stands before it
		end = p.value.end
	}
	return splice(w.data, w.from(p, end), end, "")
}

// from is where the white space before a part begins, but not the end of the
// line of a comment that would swallow what comes after the part.
func (w writer) from(p part, end int) int {
	start := len(bytes.TrimRight(w.data[:p.start], " \t\r\n"))
	if bytes.IndexByte([]byte(",{["), w.data[start-1]) >= 0 || bytes.IndexByte(w.data[end:w.next(end)], '\n') >= 0 {
		return start
	}
	return len(bytes.TrimRight(w.data[:p.start], " \t"))
}

// next is where white space ends.
func (w writer) next(at int) int {
	return len(w.data) - len(bytes.TrimLeft(w.data[at:], " \t\r\n"))
}

// equal compares values, however they are written.
func equal(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// entry is what matters of an MCP server: the rest a person may tune.
type entry struct {
	Command string            `json:"command" toml:"command"`
	Args    []string          `json:"args" toml:"args"`
	Env     map[string]string `json:"env" toml:"env"`
}

func sameEntry(a, b []byte) bool {
	var x, y entry
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// entryOf is the zero value for what is no entry.
func entryOf(data []byte) (e entry) {
	_ = json.Unmarshal(data, &e)
	return e
}

// serves reports whether an entry starts ferrus for a role of an agent.
func (e entry) serves(role, name string) bool {
	flags := map[string]string{}
	for i := 0; i+1 < len(e.Args); i++ {
		flags[e.Args[i]] = e.Args[i+1]
	}
	return len(e.Args) > 0 && e.Args[0] == "serve" && flags["--role"] == role && flags["--agent-name"] == name
}
