package projection

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/ui/dialog"
)

// kindFields are the types of dialogs that are made for several purposes, and the field
// that has their kind.
var kindFields = map[string]string{"page": "kind", "dialog.List": "Of", "List": "Of", "dialog.Question": "Of"}

// TestDialogsHaveKinds reads the source: a dialog that is made without a kind would be
// left out of the golden frames unseen.
func TestDialogsHaveKinds(t *testing.T) {
	for _, k := range dialog.Kinds() {
		if k.String() == "" {
			t.Errorf("kind %d has no name", k)
		}
	}
	var made []string
	for _, dir := range []string{filepath.Join("..", "slash"), filepath.Join("..", "..", "..", "ui", "dialog")} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !strings.HasSuffix(f, "_test.go") {
				made = append(made, kindsIn(t, f)...)
			}
		}
	}
	slices.Sort(made)
	if n := len(slices.Compact(made)); n < 15 {
		t.Errorf("only %d kinds are made: is this the source?", n)
	}
}

// kindsIn returns the kinds of the dialogs that a file makes.
func kindsIn(t *testing.T, name string) (kinds []string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		made, ok := n.(*ast.CompositeLit)
		if !ok || kindFields[exprName(made.Type)] == "" {
			return true
		}
		kind := fieldOf(made, kindFields[exprName(made.Type)])
		if kind == "" {
			t.Errorf("%s makes a %s without a kind", name, exprName(made.Type))
		}
		kinds = append(kinds, kind)
		return true
	})
	return kinds
}

func exprName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return exprName(e.X) + "." + e.Sel.Name
	}
	return ""
}

func fieldOf(made *ast.CompositeLit, name string) string {
	for _, e := range made.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok && exprName(pair.Key) == name {
			return exprName(pair.Value)
		}
	}
	return ""
}
