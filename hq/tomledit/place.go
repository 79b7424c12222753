package tomledit

import (
	"bytes"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Visit is called with the path of a key or table; value is nil for a table. The
// nodes are good until it returns.
type Visit = func(path []string, key, value *unstable.Node)

// Walk visits every table and every key in the order of the file.
func Walk(data []byte, visit Visit) {
	p := unstable.Parser{}
	p.Reset(data)
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = visitKey(nil, e, nil, visit)
		case unstable.KeyValue:
			visitValue(table, e, visit)
		}
	}
}

func visitValue(table []string, e *unstable.Node, visit Visit) {
	path := visitKey(table, e, e.Value(), visit)
	if e.Value().Kind != unstable.InlineTable {
		return
	}
	for it := e.Value().Children(); it.Next(); {
		visitValue(path, it.Node(), visit)
	}
}

// visitKey visits the last word of a key and returns the whole path.
func visitKey(table []string, e, value *unstable.Node, visit Visit) []string {
	path := slices.Clone(table)
	for it := e.Key(); it.Next(); {
		path = append(path, string(it.Node().Data))
		if it.IsLast() {
			visit(path, it.Node(), value)
		}
	}
	return path
}

// place is a part of the text.
type place struct{ from, to int }

func placeOf(n *unstable.Node) place {
	return place{int(n.Raw.Offset), int(n.Raw.Offset + n.Raw.Length)}
}

// places are where a key of a table may be written.
type places struct {
	value  *place // of the key, if it has one
	inline int    // behind the last value of an inline table
	line   int    // in the line after which the key belongs
}

func locate(data []byte, table []string, key string) (at places) {
	inline := false
	Walk(data, func(path []string, word, value *unstable.Node) {
		switch {
		case slices.Equal(path, table) && value == nil:
			at.line = int(word.Raw.Offset)
		case slices.Equal(path, table):
			inline = value.Kind == unstable.InlineTable
		case len(path) != len(table)+1 || !slices.Equal(path[:len(table)], table):
		case path[len(table)] == key:
			p := placeOf(value)
			at.value = &p
		case inline:
			at.inline = placeOf(value).to
		case at.line > 0 && path[len(table)] < key:
			at.line = max(at.line, placeOf(value).to) // an array does not say where it is
		}
	})
	return at
}

// block returns the lines of a table and its subtables: from its header to the
// last line that is neither blank nor a comment.
func block(data []byte, path []string) (from, to int, ok bool) {
	to = len(data)
	Walk(data, func(at []string, word, value *unstable.Node) {
		if value != nil {
			return
		}
		inside := len(at) >= len(path) && slices.Equal(at[:len(path)], path)
		start := bytes.LastIndexByte(data[:word.Raw.Offset], '\n') + 1
		switch {
		case inside && !ok:
			from, ok = start, true
		case !inside && ok:
			to = min(to, start)
		}
	})
	if !ok {
		return 0, 0, false
	}
	return from, trimmed(data, to), true
}

// trimmed leaves out the blank lines and comments before an offset.
func trimmed(data []byte, at int) int {
	for at > 0 {
		start := bytes.LastIndexByte(data[:at-1], '\n') + 1
		if text := bytes.TrimSpace(data[start:at]); len(text) > 0 && text[0] != '#' {
			return at
		}
		at = start
	}
	return at
}

// Raw returns the text of the value at a path.
func Raw(data []byte, path []string) string {
	at := locate(data, path[:len(path)-1], path[len(path)-1])
	if at.value == nil {
		return ""
	}
	return string(data[at.value.from:at.value.to])
}

// LineEnd returns how a text ends its lines.
func LineEnd(data []byte) string {
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// endOfLine returns where the line of an offset ends.
func endOfLine(data []byte, at int) int {
	line, _, _ := bytes.Cut(data[at:], []byte("\n"))
	return at + len(bytes.TrimSuffix(line, []byte("\r")))
}

// Gap returns what comes between a text and a section that is added to it.
func Gap(data []byte) string {
	switch end := LineEnd(data); {
	case len(data) == 0:
		return ""
	case data[len(data)-1] != '\n':
		return end + end
	default:
		return end
	}
}

// BlankBefore returns where the blank line before an offset begins.
func BlankBefore(data []byte, at int) int {
	for _, blank := range []string{"\r\n", "\n"} {
		before, ok := bytes.CutSuffix(data[:at], []byte(blank))
		if ok && (len(before) == 0 || before[len(before)-1] == '\n') {
			return len(before)
		}
	}
	return at
}
