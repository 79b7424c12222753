package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// TestEveryDialogHasAName reads the source: a dialog that is made without a kind
// would be left out of the golden frames unseen.
func TestEveryDialogHasAName(t *testing.T) {
	for d, name := range dialogNames {
		if name == "" {
			t.Errorf("dialog %d has no name", d)
		}
	}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if made, ok := n.(*ast.CompositeLit); ok && kinds[typeOf(made)] {
				kind := kindOf(made)
				named[kind] = true
				if kind == "" {
					t.Errorf("%s makes a %s without a kind", f.Name(), typeOf(made))
				}
			}
			return true
		})
	}
	if len(named) < 10 {
		t.Errorf("only %d kinds are made: is this the source?", len(named))
	}
}

// kinds are the types of dialogs that are made for several purposes.
var kinds = map[string]bool{"page": true, "picker": true, "confirm": true}

func typeOf(made *ast.CompositeLit) string {
	name, _ := made.Type.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}

func kindOf(made *ast.CompositeLit) string {
	for _, e := range made.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok && pair.Key.(*ast.Ident).Name == "kind" {
			return pair.Value.(*ast.Ident).Name
		}
	}
	return ""
}
