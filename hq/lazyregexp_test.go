package hq_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestLazyRegexpsCompile compiles every pattern that is otherwise compiled on its first use.
func TestLazyRegexpsCompile(t *testing.T) {
	count := 0
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			call := callOf(n, "lazyregexp", "New")
			if call == nil {
				return true
			}
			count++
			expr, constant := joined(s.file, call.Args[0])
			if _, err := regexp.Compile(expr); err != nil || !constant {
				t.Errorf("%s: %q: constant %v, %v", s.name, expr, constant, err)
			}
			return true
		})
	}
	if count == 0 {
		t.Error("there is none")
	}
}

// TestNoStartCompilesRegexps finds variables of packages that a start of ferrus would wait for. The packages machine
// and store import nothing above them, and the others are not in the program.
func TestNoStartCompilesRegexps(t *testing.T) {
	others := []string{"machine/", "store/", "ui/termtest/", "hq/cli/rememberedgo/"}
	for _, s := range sources(t) {
		within := func(dir string) bool { return strings.HasPrefix(s.name, dir) }
		if s.test || slices.ContainsFunc(others, within) {
			continue
		}
		for _, d := range s.file.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range group.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && slices.ContainsFunc(v.Values, compiles) {
					t.Errorf("%s: %s is compiled at every start: use lazyregexp.New", s.name, v.Names[0].Name)
				}
			}
		}
	}
}

// compiles reports whether an expression is a call of regexp.MustCompile.
func compiles(e ast.Expr) bool { return callOf(e, "regexp", "MustCompile") != nil }

// callOf returns the call that a node is of a package's function; nil: it is none.
func callOf(n ast.Node, pkg, name string) *ast.CallExpr {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != name {
		return nil
	}
	if in, ok := f.X.(*ast.Ident); !ok || in.Name != pkg {
		return nil
	}
	return call
}

// joined returns the value of string literals, and of constants of the file, that + joins.
func joined(file *ast.File, e ast.Expr) (value string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		value, err := strconv.Unquote(e.Value)
		return value, err == nil
	case *ast.Ident:
		if given := constantOf(file, e.Name); given != nil {
			return joined(file, given)
		}
	case *ast.BinaryExpr:
		left, a := joined(file, e.X)
		right, b := joined(file, e.Y)
		return left + right, a && b && e.Op == token.ADD
	}
	return "", false
}

// constantOf returns the expression of a constant of the file; nil: it has none of that name.
func constantOf(file *ast.File, name string) ast.Expr {
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, s := range group.Specs {
			if s, ok := s.(*ast.ValueSpec); ok && len(s.Names) == 1 && s.Names[0].Name == name && len(s.Values) == 1 {
				return s.Values[0]
			}
		}
	}
	return nil
}
