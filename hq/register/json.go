package register

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"ferrus/agent"
)

// maxJSON limits the size of a file, and so how deep its values may be nested: the
// parser recurses.
const maxJSON = 256 << 10

const noComments = "comments and trailing commas are not allowed in this file"

const byteOrderMark = "\ufeff"

// document is a JSON file and one edit of it. The values know their offsets in the text,
// where the edit is made.
type document struct {
	agent.Edit
	mark string        // the byte order mark, if the file has one
	text []byte        // the rest, with a line end to terminate a last comment
	root *hujson.Value // nil for a file of nothing but blanks and comments
}

func parseJSON(data []byte, e agent.Edit) (*document, error) {
	switch {
	case !utf8.Valid(data):
		return nil, &FileError{File: e.File, What: "is not UTF-8"}
	case len(data) > maxJSON:
		return nil, &FileError{File: e.File, What: fmt.Sprintf("is larger than %d KiB", maxJSON>>10)}
	}
	text, marked := bytes.CutPrefix(data, []byte(byteOrderMark))
	d := &document{Edit: e, text: append(bytes.Clone(text), '\n')}
	if marked {
		d.mark = byteOrderMark
	}
	if blank := hujson.Extra(d.text); blank.IsValid() {
		if !e.Comments && !blank.IsStandard() {
			return nil, d.errorAt(bytes.IndexByte(blank, '/'), noComments)
		}
		return d, nil
	}
	root, err := hujson.Parse(d.text)
	if err != nil {
		return nil, parseError(e.File, err)
	}
	d.root = &root
	standard, err := hujson.Standardize(bytes.Clone(d.text))
	if err != nil {
		return nil, parseError(e.File, err)
	}
	return d, d.check(standard)
}

// parseError returns hujson's error, which begins with the position, as a FileError.
func parseError(file string, err error) *FileError {
	f := &FileError{File: file, What: strings.TrimPrefix(err.Error(), "hujson: ")}
	if n, _ := fmt.Sscanf(f.What, "line %d, column %d:", &f.Line, &f.Column); n == 2 {
		_, f.What, _ = strings.Cut(f.What, ": ")
	}
	return f
}

// check refuses what hujson accepts and other parsers may not: comments and trailing
// commas, which are blanks in the standard text, and duplicate keys.
func (d *document) check(standard []byte) error {
	for i := range standard {
		if !d.Comments && d.text[i] != standard[i] {
			return d.errorAt(i, noComments)
		}
	}
	for v := range d.root.All() {
		seen := map[string]bool{}
		all, _ := parts(v)
		for _, p := range all {
			if p.key != "" && seen[p.key] {
				return d.errorAt(p.first.StartOffset, fmt.Sprintf("duplicate key %q", p.key))
			}
			seen[p.key] = true
		}
	}
	return nil
}

func (d *document) errorAt(at int, what string) *FileError { return errorAt(d.File, d.text, at, what) }

// splice returns the file with a part of its text replaced.
func (d *document) splice(from, to int, text string) []byte {
	return slices.Concat([]byte(d.mark), d.text[:from], []byte(text), bytes.TrimSuffix(d.text[to:], []byte("\n")))
}

// find returns the value at a path, or nil.
func (d *document) find(path ...string) *hujson.Value {
	if d.root == nil {
		return nil
	}
	pointer := ""
	for _, key := range path {
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
	}
	return d.root.Find(pointer)
}

// part is a member of an object or an element of an array.
type part struct {
	key          string        // of a member
	first, value *hujson.Value // first is the key of a member, the value of an element
}

// parts returns the parts of an object or array, and the text before its closing
// bracket.
func parts(v *hujson.Value) (all []part, end *hujson.Extra) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			m := &c.Members[i]
			all = append(all, part{m.Name.Value.(hujson.Literal).String(), &m.Name, &m.Value})
		}
		return all, &c.AfterExtra
	case *hujson.Array:
		for i := range c.Elements {
			all = append(all, part{"", &c.Elements[i], &c.Elements[i]})
		}
		return all, &c.AfterExtra
	}
	return nil, nil
}

// decodeValue decodes a value without its comments, and reports whether it fits.
func decodeValue(v *hujson.Value, into any) bool {
	standard := v.Clone()
	standard.Standardize()
	return json.Unmarshal(standard.Pack(), into) == nil
}
