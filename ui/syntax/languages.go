package syntax

import (
	"strings"
	"sync"
)

// The fences that many languages share.
var (
	double   = fence{begin: `"`, end: `"`, kind: Text}
	single   = fence{begin: `'`, end: `'`, kind: Text}
	backtick = fence{begin: "`", end: "`", kind: Text, lines: true}
	starred  = fence{begin: "/*", end: "*/", kind: Comment, lines: true, raw: true}
	threeD   = fence{begin: `"""`, end: `"""`, kind: Text, lines: true}
	threeS   = fence{begin: `'''`, end: `'''`, kind: Text, lines: true}
	angled   = fence{begin: "<!--", end: "-->", kind: Comment, lines: true, raw: true}
)

// words makes the set when it is first asked for: no start of ferrus waits for it.
func words(all string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for _, w := range strings.Fields(all) {
			set[w] = true
		}
		return set
	})
}

// curly returns a language with the comments of C.
func curly(keywords string, more ...fence) *Language {
	return &Language{fences: append(more, starred, double, single), comments: []string{"//"}, words: words(keywords)}
}

// hashed returns a language with the comments of a shell.
func hashed(keywords string, more ...fence) *Language {
	return &Language{fences: append(more, double, single), comments: []string{"#"}, words: words(keywords)}
}

const script = `abstract as async await break case catch class const continue debugger default delete do else enum export extends false finally for from
function get if implements import in instanceof interface let new null of private protected public readonly return set static super switch this throw
true try type typeof undefined var void while yield`

var (
	golang = curly(`any append bool break byte case chan const continue default defer else error fallthrough false float64 for func go goto if import int int64
interface iota len make map new nil package range return rune select string struct switch true type uint uint64 var`, fence{begin: "`", end: "`", kind: Text, lines: true, raw: true})
	shell = hashed(`case do done elif else esac export fi for function if in local return set then unset until while`)
	rust  = curly(`as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self
Self static struct super trait true type unsafe use where while`)
	python = hashed(`and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None
nonlocal not or pass raise return True try while with yield`, threeD, threeS)
	javascript = curly(script, backtick)
	java       = curly(script+` boolean byte char double final float int long native package short synchronized throws transient var volatile record sealed
val fun when object data override open internal lateinit suspend is`, threeD)
	c = curly(`auto bool break case char class const constexpr continue default delete do double else enum explicit extern false float for friend goto if
inline int long namespace new nullptr operator private protected public return short signed sizeof static struct switch template this throw true try
typedef typename union unsigned using virtual void volatile while define include ifdef ifndef endif NULL`)
	csharp = curly(script +
		` bool byte char decimal double foreach int internal long namespace object out override params ref sealed string struct using var virtual`)
	swift = curly(`as break case catch class continue default defer deinit do else enum extension false fileprivate for func guard if import in init inout
internal is let nil open operator private protocol public repeat return self static struct subscript super switch throw throws true try typealias var where while`, threeD)
	php = &Language{fences: []fence{starred, double, single}, comments: []string{"//", "#"},
		words: words(script + ` echo foreach fn namespace use elseif array global`)}
	ruby = hashed(`alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or redo rescue retry return
self super then true undef unless until when while yield`)
	elixir = hashed(`after and case catch cond def defmodule defp do else end false fn if import in nil not or quote raise receive require rescue true try
unless use when with`, threeD)
	lua = &Language{fences: []fence{{begin: "--[[", end: "]]", kind: Comment, lines: true, raw: true}, double, single},
		comments: []string{"--"},
		words: words(
			`and break do else elseif end false for function goto if in local nil not or repeat return then true until while`)}
	sql = &Language{fences: []fence{starred, double, single}, comments: []string{"--"}, folded: true,
		words: words(`add all alter and as asc begin between by case check column commit constraint create cross database default delete desc distinct drop
else end exists foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary
references returning right rollback select set table then transaction union unique update using values view when where with`)}
	settings = &Language{fences: []fence{threeD, threeS, double, single}, comments: []string{"#"},
		words: words("true false null yes no on off"), keys: true}
	json   = &Language{fences: []fence{double}, comments: []string{"//"}, words: words("true false null")}
	markup = &Language{fences: []fence{angled, double, single}, markup: true}
	styles = &Language{fences: []fence{starred, double, single}, keys: true}
	docker = &Language{fences: []fence{double, single}, comments: []string{"#"}, folded: true,
		words: words(`add arg cmd copy entrypoint env expose from healthcheck label run shell user volume workdir as`)}
	makefile = hashed(`define else endef endif export ifdef ifeq ifndef ifneq include override`)
)

// byEnd are languages by the end of a file's name.
var byEnd = map[string]*Language{
	"go": golang, "mod": golang, "rs": rust, "py": python, "pyi": python, "rb": ruby, "ex": elixir, "exs": elixir,
	"lua": lua, "php": php, "swift": swift,
	"js": javascript, "mjs": javascript, "cjs": javascript, "jsx": javascript, "ts": javascript, "tsx": javascript,
	"mts":  javascript,
	"java": java, "kt": java, "kts": java, "scala": java, "groovy": java, "cs": csharp, "dart": csharp,
	"proto": c, "zig": rust,
	"c": c, "h": c, "cc": c, "cpp": c, "cxx": c, "hpp": c, "hh": c, "m": c, "sh": shell, "bash": shell, "zsh": shell,
	"fish": shell, "sql": sql,
	"yml": settings, "yaml": settings, "toml": settings, "ini": settings, "cfg": settings, "conf": settings,
	"properties": settings, "env": settings,
	"json": json, "jsonc": json, "html": markup, "htm": markup, "xml": markup, "svg": markup, "vue": markup,
	"css": styles, "scss": styles, "less": styles,
	"mk": makefile, "dockerfile": docker, "tf": settings,
}

// byName are files that have their language's name, or one of their own.
var byName = map[string]*Language{
	"makefile": makefile, "gnumakefile": makefile, "justfile": makefile, "dockerfile": docker, "containerfile": docker,
	"gemfile": ruby, "rakefile": ruby,
	".bashrc": shell, ".zshrc": shell, ".profile": shell, ".env": settings, ".gitconfig": settings,
	".editorconfig": settings,
}

// called are names of languages that no file ends in.
var called = map[string]*Language{
	"golang": golang, "rust": rust, "python": python, "ruby": ruby, "elixir": elixir, "javascript": javascript,
	"typescript": javascript, "kotlin": java,
	"csharp": csharp, "c++": c, "shell": shell, "console": shell, "makefile": makefile, "text": nil,
}
