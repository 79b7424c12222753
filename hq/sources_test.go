package hq_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// source is one Go file of the repository.
type source struct {
	name string // below the root, with slashes
	pkg  string // directory below the root
	test bool
	text []byte
	file *ast.File
}

// root is the repository, seen from this package.
const root = ".."

// sources returns every Go file, whatever it is built for. A test may not change them.
func sources(t *testing.T) []source {
	t.Helper()
	all, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(all)
}

// parsed parses the files, once for all tests.
var parsed = sync.OnceValues(func() (all []source, err error) {
	err = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && name != root &&
			(strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata" || e.Name() == "dist") {
			return filepath.SkipDir
		}
		if e.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		s, err := parse(name)
		all = append(all, s)
		return err
	})
	return all, err
})

func parse(name string) (source, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return source{}, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	below, _ := filepath.Rel(root, name)
	below = filepath.ToSlash(below)
	test := strings.HasSuffix(name, "_test.go")
	return source{name: below, pkg: path.Dir(below), test: test, text: text, file: file}, nil
}

func (s source) imports() []string {
	var all []string
	for _, i := range s.file.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		all = append(all, p)
	}
	return all
}

// impureUses returns what a file uses of the packages in values, without what is
// listed there.
func (s source) impureUses() []string {
	var all []string
	for pkg, allowed := range values {
		if !slices.Contains(s.imports(), pkg) && !slices.Contains(s.imports(), "ferrus/"+pkg) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				x, ok := sel.X.(*ast.Ident)
				if ok && x.Name == path.Base(pkg) && !slices.Contains(allowed, sel.Sel.Name) {
					all = append(all, x.Name+"."+sel.Sel.Name)
				}
			}
			return true
		})
	}
	return all
}
