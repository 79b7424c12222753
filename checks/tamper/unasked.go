package tamper

import (
	"path"
	"slices"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// RunsUnasked returns what a file has that programs of the reader of a repository run by themselves: its text, or the
// lines of it that count; false: nothing. Agents are where their programs look for settings. The text is read only if
// the name of the file matters.
func RunsUnasked(name string, text func() string, agents []string) (what string, runs bool) {
	if installed.MatchString(name) {
		return "", false
	}
	if ofGit.MatchString(name) {
		return commandsOf(text())
	}
	fits := func(p part) bool { return p.path.MatchString(name) }
	if i := slices.IndexFunc(localParts, fits); i >= 0 {
		return linesOf(localParts[i], text())
	}
	switch ofAgents := isOfAgents(name, agents); {
	case ofAgents && fits(agentPackage):
		return linesOf(agentPackage, text())
	case ofAgents, unasked.MatchString(name):
		return text(), true
	}
	if i := slices.IndexFunc(unaskedParts, fits); i >= 0 {
		return linesOf(unaskedParts[i], text())
	}
	return "", false
}

// linesOf returns the lines of a text that count.
func linesOf(p part, text string) (what string, found bool) {
	for line := range strings.Lines(text) {
		if p.line.MatchString(line) {
			what += line
		}
	}
	return what, what != ""
}

// ofGit matches configuration of git. In section and key, harmless matches what runs nothing, unless the value names a
// helper or a command: git has too many keys of commands, and gets more, to list those.
var (
	ofGit    = lazyregexp.New(`(?:^|/)\.git/(?:modules/.*)?config(?:\.worktree)?$`)
	section  = lazyregexp.New(`^\[([A-Za-z0-9-]+)(?:\s+"[^"]*")?\]$`)
	harmless = lazyregexp.New(`(?i)^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase` +
		`|precomposeunicode|symlinks|autocrlf|eol|safecrlf|sparsecheckout|sparsecheckoutcone|longpaths|quotepath` +
		`|compression|untrackedcache|protecthfs|protectntfs|abbrev|commitgraph|multipackindex|trustctime|checkstat` +
		`|whitespace)|(?:user|author|committer)\.(?:name|email|useconfigonly)` +
		`|remote\.(?:url|pushurl|fetch|push|tagopt|prune|prunetags|mirror|promisor|partialclonefilter|gh-resolved)` +
		`|branch\.[a-z-]+|submodule\.(?:url|active|branch|ignore)|extensions\.[a-z]+|gc\.(?:auto|autodetach)` +
		`|maintenance\.(?:auto|strategy)|push\.(?:default|autosetupremote)|pull\.(?:rebase|ff)|init\.defaultbranch` +
		`|fetch\.(?:prune|prunetags|parallel)|commit\.gpgsign|lfs\.(?:repositoryformatversion|locksverify))$`)
	helper = lazyregexp.New(`^"?!|::|\\$`)
)

// commandsOf returns the lines of a configuration of git that may name a command, with their sections.
func commandsOf(text string) (what string, found bool) {
	of := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if head := section.FindStringSubmatch(line); head != nil {
			of = head[1]
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		if line == "" || strings.ContainsRune("#;", rune(line[0])) ||
			harmless.MatchString(of+"."+strings.TrimSpace(key)) && !helper.MatchString(strings.TrimSpace(value)) {
			continue
		}
		what += of + "." + line + "\n"
	}
	return what, what != ""
}

// localParts are of files that no tree has: git's own, and what an editor rewrites while you work.
var localParts = []part{
	{path: lazyregexp.New(`(?:^|/)\.git/(?:modules/.*)?(?:hooks/.*|info/attributes|commondir)$`), line: anyLine},
	{path: lazyregexp.New(`(?:^|/)\.idea/workspace\.xml$`), line: lazyregexp.New(`(?i)startup|script|command|program|watcher`)},
}

// installed are files that package managers write; an agent calls one for its plugins when it starts.
var installed = lazyregexp.New(`(?:^|/)(?:node_modules/.*|\.gitignore|package-lock\.json|bun\.lockb?)$`)

// agentPackage is in settings of agents what a package manager installs for them: lines with registry packages do not
// count.
var agentPackage = part{path: lazyregexp.New(`(?:^|/)package\.json$`),
	line: lazyregexp.New(`"scripts"|install"|prepare"|git|link:|file:|npm:|https?:|overrides`)}

// unasked are the files from which programs of the reader of a repository take commands by themselves: a shell that
// enters a directory, an editor that opens one, git with the hooks of the repository, an agent that starts. A directory
// with a HEAD is a repository to git, whose configuration it obeys.
var unasked = lazyregexp.New(
	`(?:^|/)(?:\.envrc(?:\.[\w-]+)?|\.autoenv(?:\.[\w-]+)?|\.nvim\.lua|\.(?:n?vim|ex|l(?:ocal)?vim)rc` +
		`|\.R(?:profile|environ)|\.(?:gdb|lldb|ocaml)init|\.ghci|\.iex\.exs|\.(?:irb|pry|pdb)rc|\.perldb|\.ycm_extra_conf\.py` +
		`|\.gitconfig|\.dir-locals(?:-2)?\.el|[^/]+\.(?:code-workspace|sublime-project|run\.xml)|HEAD)$` +
		`|(?:^|/)\.(?:vscode|theia)/(?:tasks|mcp)\.json$|(?:^|/)\.vim/coc-settings\.json$|(?:^|/)\.(?:zed|fleet|helix)/[^/]+$` +
		`|(?:^|/)\.idea/(?:runConfigurations/|(?:workspace|watcherTasks|externalDependencies)\.xml$)` +
		`|(?:^|/)(?:\.(?:husky|githooks|git-hooks|lefthook)|githooks)/` +
		`|(?:^|/)\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)$|(?:^|/)(?:\.overcommit\.yml|captainhook\.json|grumphp\.ya?ml(?:\.dist)?)$` +
		`|(?:^|/)\.[a-z][\w-]*/(?:[^/]+/)*(?:mcp|hooks)\.json$`)

// isOfAgents reports whether a file has settings of agents. Texts have none, and variables are those of all programs.
func isOfAgents(name string, agents []string) bool {
	if strings.HasSuffix(name, ".md") || strings.HasPrefix(path.Base(name), ".env") {
		return false
	}
	return slices.ContainsFunc(agents, func(place string) bool {
		return strings.Contains("/"+name+"/", "/"+place+"/")
	})
}

// unaskedParts are the parts that do so of files with other settings.
var unaskedParts = []part{
	{rule: runsUnasked, path: lazyregexp.New(`(?:^|/)\.pre-commit-config\.yaml$`), came: true,
		not:  lazyregexp.New(`\brepo\s*:\s*["']?(?:meta|builtin)["']?\s*$`), // of pre-commit itself
		line: lazyregexp.New(`^\s*(?:-\s*)?(?:repo\s*:\s*["']?(?:[^h\s"']|h[^t])|entry\s*:)`)},
	{rule: runsUnasked, path: lazyregexp.New(`(?:^|/)\.vscode/settings\.json$`), line: lazyregexp.New(
		`(?i)path|command|exec|interpreter|shell|terminal|task|\benv|runtime|server|binary|args`)},
	{rule: runsUnasked, path: lazyregexp.New(`(?:^|/)(?:\.devcontainer/(?:[^/]+/)?devcontainer|\.devcontainer)\.json$`),
		line: lazyregexp.New(`(?i)initializeCommand|mount|runArgs|privileged|\.sock`)},
	{rule: runsUnasked, path: lazyregexp.New(`(?:^|/)package\.json$|(?:^|/)\.simple-git-hooks\.[cm]?js(?:on)?$`), came: true, line: lazyregexp.New(
		`"(?:simple-git-hooks|husky|gitHooks|ghooks|pre-commit)"\s*:\s*[\[{]` +
			`|"(?:pre|post|commit|prepare)-(?:commit|push|merge|checkout|rewrite|msg|commit-msg)"\s*:\s*"[^"\d^~*<>=]`)},
	{rule: runsUnasked, path: lazyregexp.New(`(?:^|/)\.luarc\.jsonc?$`), line: lazyregexp.New(`(?i)plugin`)},
	{rule: runsUnasked, path: lazyregexp.New(`(?:^|/)\.?mise(?:\.[\w-]+)?\.toml$`),
		line: lazyregexp.New(`^\s*\[hooks|exec\(|_\.(?:source|file|path)|^\s*(?:enter|leave|cd)\s*=`)},
}
