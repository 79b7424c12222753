package hq_test

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// bannedWords may not be part of an identifier: they are metaphors, or everyday words
// where the field has a term. The value says what to write instead.
var bannedWords = map[string]string{
	"ail":      "trouble",
	"ailing":   "troubled",
	"beside":   "concurrent, other",
	"bury":     "remove, clean up",
	"deed":     "action, step",
	"despair":  "hold",
	"fell":     "remove",
	"felled":   "removed, crashed",
	"forgive":  "reset",
	"grove":    "worktrees",
	"heed":     "watch",
	"hopeless": "failed",
	"lab":      "fixture",
	"liar":     "adversary",
	"liars":    "adversaries",
	"mend":     "fix, repair",
	"moment":   "time",
	"paper":    "transcript",
	"patient":  "detector, inspection",
	"person":   "human",
	"player":   "role",
	"rouse":    "wake",
	"said":     "output",
	"settle":   "reconcile",
	"settled":  "reconciled",
	"shelf":    "dir",
	"sits":     "status",
	"sitting":  "session",
	"somebody": "caller",
	"symptom":  "pattern",
	"tale":     "journal, scenario",
	"teller":   "recorder",
	"told":     "notified, reported",
	"typist":   "terminal",
	"vacate":   "remove",
	"worded":   "described",
}

// bannedNames may not be the whole name of a function, method or type: each stood for
// several things, and says nothing without its object.
var bannedNames = map[string]string{
	"at":     "a name that says what is at what",
	"begin":  "start, with an object",
	"carry":  "dispatch, run, copy",
	"give":   "submit, pass, with an object",
	"keep":   "save, retain, with an object",
	"line":   "parse, format or read, with an object",
	"look":   "inspect, poll, with an object",
	"own":    "a name that says whose",
	"settle": "reconcile",
	"story":  "history, detail, scenario",
	"take":   "claim, read, accept, with an object",
	"tell":   "send, notify, with an object",
	"text":   "format, render, read, with an object",
}

// phrase is a pattern that prose may not contain, and what to write instead.
type phrase struct{ pattern, instead string }

// bannedPhrases may be in no comment, string, document or golden file.
var bannedPhrases = []phrase{
	{`\b(the|a|no) person('s)?\b`, "you; in code and to agents: the human"},
	{`\bpeople\b`, "you, users"},
	{`\b(some|no)body('s)?\b`, "name the actor"},
	{`\bwhoever\b`, "name the actor"},
	{`\b(go|goes|going|went|gone) on\b`, "continue, resume, run"},
	{`\b(put|puts|take|takes|taken) away\b`, "archive, remove"},
	{`\bput off\b`, "snooze, postpone"},
	{`\b(bring|brings|brought) (it |approved work |work )?home\b`, "land"},
	{`\bwork trees?\b`, "worktree; git's own term for a checkout is working tree"},
	{`\bstands? in\b`, "is in"},
	{`\b(is|are|was|were) told\b`, "name who reports what to whom"},
	{`\bthat of\b`, "a noun, or 's"},
	{`\bthose that\b`, "a noun"},
	{`\bthe one before\b`, "the previous one"},
	{`\bmend(s|ed)?\b`, "fix, repair"},
	{`\b(is|are) at work\b`, "runs, works"},
	{`\bas it was\b`, "unchanged"},
	{`\bmay be had\b`, "is available"},
	{`\b(be|is|are) worded\b`, "describe"},
	{`\bas somebody reads\b`, "for reading"},
	{`\bbehind ferrus's back\b`, "outside ferrus"},
	{`\bfollows? from nothing\b`, "do not continue"},
	{`\bmissed by name\b`, "name who misses what"},
	{`\b(is|are) what (its|their|the) journals? makes?\b`, "matches the journal"},
	{`\boutside of (the|its|a)\b`, "outside the"},
	{`\binside of (the|a|walls)\b`, "in, inside the"},
	{`\bagents? at work\b`, "working agent"},
	{`\blooks? on\b`, "attach, watch"},
	{`\bfor want of\b`, "lacks"},
	{`\bbegins? anew\b`, "start afresh"},
	{`\baccounts? (of \S+ )?(is|are|was|were) used up\b`, "has hit its usage limit"},
	{`/land brings it in\b`, "lands it"},
	{`\b(a|an) \w+ of (yours|ours|theirs|mine)\b`, "your, our, their, my"},
}

// bannedToUsers may not be in documents for users either. What is generated there comes
// from tables that agents read as well.
var bannedToUsers = []phrase{
	{`\bthe human\b`, "you"},
	{`\bfolders?\b`, "directory"},
	{`\b(is|are) red\b`, "fails"},
	{`\b(is|are) green\b`, "passes"},
	{`\bsituations?\b`, "state"},
	{`\bspecification file\b`, "spec"},
	{`\b(begin|begins|began|begun) one\b`, "start"},
	{`\bjudge[ds]?\b`, "review, approve, reject"},
	{`\bwords of\b`, "text, terms"},
	{`\bin force\b`, "applies"},
	{`\bgives? up\b`, "fails, stops"},
	{`\bbegins?\b`, "start"},
	{`\bbegan\b`, "started"},
	{`\bbegun\b`, "started"},
	{`\bmeanwhile\b`, "in the meantime"},
	{`\bunder way\b`, "in progress"},
	{`\bwords the\b`, "sets, describes"},
	{`\bred (gate|branch|check)s?\b`, "failed"},
	{`\bproven batch\b`, "batch"},
}

// allowedPhrases are formats that a phrase is part of, by file: they may not change.
var allowedPhrases = map[string][]string{
	"hq/cli/worktree.go":                {"nobody", "put away"}, // values of ferrus worktree --json
	"hq/cli/testdata/script/land.txtar": {"nobody"},             // the same
	"ui/vt/recordings_test.go":          {"nobody"},             // typed into a recorded program
}

// unfinished are the beginnings of paths whose files still have words of these lists.
var unfinished = []string{}

func isUnfinished(name string) bool {
	return slices.ContainsFunc(unfinished, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// TestIdentifiersAreStandardTerms holds names to the field's words.
func TestIdentifiersAreStandardTerms(t *testing.T) {
	for _, s := range sources(t) {
		if isUnfinished(s.name) {
			continue
		}
		for _, id := range s.identifiers() {
			for _, w := range identifierWords(id.name) {
				if instead := bannedWords[w]; instead != "" {
					t.Errorf("%s:%d: instead of %s write: %s", s.name, id.line, id.name, instead)
				}
			}
		}
		for _, id := range s.declared() {
			if instead := bannedNames[strings.ToLower(id.name)]; instead != "" {
				t.Errorf("%s:%d: instead of the name %s write: %s", s.name, id.line, id.name, instead)
			}
		}
	}
}

// TestProseIsIdiomatic holds comments, strings, documents and golden files to the
// project's voice.
func TestProseIsIdiomatic(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it reads every file")
	}
	banned := compilePhrases(bannedPhrases)
	for _, name := range proseFiles(t) {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findPhrases(string(text), banned) {
			if !slices.Contains(allowedPhrases[name], f.text) {
				t.Errorf("%s:%d: instead of %q write: %s", name, f.line, f.text, f.instead)
			}
		}
	}
}

// TestDocumentsSpeakToYou holds documents for users to the words of the glossary.
func TestDocumentsSpeakToYou(t *testing.T) {
	banned := compilePhrases(bannedToUsers)
	for name, text := range documents(t) {
		if strings.Contains(name, ".github") {
			continue
		}
		for _, f := range findPhrases(generatedSection.ReplaceAllStringFunc(text, onlyNewlines), banned) {
			t.Errorf("%s:%d: instead of %q write: %s", name, f.line, f.text, f.instead)
		}
	}
}

// generatedSection matches a section of a document that is written by task generate.
var generatedSection = regexp.MustCompile(`(?s)<!-- generated: .*?<!-- end of generated -->`)

func onlyNewlines(text string) string { return strings.Repeat("\n", strings.Count(text, "\n")) }

// identifier is a name in a file.
type identifier struct {
	name string
	line int
}

// identifiers returns every identifier of a file, in its order.
func (s source) identifiers() (all []identifier) {
	file := token.NewFileSet().AddFile(s.name, -1, len(s.text))
	var sc scanner.Scanner
	sc.Init(file, s.text, nil, 0)
	for {
		pos, tok, lit := sc.Scan()
		switch tok {
		case token.EOF:
			return all
		case token.IDENT:
			all = append(all, identifier{lit, file.Line(pos)})
		}
	}
}

// declared returns the functions, methods and types that a file declares.
func (s source) declared() (all []identifier) {
	add := func(id *ast.Ident) {
		line := 1 + strings.Count(string(s.text[:id.Pos()-1]), "\n") // each file has a set of its own
		all = append(all, identifier{id.Name, line})
	}
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if ts, ok := spec.(*ast.TypeSpec); ok {
					add(ts.Name)
				}
			}
		}
	}
	return all
}

// identifierWords returns the words of an identifier in lower case.
func identifierWords(name string) (all []string) {
	begin, runes := 0, []rune(name)
	for i := 1; i <= len(runes); i++ {
		if i == len(runes) || unicode.IsUpper(runes[i]) && !unicode.IsUpper(runes[i-1]) || runes[i] == '_' {
			all = append(all, strings.ToLower(strings.Trim(string(runes[begin:i]), "_")))
			begin = i
		}
	}
	return all
}

func TestIdentifierWords(t *testing.T) {
	for name, want := range map[string]string{
		"x": "x", "toldUsers": "told users", "TestIt_works": "test it works", "parseURL": "parse url",
		"HTTPTale": "httptale",
	} {
		if got := strings.Join(identifierWords(name), " "); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// prose are the endings of files with sentences.
var prose = []string{".go", ".md", ".txtar", ".golden", ".tmpl", ".yml", ".toml"}

// proseFiles returns the files with sentences, by their paths below the root, except this
// one.
func proseFiles(t *testing.T) (all []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		switch b := e.Name(); {
		case err != nil:
			return err
		case e.IsDir() && (b == ".git" || b == "dist" || b == ".ferrus"):
			return filepath.SkipDir
		case !e.IsDir() && slices.Contains(prose, path.Ext(b)) && b != "words_test.go":
			below, _ := filepath.Rel(root, name)
			if below = filepath.ToSlash(below); !isUnfinished(below) {
				all = append(all, below)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// compiledPhrase is a phrase that can be searched for.
type compiledPhrase struct {
	expr    *regexp.Regexp
	literal string // part of every match, in lower case
	instead string
}

// compilePhrases prepares phrases for a search.
func compilePhrases(all []phrase) (compiled []compiledPhrase) {
	for _, p := range all {
		compiled = append(compiled,
			compiledPhrase{regexp.MustCompile("(?i)" + p.pattern), longestLiteral(p.pattern), p.instead})
	}
	return compiled
}

// longestLiteral returns the longest text that every match of a pattern contains. It looks
// only at the parts that the pattern joins.
func longestLiteral(pattern string) (longest string) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic(err)
	}
	for _, part := range append(parsed.Sub, parsed) {
		if part.Op == syntax.OpLiteral && parsed.Op != syntax.OpAlternate && len(part.Rune) > len([]rune(longest)) {
			longest = string(part.Rune)
		}
	}
	return longest
}

// foundPhrase is a banned phrase in a text.
type foundPhrase struct {
	line          int // from 1
	text, instead string
}

// findPhrases returns the phrases in a text. An expression is tried only on the lines that
// contain its literal: all of them on all lines of the repository take seconds.
func findPhrases(text string, phrases []compiledPhrase) (all []foundPhrase) {
	lower := asciiLower(text)
	for _, p := range phrases {
		for begin := 0; begin < len(text); {
			at := strings.Index(lower[begin:], p.literal)
			if at < 0 {
				break
			}
			at += begin
			from := strings.LastIndexByte(text[:at], '\n') + 1
			line, _, _ := strings.Cut(text[from:], "\n")
			for _, found := range p.expr.FindAllString(line, -1) {
				all = append(all, foundPhrase{1 + strings.Count(text[:from], "\n"), found, p.instead})
			}
			begin = from + len(line) + 1
		}
	}
	return all
}

// asciiLower returns a text of the same length.
func asciiLower(text string) string {
	lower := []byte(text)
	for i, b := range lower {
		if 'A' <= b && b <= 'Z' {
			lower[i] = b + 'a' - 'A'
		}
	}
	return string(lower)
}

func TestFindPhrases(t *testing.T) {
	banned := compilePhrases([]phrase{{`\b(some|no)body('s)?\b`, "actor"}, {`\bfolders?\b`, "directory"}})
	if banned[0].literal != "body" || banned[1].literal != "folder" {
		t.Fatalf("literals %q and %q", banned[0].literal, banned[1].literal)
	}
	found := findPhrases("bodyÄ\nÄ Nobody, and somebody's Folders\n\nnobodys\nfolder", banned)
	want := []foundPhrase{{2, "Nobody", "actor"}, {2, "somebody's", "actor"}, {2, "Folders", "directory"},
		{5, "folder", "directory"}}
	if !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
}

// TestEveryPhraseHasALiteral holds the lists to patterns that a search can start from.
func TestEveryPhraseHasALiteral(t *testing.T) {
	for _, p := range slices.Concat(compilePhrases(bannedPhrases), compilePhrases(bannedToUsers)) {
		if len(p.literal) < 3 {
			t.Errorf("%s has only the literal %q: make it two phrases", p.expr, p.literal)
		}
	}
}
