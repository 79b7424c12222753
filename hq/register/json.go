package register

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// deepest is how far values may be nested.
const deepest = 500

// span is one value of a JSON document and where it stands.
type span struct {
	kind       byte // { [ " or x for all else
	start, end int
	parts      []part
}

// part is a member of an object or an element of an array.
type part struct {
	key   string // of a member
	start int    // of the key, or of the value
	value span
	comma int // after it; -1 when there is none
}

// last is the value of a key; a key that is there twice was refused.
func (s span) find(key string) (int, bool) {
	for i, p := range s.parts {
		if p.key == key {
			return i, true
		}
	}
	return 0, false
}

// reader finds the values of a document without changing it.
type reader struct {
	file     string
	data     []byte
	at       int
	comments bool
}

// document reads a whole file. A file of nothing but blanks is no value.
func document(file string, data []byte, comments bool) (root span, err error) {
	r := &reader{file: file, data: data, comments: comments}
	defer func() {
		if f, ok := recover().(*Fault); ok {
			err = f
		}
	}()
	if !utf8.Valid(data) {
		return root, &Fault{File: file, What: "is not UTF-8"}
	}
	r.at = len(data) - len(bytes.TrimPrefix(data, []byte("\ufeff")))
	r.blank()
	if r.at == len(data) {
		return root, nil
	}
	root = r.value(0)
	r.blank()
	if r.at < len(data) {
		r.fail(r.at, "there is something after the end")
	}
	return root, nil
}

// fail leaves document with a place.
func (r *reader) fail(at int, format string, args ...any) {
	panic(fault(r.file, r.data, at, fmt.Sprintf(format, args...)))
}

func (r *reader) peek() byte {
	if r.at < len(r.data) {
		return r.data[r.at]
	}
	return 0
}

// blank passes over white space and comments.
func (r *reader) blank() {
	for r.at < len(r.data) {
		switch rest := r.data[r.at:]; {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			r.at++
		case bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*")):
			r.comment(rest)
		default:
			return
		}
	}
}

func (r *reader) comment(rest []byte) {
	if !r.comments {
		r.fail(r.at, "a comment, which this file may not have")
	}
	end, mark := bytes.IndexByte(rest, '\n'), 0
	if rest[1] == '*' {
		if end, mark = bytes.Index(rest[2:], []byte("*/")), 4; end < 0 {
			r.fail(r.at, "a comment without an end")
		}
	}
	if end < 0 {
		end = len(rest)
	}
	r.at += end + mark
}

func (r *reader) value(depth int) span {
	if depth > deepest {
		r.fail(r.at, "nested too deep")
	}
	start := r.at
	switch c := r.peek(); c {
	case '{', '[':
		r.at++
		parts := r.parts(c, depth)
		return span{c, start, r.at, parts}
	case '"':
		r.text()
		return span{'"', start, r.at, nil}
	}
	for r.at < len(r.data) && strings.IndexByte(" \t\r\n,]}:/\"[{", r.data[r.at]) < 0 {
		r.at++
	}
	if !json.Valid(r.data[start:r.at]) {
		r.fail(start, "a value is expected")
	}
	return span{'x', start, r.at, nil}
}

// parts reads up to and past the closing bracket.
func (r *reader) parts(open byte, depth int) (all []part) {
	end := map[byte]byte{'{': '}', '[': ']'}[open]
	seen := map[string]bool{}
	for {
		r.blank()
		if r.peek() == end && len(all) == 0 {
			break
		}
		p := part{start: r.at, comma: -1}
		if open == '{' {
			p.key = r.name(seen)
		}
		p.value = r.value(depth + 1)
		all = append(all, p)
		r.blank()
		if r.peek() == end {
			break
		}
		if r.peek() != ',' {
			r.fail(r.at, "%q or %q is expected", ',', end)
		}
		all[len(all)-1].comma = r.at
		r.at++
	}
	r.at++
	return all
}

// name reads the key of a member and the colon.
func (r *reader) name(seen map[string]bool) string {
	start := r.at
	if r.peek() != '"' {
		r.fail(r.at, "a name in quotation marks is expected")
	}
	name := r.text()
	if seen[name] {
		r.fail(start, "%q is there twice", name)
	}
	seen[name] = true
	r.blank()
	if r.peek() != ':' {
		r.fail(r.at, "%q is expected", ':')
	}
	r.at++
	r.blank()
	return name
}

func (r *reader) text() (text string) {
	start := r.at
	for r.at++; r.at < len(r.data) && r.data[r.at] != '"'; r.at++ {
		if r.data[r.at] == '\\' {
			r.at++
		}
	}
	r.at++
	if r.at > len(r.data) || json.Unmarshal(r.data[start:r.at], &text) != nil {
		r.at = min(r.at, len(r.data))
		r.fail(start, "a text without an end, or with a character that may not stand in it")
	}
	return text
}
