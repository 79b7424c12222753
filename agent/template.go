package agent

import (
	"embed"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync"
	"text/template/parse"
)

//go:embed prompts/*.tmpl
var prompts embed.FS

// promptTrees returns the templates of prompts by name. Package text/template would execute them
// too, but it finds methods by name, and with that the linker keeps each exported method of the
// program: 3 MB. [render] knows the part of the language that prompts need: text, fields,
// {{.}}, {{if}} with eq, {{with}}, {{else}}, {{define}} and {{template}}.
var promptTrees = sync.OnceValue(func() map[string]*parse.Tree {
	all := map[string]*parse.Tree{}
	files, err := prompts.ReadDir("prompts")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		content, err := prompts.ReadFile("prompts/" + f.Name())
		if err != nil {
			panic(err)
		}
		trees, err := parse.Parse(f.Name(), string(content), "", "", map[string]any{"eq": true})
		if err != nil {
			panic(err)
		}
		maps.Copy(all, trees)
	}
	return all
})

// executePrompt renders a template with a struct as its data.
func executePrompt(name string, data any) (string, error) {
	var b strings.Builder
	if err := renderTemplate(&b, name, reflect.ValueOf(data)); err != nil {
		return "", err
	}
	return strings.TrimSpace(b.String()) + "\n", nil
}

func renderTemplate(b *strings.Builder, name string, dot reflect.Value) error {
	t := promptTrees()[name]
	if t == nil {
		return fmt.Errorf("there is no template %q", name)
	}
	return render(b, t.Root, dot)
}

// render writes a node, and what is below it.
func render(b *strings.Builder, node parse.Node, dot reflect.Value) error {
	switch n := node.(type) {
	case *parse.ListNode:
		if n == nil {
			return nil // there is no else
		}
		for _, child := range n.Nodes {
			if err := render(b, child, dot); err != nil {
				return err
			}
		}
		return nil
	case *parse.TextNode:
		b.Write(n.Text)
		return nil
	case *parse.ActionNode:
		v, err := evaluate(n.Pipe, dot)
		if err == nil {
			_, err = fmt.Fprint(b, v.Interface())
		}
		return err
	case *parse.IfNode:
		return renderBranch(b, &n.BranchNode, dot, false)
	case *parse.WithNode:
		return renderBranch(b, &n.BranchNode, dot, true)
	case *parse.TemplateNode:
		var v reflect.Value
		if n.Pipe != nil {
			var err error
			if v, err = evaluate(n.Pipe, dot); err != nil {
				return err
			}
		}
		return renderTemplate(b, n.Name, v)
	}
	return fmt.Errorf("prompts cannot contain %s", node)
}

// renderBranch writes one of two lists. With says that the value is the dot of the first.
func renderBranch(b *strings.Builder, n *parse.BranchNode, dot reflect.Value, with bool) error {
	v, err := evaluate(n.Pipe, dot)
	switch {
	case err != nil:
		return err
	case v.IsZero():
		return render(b, n.ElseList, dot)
	case with:
		return render(b, n.List, v)
	}
	return render(b, n.List, dot)
}

// evaluate returns the value of {{.}}, of a field, or of eq, which compares the first argument with
// each of the others.
func evaluate(pipe *parse.PipeNode, dot reflect.Value) (reflect.Value, error) {
	if len(pipe.Cmds) != 1 || len(pipe.Decl) > 0 {
		return dot, fmt.Errorf("prompts cannot contain %s", pipe)
	}
	args := pipe.Cmds[0].Args
	if f, ok := args[0].(*parse.IdentifierNode); ok && f.Ident == "eq" && len(args) > 2 {
		first, err := argument(args[1], dot)
		if err != nil {
			return dot, err
		}
		for _, other := range args[2:] {
			if v, err := argument(other, dot); err != nil || v.Equal(first) {
				return reflect.ValueOf(err == nil), err
			}
		}
		return reflect.ValueOf(false), nil
	}
	if len(args) != 1 {
		return dot, fmt.Errorf("prompts cannot contain %s", pipe)
	}
	return argument(args[0], dot)
}

func argument(node parse.Node, dot reflect.Value) (reflect.Value, error) {
	switch n := node.(type) {
	case *parse.DotNode:
		return dot, nil
	case *parse.StringNode:
		return reflect.ValueOf(n.Text), nil
	case *parse.FieldNode:
		if dot.Kind() == reflect.Struct && len(n.Ident) == 1 {
			if v := dot.FieldByName(n.Ident[0]); v.IsValid() {
				return v, nil
			}
		}
	}
	return dot, fmt.Errorf("prompts cannot contain %s in %s", node, dot.Kind())
}
