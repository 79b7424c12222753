package tamper

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text"
	"ferrus/ui/text/lazyregexp"
)

// runners are programs that run what a file of their own says.
var runners = map[string][]string{
	"make": {"GNUmakefile", "makefile", "Makefile"}, "gmake": {"GNUmakefile", "makefile", "Makefile"},
	"task": {"Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml",
		"Taskfile.dist.yaml"},
	"just": {"justfile", "Justfile", ".justfile"},
	"npm":  {"package.json"}, "npx": {"package.json"}, "pnpm": {"package.json"}, "yarn": {"package.json"},
	"bun":  {"package.json"},
	"rake": {"rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"}, "gradle": {"build.gradle", "build.gradle.kts"},
	"gradlew": {"build.gradle", "build.gradle.kts"},
	"mvn":     {"pom.xml"}, "tox": {"tox.ini", "tox.toml"}, "nox": {"noxfile.py"},
	"pre-commit": {".pre-commit-config.yaml"},
	"lefthook":   {"lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", "lefthook-local.yml"},
	"cmake":      {"CMakeLists.txt"}, "ctest": {"CMakeLists.txt"},
	"docker":         append([]string{"Dockerfile"}, compose...),
	"podman":         append([]string{"Dockerfile", "Containerfile"}, compose...),
	"docker-compose": compose, "podman-compose": compose,
	"earthly": {"Earthfile"}, "bazel": {"BUILD", "BUILD.bazel", "MODULE.bazel", "WORKSPACE", ".bazelrc"},
	"nix": {"flake.nix"}, "nix-shell": {"shell.nix", "default.nix"}, "nix-build": {"default.nix"},
	"turbo": {"turbo.json"}, "nx": {"nx.json", "project.json"}, "lerna": {"lerna.json"},
	"deno": {"deno.json", "deno.jsonc"}, "mage": {"magefile.go"}, "inv": {"tasks.py"}, "invoke": {"tasks.py"},
	"doit": {"dodo.py"}, "ant": {"build.xml"}, "meson": {"meson.build"}, "scons": {"SConstruct"},
	"cargo-make": {"Makefile.toml"}, "dune": {"dune-project"},
	"mise": {"mise.toml", ".mise.toml", "mise.local.toml", ".mise.local.toml", "mise/config.toml",
		".mise/config.toml", ".config/mise.toml", ".config/mise/config.toml"},
	"sbt": {"build.sbt"}, "mix": {"mix.exs"}, "zig": {"build.zig"}, "prove": {".proverc"},
	"fab": {"fabfile.py"}, "devbox": {"devbox.json"}, "mill": {"build.mill", "build.sc"}, "stack": {"stack.yaml"},
	"hatch": {"hatch.toml"}, "pixi": {"pixi.toml"}, "melos": {"melos.yaml"}, "behat": {"behat.yml", "behat.yaml"},
	"codecept": {"codeception.yml"},
}

// compose are the files from which containers are started. The second ones change what the first ones say.
var compose = []string{"compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml",
	"compose.override.yaml", "compose.override.yml", "docker-compose.override.yml", "docker-compose.override.yaml"}

// How far references are followed.
const (
	deepest   = 6
	mostNames = 20_000
)

// script is a file whose text says what else is run.
var script = lazyregexp.New(
	`(?:^|/)[^./]+$|\.(?:sh|bash|zsh|fish|bat|cmd|ps1|mk|just|py|rb|pl|js|cjs|mjs|ts|ya?ml|toml|json|ini|cfg` +
		`|cmake|gradle|kts|xml|nix|awk|sed)$`)

// checksCode is a program that checks, by its path: what others name is their own.
var checksCode = lazyregexp.New(
	`(?:^|/)(?:scripts?|tools?|bin|ci|build|hack|dev|tasks?|checks?)/|(?:check|verify|test|lint|run)[^/]*$|\.(?:ba)?sh$`)

// goRun is a program that is compiled and run.
var goRun = lazyregexp.New(`\bgo\s+(?:run|generate)\s+(?:-\S+\s+)*\.?/?([\w./-]+)`)

// cargoRun is a program of the workspace that cargo compiles and runs, and cargoMake a runner that cargo starts.
var (
	cargoRun  = lazyregexp.New(`\bcargo\s+(?:xtask\b|run\s(?:\S+\s+)*?(?:-p|--package|--bin)[ =]([\w-]+))`)
	cargoMake = lazyregexp.New(`\bcargo\s+make\b`)
)

// changeDir and pythonModule are where else names are of files: below a directory, and of a
// module that Python runs. An option of coverage names what is measured, which nothing runs for that.
// A list is data that a script reads to know what to run.
var (
	changeDir    = lazyregexp.New(`\b(?:cd|pushd|-C|--prefix|--directory|--cwd)[ =]+["']?([\w./-]+)`)
	pythonModule = lazyregexp.New(`\bpython[\d.]*\s+(?:-[A-Za-ln-z]\S*\s+)*-m\s+([\w.]+)`)
	measured     = lazyregexp.New(`\s--(?:include|exclude|src|collect-?[cC]overage-?[fF]rom|cov|source)[= ]["']?[^-\s]\S*`)
	list         = lazyregexp.New(`\.(?:txt|list|lst|csv|tsv|conf|in|out|expected|golden|manifest)$`)
	remark       = lazyregexp.New(`(?m)(?:^|\s)(?:#|//)[ \t].*$`)
)

// executed returns the changed files that the check commands name or run, directly
// or through files that they run, with the reason, and the words of the commands themselves.
func (c Change) executed() walk {
	w := walk{change: c, changed: map[string]bool{}, seen: map[string]bool{}, found: map[string]reason{},
		words: map[string]bool{}, called: map[string]bool{}}
	for _, f := range c.Files {
		w.changed[f.Path] = true
		if f.Old != "" {
			w.changed[f.Old] = true
		}
	}
	for _, command := range c.Commands {
		w.calls(command.Run)
		w.followText(command.Run, c.Prefix+command.Dir, "the command "+quoted(command), 0)
	}
	return w
}

func quoted(c checks.Command) string {
	return "`" + text.Cut(strings.TrimSpace(text.Sanitize(c.Title())), 60) + "`"
}

// walk follows names from text to text.
type walk struct {
	change  Change
	changed map[string]bool
	seen    map[string]bool
	found   map[string]reason
	words   map[string]bool // without directories
	called  map[string]bool // programs, without directories, and the first of their arguments
}

// reason is why a file counts as run.
type reason struct {
	words  string
	runner bool // a program looks for it by itself
	caller string
	mild   bool // it does all that it did
}

// followText looks at every word of a text that runs in a folder.
func (w *walk) followText(text, dir, why string, depth int) {
	if depth > deepest {
		return
	}
	text = measured.ReplaceAllString(text, " ")
	dirs := []string{dir}
	for _, m := range changeDir.FindAllStringSubmatch(text, -1) {
		dirs = append(dirs, path.Join(dir, m[1]))
	}
	for _, m := range pythonModule.FindAllStringSubmatch(text, -1) {
		module := strings.ReplaceAll(m[1], ".", "/")
		for _, dir := range dirs {
			for _, end := range []string{".py", "/__init__.py", "/__main__.py"} {
				w.file(path.Join(dir, module+end), reason{words: why}, depth)
			}
		}
	}
	for _, dir := range dirs {
		w.followWords(text, dir, why, depth)
	}
	for _, m := range goRun.FindAllStringSubmatch(text, -1) {
		w.program(path.Join(dir, m[1]), why)
	}
	if m := cargoRun.FindStringSubmatch(text); m != nil {
		w.program(path.Join(dir, cmp.Or(m[1], "xtask"), "src"), why)
	}
	if cargoMake.MatchString(text) {
		w.file(path.Join(dir, "Makefile.toml"), reason{words: why, runner: true}, depth)
	}
}

// followWords looks at every word of a text as the name of a file below a directory.
func (w *walk) followWords(text, dir, why string, depth int) {
	for _, word := range checks.ShellWords(text) {
		word = strings.TrimPrefix(word, "@")
		if depth == 0 {
			w.words[path.Base(word)] = true
		}
		for _, name := range runners[path.Base(word)] {
			w.file(path.Join(dir, name), reason{words: why, runner: true, caller: text}, depth)
		}
		if strings.Contains(word, "*") && loops.MatchString(text) {
			w.pattern(path.Join(dir, word), why, depth)
		}
		if strings.ContainsAny(word, "./") || len(word) > 2 {
			named := reason{words: why, runner: depth > 0 && includes(text, word)}
			w.file(path.Join(dir, word), named, depth)
			w.file(path.Join(w.change.Prefix, word), named, depth)
		}
	}
}

// sourced is a file that a shell or make runs, and no other program looks for.
var sourced = lazyregexp.New(`(?:^|/)[^./]+$|\.(?:sh|bash|zsh|inc|mk|env|conf|list|txt|t|bats)$`)

// loops is in a text that may run the files that fit a pattern.
var loops = lazyregexp.New(`\bfor\s+\w+\s+in\b|\bsource\b|(?:^|[\s;&])\.\s|\b(?:ba|z)?sh\s|\binclude\b|\brun-parts\b`)

// pattern marks the changed files that fit a pattern, where a shell may run them.
func (w *walk) pattern(pattern, why string, depth int) {
	for name := range w.changed {
		if fits, err := path.Match(pattern, name); err == nil && fits && sourced.MatchString(name) {
			w.file(name, reason{words: why, runner: true}, max(depth, 1))
		}
	}
}

// optional is how a script or a Makefile runs a file if it is there.
var optional = lazyregexp.New(`(?:^|\n)\s*(?:-|s)include\s[^\n]*|\[+ -[efrsx] [^\]\n]*\]|\btest -[efrsx] [^\n;&|]*`)

// includes reports whether a text runs a file only if it is there: a new one changes what the text does.
func includes(text, word string) bool {
	for _, part := range optional.FindAllString(text, -1) {
		if strings.Contains(part, word) {
			return true
		}
	}
	return false
}

// program marks the changed files of a package that is run.
func (w *walk) program(dir, why string) {
	for name := range w.changed {
		if path.Dir(name) == dir {
			w.found[name] = reason{words: why + " runs it"}
		}
	}
}

// file marks a file that is named, and looks at what it names in turn. Of a file
// that changed, both texts are followed.
func (w *walk) file(name string, why reason, depth int) {
	if w.seen[name] || strings.HasPrefix(name, "../") || len(w.seen) > mostNames {
		return
	}
	w.seen[name] = true
	texts := w.texts(name)
	if len(texts) == 0 && !w.changed[name] {
		return
	}
	if path.Base(name) == "package.json" {
		w.scripts(name, texts, why.words, why.caller, depth)
		return
	}
	follow := script.MatchString(name)
	if w.changed[name] && (depth == 0 || follow || list.MatchString(name)) { // Others may be any data.
		w.found[name] = reason{words: why.words + " runs or names it", runner: why.runner}
	}
	if _, test := languageOf(name); test || !follow || anyCode.MatchString(name) && !checksCode.MatchString(name) {
		return
	}
	for _, text := range texts {
		text = remark.ReplaceAllString(text, "")
		w.followText(text, path.Dir(name), why.words, depth+1)
		if dir := w.change.Prefix; dir != path.Dir(name) {
			w.followText(text, strings.TrimSuffix(dir, "/"), why.words, depth+1)
		}
	}
}

// texts returns a file's text in each of the two trees; none if it is in neither.
func (w *walk) texts(name string) []string {
	var all []string
	if text, ok := w.change.Present(name); ok {
		all = append(all, text)
	}
	if w.changed[name] {
		if text, ok := w.change.Base(name); ok {
			all = append(all, text)
		}
	}
	return all
}

// scripts looks at what package.json runs for a caller, and marks it only when that changed:
// the rest of the file is dependencies, words and scripts for other ends.
func (w *walk) scripts(name string, texts []string, why, caller string, depth int) {
	var versions []map[string]string
	for _, text := range texts {
		var file struct {
			Scripts map[string]string `json:"scripts"`
		}
		if json.Unmarshal([]byte(text), &file) != nil {
			w.found[name] = reason{words: why + " runs its scripts", runner: true}
			continue
		}
		run := scriptsOf(file.Scripts, caller)
		versions = append(versions, run)
		for _, script := range run {
			w.calls(script)
			w.followText(script, path.Dir(name), why, depth+1)
		}
	}
	if w.changed[name] && (len(versions) < 2 || !maps.Equal(versions[0], versions[1])) {
		w.found[name] = reason{words: why + " runs its scripts", runner: true,
			mild: len(versions) == 2 && noWeakerScripts(versions[1], versions[0])}
	}
}
