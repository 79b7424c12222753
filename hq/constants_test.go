package hq_test

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// named are fields whose values have constants: a misspelled constant does not compile.
var named = []string{"Kind", "State", "Event", "At", "Status", "Verdict", "Decision", "Reason"}

// aName matches a literal that may be a name, not a sentence.
var aName = regexp.MustCompile(`^"[A-Za-z_-]+"$`)

// wire packages talk to ferrus from outside, with the names of its tools.
var wire = []string{"hq/demo", "hq/e2e", "hq/clients/model"}

func TestNamesAreConstants(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || !strings.HasPrefix(s.pkg, "hq/") || slices.Contains(wire, s.pkg) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			for _, literal := range literals(n) {
				t.Errorf("%s: %s is written as %s, and not as a constant", s.name, literal.field, literal.value)
			}
			return true
		})
	}
}

// literal is a text that is given to a field, or compared with it.
type literal struct{ field, value string }

// literals returns the texts that a node gives to one of the named fields, or
// compares with it.
func literals(n ast.Node) (all []literal) {
	add := func(of ast.Expr, values ...ast.Expr) {
		name := ""
		switch of := of.(type) {
		case *ast.SelectorExpr:
			name = of.Sel.Name
		case *ast.Ident:
			name = of.Name
		}
		for _, v := range values {
			if l, ok := v.(*ast.BasicLit); ok && slices.Contains(named, name) && aName.MatchString(l.Value) {
				all = append(all, literal{name, l.Value})
			}
		}
	}
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		add(n.Key, n.Value)
	case *ast.BinaryExpr:
		add(n.X, n.Y)
	case *ast.SwitchStmt:
		for _, c := range n.Body.List {
			add(n.Tag, c.(*ast.CaseClause).List...)
		}
	}
	return all
}
