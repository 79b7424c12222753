package register

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"ferrus/agent"
)

// decode reads a TOML file.
func decode(file string, data []byte) (map[string]any, error) {
	tree := map[string]any{}
	err := toml.Unmarshal(data, &tree)
	if err == nil {
		return tree, nil
	}
	f := &Fault{File: file, What: strings.TrimPrefix(err.Error(), "toml: ")}
	if d := (*toml.DecodeError)(nil); errors.As(err, &d) {
		f.Line, f.Column = d.Position()
	}
	return nil, f
}

// addTOML makes a table at the end of the file, or anew where it stands. It
// returns no text in which anything else reads differently.
func addTOML(data []byte, e agent.Edit) ([]byte, error) {
	tree, err := decode(e.File, data)
	if err != nil {
		return nil, err
	}
	end := lineEnd(data)
	text := strings.ReplaceAll("["+strings.Join(append(slices.Clone(e.Path), e.Key), ".")+"]\n"+e.Value, "\n", end)
	if old, ok := lookup(tree, e.Path, e.Key); ok && sameTable(old, []byte(e.Value)) {
		return data, nil
	}
	edited := data
	if from, to, ok := block(data, append(slices.Clone(e.Path), e.Key)); ok {
		edited = splice(data, from, to, text)
	} else {
		edited = slices.Concat(data, []byte(gap(data, end)+text))
	}
	return edited, proves(e, tree, data, edited)
}

// gap sets what comes at the end of a text off from what is there.
func gap(data []byte, end string) string {
	switch {
	case len(data) == 0:
		return ""
	case data[len(data)-1] != '\n':
		return end + end
	}
	return end
}

// proves reads an edited file before anybody else does.
func proves(e agent.Edit, tree map[string]any, data, edited []byte) error {
	after, err := decode(e.File, edited)
	if err == nil {
		forget(tree, e.Path, e.Key)
		forget(after, e.Path, e.Key)
		if reflect.DeepEqual(tree, after) {
			return nil
		}
	}
	at := max(bytes.Index(data, []byte(e.Path[0])), 0)
	return fault(e.File, data, at, strings.Join(e.Path, ".")+" is written in a way that cannot be added to: give each of its entries a table of its own")
}

func lookup(tree map[string]any, path []string, key string) (any, bool) {
	for _, word := range path {
		tree, _ = tree[word].(map[string]any)
	}
	value, ok := tree[key]
	return value, ok
}

// forget takes a value out of a tree, and with it tables that are empty then.
func forget(tree map[string]any, path []string, key string) {
	if len(path) == 0 {
		delete(tree, key)
		return
	}
	if below, ok := tree[path[0]].(map[string]any); ok {
		if forget(below, path[1:], key); len(below) == 0 {
			delete(tree, path[0])
		}
	}
}

// sameTable compares what matters of an entry with the lines of an edit.
func sameTable(old any, lines []byte) bool {
	var x, y entry
	return recode(old, &x) && toml.Unmarshal(lines, &y) == nil && reflect.DeepEqual(x, y)
}

func recode(value any, into *entry) bool {
	text, err := toml.Marshal(value)
	return err == nil && toml.Unmarshal(text, into) == nil
}

// block is where a table and those below it stand: from the line of its head to
// the last line that is neither blank nor a comment.
func block(data []byte, path []string) (from, to int, ok bool) {
	p := unstable.Parser{}
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable {
			continue
		}
		at, words := keys(e)
		inside := len(words) >= len(path) && slices.Equal(words[:len(path)], path)
		start := bytes.LastIndexByte(data[:at], '\n') + 1
		switch {
		case inside && !ok:
			from, ok = start, true
		case !inside && ok:
			return from, trimmed(data, start), true
		}
	}
	return from, trimmed(data, len(data)), ok
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

// keys are the words of an expression's key, and where it begins.
func keys(e *unstable.Node) (at int, words []string) {
	for it := e.Key(); it.Next(); {
		if len(words) == 0 {
			at = int(it.Node().Raw.Offset)
		}
		words = append(words, string(it.Node().Data))
	}
	return at, words
}

func nextLine(data []byte, at int) int {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(data)
}

// removeTOML takes a table away, with a blank line before it, or puts back the
// one that was there.
func removeTOML(data []byte, e agent.Edit, old string) ([]byte, error) {
	tree, err := decode(e.File, data)
	if err != nil {
		return nil, err
	}
	if _, there := lookup(tree, e.Path, e.Key); !there {
		return data, nil
	}
	from, to, ok := block(data, append(slices.Clone(e.Path), e.Key))
	if !ok {
		from, to = 0, 0 // proves says that it is still there
	}
	if old != "" {
		return splice(data, from, to, old), nil
	}
	edited := splice(data, setOff(data, from), to, "")
	after, err := decode(e.File, edited)
	if err == nil {
		forget(tree, e.Path, e.Key)
		forget(after, e.Path, e.Key) // and the tables that are empty then
	}
	if err != nil || !reflect.DeepEqual(tree, after) {
		return nil, fault(e.File, data, max(bytes.Index(data, []byte(e.Key)), 0), e.Key+" is written in a way that cannot be removed here")
	}
	return edited, nil
}

// setOff is where the blank line before an offset begins.
func setOff(data []byte, at int) int {
	for _, blank := range []string{"\r\n", "\n"} {
		if before, ok := bytes.CutSuffix(data[:at], []byte(blank)); ok && (len(before) == 0 || before[len(before)-1] == '\n') {
			return len(before)
		}
	}
	return at
}
