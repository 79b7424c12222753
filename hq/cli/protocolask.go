package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent/acp"
	"ferrus/hq/core"
	"ferrus/hq/serve"
	"ferrus/machine"
)

// permissionAsker answers an agent's requests for permission: what its role does anyway is allowed,
// and the human is asked for the rest.
type permissionAsker struct {
	dir   string // its workspace
	edits bool   // its role changes files there
	asker *serve.Asker
}

// newPermissionAsker returns one that asks by ferrus's server among some.
func newPermissionAsker(dir string, edits bool, servers []acp.Server) *permissionAsker {
	p := &permissionAsker{dir: dir, edits: edits}
	for _, s := range servers {
		if s.Name != "ferrus" {
			continue
		}
		p.asker = &serve.Asker{Command: append([]string{s.Command}, s.Args...), Env: os.Environ()}
		for _, v := range s.Env {
			p.asker.Env = append(p.asker.Env, v.Name+"="+v.Value)
		}
	}
	return p
}

func (p *permissionAsker) close() {
	if p.asker != nil {
		p.asker.Close()
	}
}

// permit answers a request. It waits for the human as long as ctx lasts.
func (p *permissionAsker) permit(ctx context.Context, r acp.Request) (acp.Answer, error) {
	question, allowed := p.judge(r)
	if allowed {
		return acp.Answer{Allow: true}, nil
	}
	if p.asker == nil {
		return acp.Answer{}, errors.New("this session has no ferrus server to ask you through")
	}
	answer, err := p.asker.Ask(ctx, question)
	return acp.Answer{Allow: answer.Allowed, Always: answer.Task, Reason: answer.Reason}, err
}

// judge returns what the human is asked, unless a request is for something that needs no question.
func (p *permissionAsker) judge(r acp.Request) (q serve.Question, allowed bool) {
	if p.allowed(r) {
		return q, true
	}
	return p.question(r), false
}

// allowed reports whether a request is for something that needs no question: the tools of ferrus, to
// look around, and to change files of the workspace, if the role does.
func (p *permissionAsker) allowed(r acp.Request) bool {
	switch r.Kind {
	case acp.CallEdit, acp.CallDelete, acp.CallMove:
		return p.edits && p.inside(r)
	case acp.CallRead, acp.CallSearch:
		return p.inside(r)
	}
	names := serve.ToolNames(machine.Supervisor)
	if p.edits {
		names = append(names, serve.ToolNames(machine.Executor)...)
	}
	return r.ReadOnly("ferrus", names)
}

// inside reports whether all files that a request names are in the workspace; one that names none
// is not.
func (p *permissionAsker) inside(r acp.Request) bool {
	named := r.Files()
	if r.Subject.Pattern {
		named = append(named, r.Subject.Text)
	}
	paths := p.absolute(named)
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(path string) bool {
		below, err := filepath.Rel(realPath(p.dir), realPath(path))
		return err != nil || !filepath.IsLocal(below)
	})
}

// absolute returns paths from the workspace, each once.
func (p *permissionAsker) absolute(paths []string) (all []string) {
	for _, path := range paths {
		if strings.TrimSpace(path) == "" {
			continue
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.dir, path)
		}
		if path = filepath.Clean(path); !slices.Contains(all, path) {
			all = append(all, path)
		}
	}
	return all
}

// realPath resolves the links in a path whose last elements may not exist yet.
func realPath(path string) string {
	for rest := ""; ; {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(path)
		if parent == path {
			return filepath.Join(path, rest)
		}
		path, rest = parent, filepath.Join(filepath.Base(path), rest)
	}
}

// question returns what the human is asked.
func (p *permissionAsker) question(r acp.Request) serve.Question {
	q := serve.Question{Call: r.Call, Detail: r.Title, Input: r.Input}
	paths := strings.Join(p.absolute(r.Files()), ", ")
	switch r.Kind {
	case acp.CallExecute:
		q.Kind, q.What = core.PermitCommand, r.Subject.Text
	case acp.CallRead, acp.CallSearch:
		q.Kind, q.What = core.PermitRead, paths
	case acp.CallEdit, acp.CallDelete, acp.CallMove:
		q.Kind, q.What = core.PermitWrite, paths
	case acp.CallFetch:
		q.Kind, q.What = core.PermitHost, r.Subject.Text
	default:
		q.Kind, q.What = core.PermitTool, cmp.Or(r.Tool, r.Choice)
		if r.Tool == "" && r.Subject.Path && filepath.IsAbs(r.Subject.Text) {
			// Of a kind of its own: it does more where its role may.
			q.Kind, q.What = core.PermitRead, paths
			if p.edits {
				q.Kind = core.PermitWrite
			}
		}
	}
	if q.What == "" && q.Kind != core.PermitCommand { // a title is no file and no host
		q.Kind, q.What = core.PermitTool, r.Tool
	}
	if q.What == "" {
		q.What, q.Detail = r.Title, ""
	}
	if q.What == "" {
		q.Kind, q.What = core.PermitOther, "something that it does not name"
	}
	return q
}
