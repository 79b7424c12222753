package hq_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"testing"
)

// TestLazyRegexpsCompile compiles every pattern that is otherwise compiled on its first use.
func TestLazyRegexpsCompile(t *testing.T) {
	count := 0
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "New" {
				return true
			}
			if in, ok := f.X.(*ast.Ident); !ok || in.Name != "lazyregexp" {
				return true
			}
			count++
			expr, constant := joined(call.Args[0])
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

// joined returns the value of string literals that + joins.
func joined(e ast.Expr) (value string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		value, err := strconv.Unquote(e.Value)
		return value, err == nil
	case *ast.BinaryExpr:
		left, a := joined(e.X)
		right, b := joined(e.Y)
		return left + right, a && b && e.Op == token.ADD
	}
	return "", false
}
