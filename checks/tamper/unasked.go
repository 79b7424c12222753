package tamper

import (
	"path"
	"slices"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// unasked are the files from which programs of the reader of a repository take commands by themselves: a shell that
// enters a directory, an editor that opens one, git with the hooks of the repository, an agent that starts. A directory
// with a HEAD is a repository to git, whose configuration it obeys.
var unasked = lazyregexp.New(
	`(?:^|/)(?:\.envrc(?:\.[\w-]+)?|\.autoenv(?:\.[\w-]+)?|\.nvim\.lua|\.(?:n?vim|ex|l(?:ocal)?vim)rc` +
		`|\.gitconfig|\.dir-locals(?:-2)?\.el|[^/]+\.(?:code-workspace|sublime-project|run\.xml)|HEAD)$` +
		`|(?:^|/)\.vscode/(?:tasks|mcp)\.json$|(?:^|/)\.(?:zed|fleet|helix)/[^/]+$` +
		`|(?:^|/)\.idea/(?:runConfigurations/|(?:workspace|watcherTasks|externalDependencies)\.xml$)` +
		`|(?:^|/)(?:\.(?:husky|githooks|git-hooks|lefthook)|githooks)/` +
		`|(?:^|/)\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)$|(?:^|/)(?:\.overcommit\.yml|captainhook\.json)$` +
		`|(?:^|/)\.[a-z][\w-]*/(?:[^/]+/)*(?:mcp|hooks)\.json$`)

// isOfAgents reports whether a file has settings of agents. Texts have none, and variables are those of all programs.
func (f *finder) isOfAgents(name string) bool {
	if strings.HasSuffix(name, ".md") || strings.HasPrefix(path.Base(name), ".env") {
		return false
	}
	return slices.ContainsFunc(f.change.AgentSettings, func(place string) bool {
		return strings.Contains("/"+name+"/", "/"+place+"/")
	})
}

// unaskedParts are the parts that do so of files with other settings.
var unaskedParts = []part{
	{rule: runsUnasked, path: lazyregexp.New(`(?:^|/)\.pre-commit-config\.yaml$`),
		line: lazyregexp.New(`^\s*(?:-\s*)?(?:repo|entry)\s*:`)},
	{rule: runsUnasked, path: lazyregexp.New(`(?:^|/)\.vscode/settings\.json$`), line: lazyregexp.New(
		`(?i)path|command|exec|interpreter|shell|terminal|task|\benv|runtime|server|binary|args`)},
	{rule: runsUnasked, path: lazyregexp.New(`(?:^|/)(?:\.devcontainer/(?:[^/]+/)?devcontainer|\.devcontainer)\.json$`),
		line: lazyregexp.New(`(?i)initializeCommand|mount|runArgs|privileged|\.sock`)},
	{rule: runsUnasked, path: lazyregexp.New(`(?:^|/)\.?mise(?:\.[\w-]+)?\.toml$`),
		line: lazyregexp.New(`^\s*\[hooks|exec\(|_\.(?:source|file|path)|^\s*(?:enter|leave|cd)\s*=`)},
}
