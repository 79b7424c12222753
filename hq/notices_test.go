package hq_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// slashWord is a command of HQ's prompt in a sentence.
var slashWord = regexp.MustCompile(`(^"|[ (])/[a-z]+\b`)

// TestErrorsOfConductorsNameNoCommandsOfHQ checks the notices that ferrus run prints, too: a shell has no /resume.
func TestErrorsOfConductorsNameNoCommandsOfHQ(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || !strings.HasPrefix(s.pkg, "hq/conductor") && s.pkg != "hq/session" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isErrorNotice(call) {
				return true
			}
			ast.Inspect(call, func(n ast.Node) bool {
				words, ok := n.(*ast.BasicLit)
				if ok && words.Kind == token.STRING && slashWord.MatchString(words.Value) {
					t.Errorf("%s: %s", s.name, words.Value)
				}
				return true
			})
			return true
		})
	}
}

// isErrorNotice reports a call of notice.List that adds an error, or of a session's callback for one.
func isErrorNotice(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	switch f.Sel.Name {
	case "AddOnce", "Notice", "Problem", "Stalled":
		return true
	case "Add":
		isError, ok := call.Args[0].(*ast.Ident)
		return ok && isError.Name == "true"
	}
	return false
}
