package hq_test

import (
	"bytes"
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestImportsHaveNoAlias holds our packages to names that can stand beside each other:
// an alias would give one package two names.
func TestImportsHaveNoAlias(t *testing.T) {
	for _, s := range sources(t) {
		for _, i := range s.file.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			if i.Name != nil && i.Name.Name != "_" && strings.HasPrefix(path, "ferrus/") {
				t.Errorf("%s:%d: %s is imported as %s", s.name, s.lineAt(i.Pos()), path, i.Name.Name)
			}
		}
	}
}

// lineAt returns the line of a position, from 1.
func (s source) lineAt(p token.Pos) int {
	return 1 + bytes.Count(s.text[:int(p-s.file.FileStart)], []byte("\n"))
}

// maxFields is the number of fields up to which a struct needs no reason.
const maxFields = 12

// manyFields is how the doc of a larger struct gives its reason.
var manyFields = regexp.MustCompile(`more\s+than\s+12\s+fields\s+because\s`)

// TestStructsAreSmall holds production structs to 12 fields, unless their doc says "It has
// more than 12 fields because ...". An embedded struct counts as one field.
func TestStructsAreSmall(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, d := range s.file.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range d.Specs {
				s.checkFields(t, d, spec)
			}
		}
	}
}

func (s source) checkFields(t *testing.T, d *ast.GenDecl, spec ast.Spec) {
	typ, ok := spec.(*ast.TypeSpec)
	if !ok {
		return
	}
	fields, ok := typ.Type.(*ast.StructType)
	if !ok {
		return
	}
	n := 0
	for _, f := range fields.Fields.List {
		n += max(len(f.Names), 1)
	}
	name := s.pkg + "." + typ.Name.Name
	if n <= maxFields || manyFields.MatchString(d.Doc.Text()+typ.Doc.Text()) {
		return
	}
	t.Errorf("%s:%d: %s has %d fields: make it two, or say in its doc \"It has more than 12 fields because ...\"",
		s.name, s.lineAt(typ.Pos()), name, n)
}

// maxColumns is the width of a line, where a tab counts 4.
const maxColumns = 120

// TestLinesAreShort holds lines to 120 columns. Raw strings are data and may be wider.
func TestLinesAreShort(t *testing.T) {
	for _, s := range sources(t) {
		if generated(s.text) {
			continue
		}
		raw := s.rawLines()
		for i, line := range strings.Split(string(s.text), "\n") {
			if n := columns(line); n > maxColumns && !raw[i+1] {
				t.Errorf("%s:%d: %d columns", s.name, i+1, n)
			}
		}
	}
}

func columns(line string) (n int) {
	for _, r := range line {
		n++
		if r == '\t' {
			n += 3
		}
	}
	return n
}

// rawLines returns the lines that a raw string is on.
func (s source) rawLines() map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(s.file, func(n ast.Node) bool {
		l, ok := n.(*ast.BasicLit)
		if !ok || l.Kind != token.STRING || l.Value[0] != '`' {
			return true
		}
		for i := s.lineAt(l.Pos()); i <= s.lineAt(l.End()); i++ {
			lines[i] = true
		}
		return true
	})
	return lines
}

// TestHelpersOfTestsStayInTests keeps packages whose names end in test, which exist for
// the tests of several others, out of the program.
func TestHelpersOfTestsStayInTests(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || strings.HasSuffix(s.pkg, "test") {
			continue
		}
		for _, i := range s.file.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			if strings.HasPrefix(path, "ferrus/") && strings.HasSuffix(path, "test") {
				t.Errorf("%s:%d: imports %s, which is for tests", s.name, s.lineAt(i.Pos()), path)
			}
		}
	}
}

// TestKeysOfTablesDiffer holds the tables of tests to keys that blanks alone do not tell apart: a table
// with several entries for one name is a list.
func TestKeysOfTablesDiffer(t *testing.T) {
	for _, s := range sources(t) {
		if !s.test {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			table, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			seen := map[string]bool{}
			for _, e := range table.Elts {
				key, ok := e.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				text, ok := key.Key.(*ast.BasicLit)
				if !ok || text.Kind != token.STRING {
					continue
				}
				value, _ := strconv.Unquote(text.Value)
				if value = strings.TrimRight(value, " "); value != "" && seen[value] {
					t.Errorf("%s:%d: %q is a key twice but for its blanks", s.name, s.lineAt(key.Pos()), value)
				}
				seen[value] = true
			}
			return true
		})
	}
}
