package hq_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// shared are leaves that every package above the machines may import: each is the
// only home of a job that several of them have.
var shared = map[string]string{
	"agent/process":      "one reader of the process table",
	"agent/program":      "one way to find the programs that ferrus itself runs",
	"checks/regular":     "one reader of files that a program inside may exchange",
	"agent/statedir":     "one answer to where the state of the user is",
	"agent/suggest":      "suggestions for misspelled words, in commands and in ferrus.toml",
	"ui/text":            "one sanitizer and one measure of width",
	"ui/text/lazyregexp": "regular expressions that no start of ferrus waits for",
}

// layers says what each package may import: packages of ours, and of others by
// the beginning of their path. What is not listed may not be imported, and a
// package that is not listed may not exist. Imports point down.
var layers = map[string][]string{
	"machine":         {},
	"machine/task":    {"machine"},
	"machine/session": {"machine"},
	"machine/pair":    {"machine", "machine/pair/run"},

	"machine/pair/run": {},
	"machine/flow":     {"machine"},
	"machine/merge":    {"machine"},
	"machine/queue":    {"machine", "machine/task"}, // an item is asked what its task says

	"machine/machinetest": {"machine"}, // visits every snapshot, for tests

	"store":            {"github.com/fsnotify/fsnotify", "golang.org/x/sys/"},
	"checks":           {"agent/loader", "checks/git", "checks/redact", "checks/testnames", "golang.org/x/sys/"},
	"checks/git":       {"golang.org/x/sys/"}, // the one way to run git: a clean environment, no hooks
	"checks/tamper":    {"github.com/pelletier/go-toml/v2", "checks", "checks/testnames"},
	"checks/testnames": {}, // what test runners say of tests, by name
	"checks/regular":   {"golang.org/x/sys/"},
	"checks/redact":    {}, // what programs print, without secrets

	"checks/lane":      {"agent/process", "agent/sandbox", "checks", "checks/git", "checks/workspace"}, // a tree, and all that commands need to run on it
	"checks/workspace": {"agent/process", "checks/git", "golang.org/x/sync/errgroup", "golang.org/x/sys/"},

	"agent/acp":           {}, // a protocol, and nothing else
	"agent/appserver":     {}, // likewise
	"agent/home":          {"golang.org/x/sys/"},
	"agent/loader":        {}, // variables, and nothing else
	"agent":               {"checks/regular", "agent/acp", "agent/home", "agent/loader", "github.com/creack/pty", "github.com/pelletier/go-toml/v2", "github.com/tailscale/hujson", "golang.org/x/sys/"},
	"agent/proxy":         {"golang.org/x/sys/"},                                                                                               // knows hosts, not sandboxes
	"agent/sandbox/stage": {"agent/loader"},                                                                                                    // runs before everything else is initialized
	"agent/sandbox":       {"agent/sandbox/stage", "agent/loader", "agent/proxy", "github.com/landlock-lsm/go-landlock/", "golang.org/x/sys/"}, // knows programs, not agents
	"ui/vt":               {},
	"agent/process":       {"golang.org/x/sys/"},
	"agent/statedir":      {},
	"agent/program":       {},
	"agent/suggest":       {},
	"ui/text":             {"github.com/charmbracelet/x/ansi"}, // the one sanitizer and the one width
	"ui/text/lazyregexp":  {},                                  // compiled when it is first used
	"ui/syntax":           {},
	"ui/style":            {"ui/syntax", "charm.land/", "github.com/charmbracelet/"}, // below all that draws: knows no component
	"ui/keys":             {},                                                        // data: each component declares its own, the root joins them
	"ui/view":             {"ui/style", "ui/vt"},                                     // what is true, which no component changes
	"ui/intent":           {"ui/view"},                                               // what the human wants: data, which only package hq/tui acts on

	// Components know neither each other nor the dialogs and the screen that they are
	// put into: they return intents, and take what they need as arguments.
	"ui/pager":  {"ui/keys", "ui/style", "ui/syntax", "ui/view", "github.com/charmbracelet/x/ansi"}, // reads: it wants nothing
	"ui/pane":   {"ui/intent", "ui/keys", "ui/style", "ui/vt", "charm.land/bubbletea/v2", "github.com/charmbracelet/x/ansi"},
	"ui/prompt": {"ui/intent", "ui/keys", "ui/style", "ui/view", "charm.land/"}, // has no terminal of a session
	// Dialogs look at a context, and cannot reach the panes or the model of the screen.
	"ui/dialog":     {"ui/intent", "ui/keys", "ui/pager", "ui/prompt", "ui/style", "ui/view", "charm.land/bubbletea/v2", "github.com/charmbracelet/x/ansi"},
	"ui":            {"ui/dialog", "ui/intent", "ui/keys", "ui/pager", "ui/pane", "ui/prompt", "ui/style", "ui/view", "ui/vt", "charm.land/bubbletea/v2", "github.com/charmbracelet/x/ansi"},
	"ui/screenshot": {"ui/screenshot/svg", "ui/vt"},

	"ui/screenshot/svg": {"ui/vt"},
	"ui/termtest":       {"ui/vt", "github.com/charmbracelet/x/ansi", "github.com/creack/pty", "golang.org/x/sys/"}, // types and reads in a terminal, for tests

	"hq/host/hosttest": {"store/memtemp"},                                                   // a directory for the sockets of tests
	"hq/hqtest":        {"checks/git/gittest", "hq/core", "hq/project", "machine", "store"}, // projects for tests

	"checks/git/gittest": {"checks/git"}, // repositories for tests
	"hq/benchtest":       {},             // what benchmarks measured

	"store/memtemp":  {}, // temporary directories in memory, for tests
	"store/longtest": {}, // which tests are for task test:long

	"hq":          {}, // tests of the whole repository
	"hq/comments": {}, // texts and numbers
	"hq/core":     {"hq/comments", "checks", "machine", "machine/task"},
	"hq/stats":    {"checks", "checks/testnames", "hq/core", "machine", "machine/task", "store"},
	"hq/advice":   {"hq/core", "machine", "machine/flow", "machine/task"}, // the only one that spells commands for users
	"hq/need":     {"checks/redact", "ui/text"},                           // knows a command, not what is needed
	"hq/config":   {"agent/proxy", "checks", "hq/tomledit", "machine/pair", "github.com/pelletier/go-toml/v2"},
	"hq/tomledit": {"github.com/pelletier/go-toml/v2"},
	"hq/ports":    {"store"},                                                   // ten for each task
	"hq/worktree": {"", "checks/git", "checks/workspace", "golang.org/x/sys/"}, // the layers above know which task has which
	"hq/project":  {"hq/comments", "hq/ports", "agent/proxy", "hq/advice", "machine/task", "hq/spec", "hq/core", "hq/config", "hq/worktree", "machine", "store", "checks", "checks/git", "checks/tamper", "checks/workspace", "golang.org/x/sys/"},
	"hq/land":     {"hq/commit", "hq/workflow", "machine/flow", "machine/task", "checks", "checks/git", "hq/core", "hq/gate", "hq/project", "hq/spec", "hq/worktree", "store"}, // it runs the gate
	"hq/forge":    {"checks/git"},                                                                                                                                              // gh, or your command; it knows no item
	"hq/commit":   {"agent/sandbox", "checks/git", "checks/lane", "golang.org/x/sys/"},                                                                                         // messages and signatures; it moves no branch
	"hq/adopt":    {"agent", "checks/git", "hq/core", "hq/project", "hq/queue", "hq/worktree", "machine/task", "store"},
	"hq/queue":    {"hq/advice", "hq/core", "hq/project", "hq/spec", "machine", "machine/merge", "machine/queue", "machine/task", "store"},                                                            // the tasks that wait for their turn
	"hq/merge":    {"hq/commit", "hq/forge", "checks", "checks/git", "hq/core", "hq/gate", "hq/land", "hq/project", "hq/queue", "machine", "machine/merge", "machine/queue", "machine/task", "store"}, // the only one that moves a branch by itself
	"hq/gc":       {"hq/queue", "store", "agent/process", "checks/git", "checks/lane", "checks/workspace", "hq/core", "hq/gate", "hq/project", "hq/worktree", "golang.org/x/sys/"},
	"hq/clients": {"agent", "checks/git", "github.com/creack/pty", "golang.org/x/sync/errgroup", "hq/clients/model", "hq/core", "hq/gate", "hq/project",
		"machine/task", "store"},

	"hq/clients/model": {}, // wire formats of vendors, and a script
	"hq/doctor":        {"hq/queue", "agent/sandbox", "hq/host", "checks", "hq/gc", "hq/workflow", "agent", "checks/git", "hq/core", "hq/config", "hq/land", "hq/worktree", "hq/project", "machine", "machine/task", "store"},
	"hq/gate":          {"agent/proxy", "agent/sandbox", "hq/core", "hq/config", "hq/project", "hq/worktree", "machine", "store", "checks", "checks/git", "checks/lane", "checks/testnames", "golang.org/x/sys/"},
	"hq/serve":         {"agent/acp", "checks/redact", "hq/comments", "hq/queue", "hq/serve/stdio", "hq/advice", "machine/task", "hq/core", "hq/workflow", "machine/flow", "hq/config", "hq/project", "hq/gate", "machine", "store", "checks", "github.com/modelcontextprotocol/go-sdk/", "github.com/google/jsonschema-go/"},

	"hq/serve/stdio": {"github.com/modelcontextprotocol/go-sdk/"}, // knows lines and messages, not tools
	"hq/demo":        {"agent", "checks/git", "github.com/modelcontextprotocol/go-sdk/", "github.com/charmbracelet/x/ansi", "github.com/creack/pty"},
	"hq/door":        {},
	"hq/host":        {"agent", "agent/home", "agent/proxy", "hq/door", "ui/vt", "golang.org/x/sys/"},
	"hq/wire":        {"agent", "hq/core"},                                                                                                                                                                                                                                    // frames and messages; it knows no machine, project or process
	"hq/sshlink":     {"hq/wire"},                                                                                                                                                                                                                                             // likewise, by your own ssh
	"hq/join":        {"hq/wire"},                                                                                                                                                                                                                                             // an HQ on another machine: it knows no project
	"hq/natslink":    {"hq/wire", "github.com/nats-io/nats.go"},                                                                                                                                                                                                               // a transport below it: no machine, project or process
	"hq/remote":      {"hq/advice", "agent/sandbox", "hq/sshlink", "checks", "hq/gate", "hq/project", "hq/natslink", "checks/git", "hq/host", "hq/wire", "hq/worktree", "golang.org/x/sys/"},                                                                                  // home's side: links, and work that arrives
	"hq/worker":      {"agent/sandbox", "hq/advice", "checks", "hq/gate", "agent", "checks/git", "hq/config", "hq/core", "hq/host", "hq/project", "hq/session", "hq/wire", "hq/worktree", "golang.org/x/sys/"},                                                                // the other machine's side: it decides nothing
	"hq/human":       {"hq/host", "hq/project"},                                                                                                                                                                                                                               // whether a process is you
	"hq/session":     {"agent/acp", "hq/remote", "hq/wire", "agent/home", "agent/proxy", "agent/sandbox", "checks/git", "checks/redact", "agent", "hq/human", "hq/config", "hq/core", "hq/host", "hq/project", "hq/worktree", "machine", "machine/session", "store", "ui/vt"}, // below tasks and pairs, which both run sessions
	"hq/pair":        {"checks/redact", "checks/tamper", "machine/task", "hq/session", "hq/host", "agent", "checks", "hq/core", "hq/config", "hq/gate", "hq/project", "machine", "machine/pair", "machine/pair/run", "store"},
	"hq/conductor":   {"hq/natslink", "hq/remote", "hq/wire", "hq/adopt", "hq/merge", "hq/queue", "agent/sandbox", "hq/advice", "hq/human", "machine/task", "hq/workflow", "machine/flow", "hq/spec", "hq/core", "hq/config", "hq/host", "hq/land", "hq/project", "hq/gate", "hq/need", "hq/pair", "hq/session", "machine", "agent", "checks", "store", "ui/vt"},
	"hq/register":    {"agent", "hq/config", "hq/tomledit", "github.com/pelletier/go-toml/v2", "github.com/tailscale/hujson"},
	"hq/tui/tty":     {"charm.land/bubbletea/v2", "github.com/charmbracelet/", "golang.org/x/sys/"}, // knows terminals, not HQ
	"hq/tui":         {"hq/project", "ui/vt", "hq/comments", "hq/tui/projection", "hq/tui/slash", "hq/tui/tty", "hq/core", "hq/conductor", "ui", "ui/intent", "ui/style", "ui/view", "charm.land/bubbletea/v2"},

	// The projection reads and decides nothing; commands draw nothing.
	"hq/tui/projection": {"hq/comments", "hq/advice", "checks", "hq/conductor", "hq/core", "hq/project", "hq/queue", "hq/spec", "machine", "machine/pair", "machine/session", "machine/task", "store", "ui/style", "ui/view"},
	"hq/tui/slash":      {"hq/adopt", "hq/comments", "hq/advice", "hq/guide", "hq/conductor", "hq/core", "hq/land", "hq/pair", "hq/project", "hq/queue", "hq/spec", "hq/workflow", "machine", "ui/dialog", "ui/intent", "ui/prompt", "ui/view"},

	"hq/spec":     {},
	"hq/guide":    {}, // the manual, embedded
	"hq/workflow": {"hq/forge", "hq/gate", "hq/queue", "agent/process", "hq/advice", "", "machine/task", "checks/git", "hq/core", "hq/project", "hq/worktree", "machine", "machine/flow", "store"},
	"hq/cli": {"hq/join", "hq/sshlink", "hq/natslink", "hq/remote", "hq/wire", "hq/worker", "hq/adopt", "hq/clients", "agent/acp", "agent/appserver", "hq/comments", "hq/merge", "agent/loader", "hq/queue", "machine/queue", "agent/proxy", "hq/stats", "golang.org/x/sync/errgroup", "agent/process", "checks/redact", "checks/lane", "hq/door", "agent/sandbox", "hq/advice", "hq/human", "ui/style", "ui/view", "hq/tui/tty", "hq/spec", "agent", "checks", "checks/git", "hq/core", "hq/config", "hq/tui", "hq/tui/slash", "hq/demo", "hq/doctor", "hq/gate", "hq/gc", "hq/guide", "hq/host", "hq/land", "hq/pair", "hq/project", "hq/register", "hq/conductor", "hq/serve", "hq/session", "hq/workflow", "hq/worktree", "machine", "machine/pair", "machine/session", "machine/task", "machine/flow", "store", "ui",
		"github.com/spf13/cobra", "github.com/charmbracelet/x/term", "charm.land/bubbletea/v2", "github.com/muesli/cancelreader"},
	"hq/cli/rememberedgo": {}, // go for the tests of hq/cli

	"hq/budgets":   {},
	"hq/chaos":     {},
	"hq/adversary": {},
	"hq/e2e":       {},
	".":            {"agent/sandbox", "hq/cli"},
}

// impure are imports that a pure package does not need. Tests may use them.
var impure = []string{"os", "os/exec", "io", "io/fs", "net", "net/http", "sync", "sync/atomic", "context", "math/rand", "math/rand/v2", "crypto/rand", "log", "log/slog", "path/filepath"}

// pure packages depend on nothing but their arguments.
var pure = []string{"machine", "machine/task", "machine/session", "machine/pair", "machine/pair/run", "machine/flow",
	"machine/queue", "machine/merge", "hq/core", "hq/advice", "hq/comments", "hq/stats"}

// values are what pure packages may use of packages that are not pure: types and
// constants, and functions of their arguments alone.
var values = map[string][]string{
	"agent/process": {"Identity"},
	"checks": {"Command", "Record", "Verdict", "Pass", "Fail", "Timeout", "Changed", "Cancelled", "Unproven",
		"Flaky"},
}

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
		if e.IsDir() && name != root && (strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata" || e.Name() == "dist") {
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
	return source{name: below, pkg: path.Dir(below), test: strings.HasSuffix(name, "_test.go"), text: text, file: file}, nil
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
		if !slices.Contains(s.imports(), "ferrus/"+pkg) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == path.Base(pkg) && !slices.Contains(allowed, sel.Sel.Name) {
					all = append(all, x.Name+"."+sel.Sel.Name)
				}
			}
			return true
		})
	}
	return all
}

func TestImportsPointDown(t *testing.T) {
	for _, s := range sources(t) {
		may, listed := layers[s.pkg]
		if !listed {
			t.Errorf("%s: package %s has no layer", s.name, s.pkg)
		}
		if s.test || s.file.Name.Name == "main" && s.pkg == "ui/vt" { // a generator
			continue
		}
		for _, i := range s.imports() {
			if reason := shared[strings.TrimPrefix(i, "ferrus/")]; reason != "" && !strings.HasPrefix(s.pkg, "machine") {
				continue
			}
			if !allowed(may, i) {
				t.Errorf("%s may not import %s: %s", s.name, i, reasons[s.pkg])
			}
		}
	}
}

func allowed(may []string, imported string) bool {
	own, ours := strings.CutPrefix(imported, "ferrus/")
	if ours {
		return slices.Contains(may, own)
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return true // the standard library
	}
	return slices.ContainsFunc(may, func(m string) bool {
		return imported == m || strings.HasSuffix(m, "/") && strings.HasPrefix(imported, m) || strings.HasPrefix(imported, m+"/")
	})
}

func TestMindAndMachinesArePure(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || !slices.Contains(pure, s.pkg) {
			continue
		}
		for _, i := range s.imports() {
			if slices.Contains(impure, i) {
				t.Errorf("%s may not import %s: it looks at nothing but its arguments", s.name, i)
			}
		}
		for _, used := range s.impureUses() {
			t.Errorf("%s may not use %s: it looks at nothing but its arguments", s.name, used)
		}
		for _, call := range []string{"time.Now(", "time.Since(", "time.Until(", "time.After", "\tgo "} {
			if bytes.Contains(s.text, []byte(call)) {
				t.Errorf("%s may not use %s", s.name, strings.TrimSpace(call))
			}
		}
	}
}

// outside are the packages that lead out of a process.
var outside = []string{"os", "os/exec", "os/signal", "io/fs", "net", "net/http", "path/filepath", "syscall"}

// TestScreenReachesNothingOutside holds the screen and its components to data and intents: files, processes and
// the network are for hq/tui. Its TestUpdateReachesNothing holds what it passes to them.
func TestScreenReachesNothingOutside(t *testing.T) {
	checked := 0
	for _, s := range sources(t) {
		tool := s.pkg == "ui/screenshot" || s.pkg == "ui/termtest" || s.file.Name.Name == "main"
		if s.test || tool || s.pkg != "ui" && !strings.HasPrefix(s.pkg, "ui/") {
			continue
		}
		checked++
		for _, i := range s.imports() {
			if slices.Contains(outside, i) || strings.HasPrefix(i, "golang.org/x/sys") {
				t.Errorf("%s may not import %s: a component returns what the human wants", s.name, i)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d files were checked", checked)
	}
}

// commands are the names of packages that are programs.
var commands = map[string]string{".": "ferrus", "hq/cli/rememberedgo": "rememberedgo"}

// TestEveryPackageSaysWhatItIs holds each package to a doc of more than its name.
func TestEveryPackageSaysWhatItIs(t *testing.T) {
	docs := map[string]string{}
	for _, s := range sources(t) {
		if !s.test && s.file.Doc != nil && s.file.Name.Name != "main" || commands[s.pkg] != "" {
			docs[s.pkg] += s.file.Doc.Text()
		}
	}
	for pkg := range layers {
		dir := filepath.Join(root, pkg)
		if found, _ := filepath.Glob(filepath.Join(dir, "*[^t].go")); len(found) == 0 || pkg == "ui/screenshot" {
			continue
		}
		want := "Package " + path.Base(pkg) + " "
		if name := commands[pkg]; name != "" {
			want = "Command " + name + " "
		}
		if !strings.HasPrefix(docs[pkg], want) || strings.Count(docs[pkg], "Package ") > 1 {
			t.Errorf("%s: the package doc must begin with %q, once; it is %.60q", pkg, want, docs[pkg])
		}
	}
}

// vendors are names that belong to one file each, agent/<vendor>.go.
var vendors = []string{"claude", "anthropic", "codex", "openai", "qwen", "gemini", "copilot", "opencode"}

// houses are the files of vendors whose company has another name.
var houses = map[string]string{"anthropic": "claude", "openai": "codex"}

// TestVendorsStayInTheirFiles looks at code and strings; a comment may give an example.
func TestVendorsStayInTheirFiles(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || strings.HasPrefix(s.pkg, "hq/e2e") || s.pkg == "hq/clients/model" {
			continue
		}
		for _, word := range words(s.text) {
			word = strings.ReplaceAll(word, "claudex", "") // a mode of pairs, of any vendor's agents
			for _, v := range vendors {
				home := v
				if h := houses[v]; h != "" {
					home = h
				}
				if strings.Contains(strings.ToLower(word), v) && s.name != "agent/"+home+".go" && !strings.HasPrefix(s.name, "agent/"+home+"_") {
					t.Errorf("%s says %.60s, which belongs in agent/%s.go", s.name, word, home)
				}
			}
		}
	}
}

// words returns the names and strings of a Go file.
func words(text []byte) []string {
	var all []string
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	for {
		_, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return all
		case token.IDENT, token.STRING:
			all = append(all, lit)
		}
	}
}

// writers are the files outside package store that may write to a disk, and what.
var writers = map[string]string{
	"checks/regular/regular.go":     "nothing: it opens a file to read it, without waiting for a pipe",
	"hq/config/edit.go":             "ferrus.toml",
	"hq/register/write.go":          "the clients' own configuration, as planned",
	"hq/cli/scaffold.go":            "files of the project, yours to edit",
	"hq/cli/demo.go":                "the demo's directory",
	"hq/clients/round.go":           "a temporary home and repository for a client that is tried",
	"hq/cli/doctor.go":              "the bundle that is named",
	"hq/pair/locate.go":             "the user's own index of runs",
	"hq/demo/scaffold.go":           "the demo's repository",
	"hq/host/place.go":              "the directory of a user's sockets",
	"hq/host/sweep.go":              "sockets of dead hosts there",
	"hq/host/door.go":               "the directory of a session's door there",
	"hq/tui/editor.go":              "a temporary file for the editor",
	"hq/demo/executor.go":           "the code that the demo's executor writes",
	"hq/land/recovermerge.go":       "what a merge that died halfway wrote",
	"hq/worktree/remove.go":         "what is left of a removed worktree",
	"hq/worktree/snapshot.go":       "a temporary copy of git's index",
	"checks/git/scratch.go":         "the temporary repository that a hook runs in",
	"hq/commit/sign.go":             "a temporary script that starts a signer inside",
	"hq/commit/commit.go":           "the temporary repository that a hook runs in",
	"hq/gc/gc.go":                   "the lock of ferrus gc, in your state directory",
	"hq/gc/directory.go":            "what is freed",
	"hq/gc/gone.go":                 "the same",
	"hq/human/code.go":              "a one-time code that is used, in your state directory",
	"hq/project/kept.go":            "what is kept of a project, in your state directory",
	"hq/project/hosts.go":           "the lock of what you answered for hosts, in your state directory",
	"hq/project/sessionfiles.go":    "a copy of the conversation that a task continues, beside its sessions' homes",
	"hq/project/truststore.go":      "the trusted commands, in your configuration",
	"agent/usagefile.go":            "a temporary directory for the usage that a client reports",
	"checks/private.go":             "the private git directory that its caller names",
	"checks/union.go":               "three texts in the private git directory, until they are merged",
	"checks/stored.go":              "the objects of git LFS in the user's repository",
	"checks/submodule.go":           "the same, for a submodule",
	"hq/cli/sandbox.go":             "a home for a command, until it ends",
	"agent/sandbox/probe.go":        "a temporary directory, and attempts to write from inside",
	"agent/sandbox/probe_linux.go":  "an attempt to make a terminal",
	"agent/sandbox/probe_darwin.go": "the same",
	"agent/sandbox/proxied.go":      "the directory of a proxy's socket",
	"agent/sandbox/secrets.go":      "what was found among your programs, in your state directory",

	"checks/lane/lane.go":           "the directory of a lane",
	"checks/lane/environment.go":    "a home for setup commands in it",
	"checks/lane/repository.go":     "a git directory for the commands of a gate",
	"checks/workspace/workspace.go": "the directory that equals a tree",
	"checks/workspace/output.go":    "a copy of what setup made in it",
	"checks/workspace/record.go":    "what is known of its files",

	"agent/turnend.go":            "that a turn has ended, where its session says",
	"hq/session/turnend.go":       "the plugin of a session, and it removes what the last one reported",
	"agent/acp/resume.go":         "which conversation of a session was interrupted",
	"agent/home/home.go":          "the private home of a session",
	"agent/home/seed.go":          "the caches of a task",
	"agent/home/login.go":         "logins that a session renewed, and which ones it has",
	"hq/ports/ports.go":           "which ports are given, outside of every project",
	"hq/host/detached.go":         "the log of a worker, in your state directory",
	"hq/remote/session.go":        "how a session on a worker ended, for HQ, and it removes how it starts, which it has read",
	"hq/remote/sync.go":           "which tree a worker has, and its lock: without it the tree is sent again",
	"hq/worker/worker.go":         "the directory of a worker, in your state directory",
	"hq/worker/home.go":           "which attempts and sessions a worker has, beside no project of yours",
	"hq/session/taskdir.go":       "the caches and long texts of a task's sessions, and what former tasks left",
	"checks/git/shadow.go":        "a git directory for a session inside the sandbox",
	"checks/git/loose.go":         "an object in the git directory of a lane",
	"checks/git/writeindex.go":    "the index of a lane",
	"checks/git/configuration.go": "a temporary directory for one run of git",
	"checks/git/killed.go":        "a lock that a killed git has left on a reference of ferrus's own",

	"checks/clean.go": "links and locks in the private git directory",

	"checks/git/gittest/gittest.go":     "forged objects of tests",
	"checks/git/gittest/firstcommit.go": "the first commit of repositories of tests",
	"checks/git/gittest/poison.go":      "what a test has git run",
	"hq/host/hosttest/hosttest.go":      "a directory of tests for their sockets",
	"store/memtemp/memtemp.go":          "temporary directories of tests",
	"hq/hqtest/hqtest.go":               "projects of tests",
}

// writing are calls that change what is on a disk.
var writing = []string{"os.WriteFile(", "os.Create(", "os.CreateTemp(", "os.OpenFile(", "os.Rename(", "os.Remove(", "os.RemoveAll(", "os.Mkdir(", "os.MkdirAll(", "os.MkdirTemp(", "os.Symlink(", "os.Link(", "os.Truncate(", "os.Chmod("}

// TestOnlyTheStoreWritesState looks for calls that write, which is as much as a test can see.
func TestOnlyTheStoreWritesState(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.file.Name.Name == "main" || s.pkg == "store" || strings.HasPrefix(s.pkg, "hq/e2e") || writers[s.name] != "" {
			continue
		}
		for _, call := range writing {
			if bytes.Contains(s.text, []byte(call)) {
				t.Errorf("%s calls %s...): only package store writes; it hands out logs", s.name, call)
			}
		}
	}
}

// ownGit are the files that may run git other than by [git.Repository.Git], and why.
var ownGit = map[string]string{
	"checks/private.go":         "on a git directory of ferrus's own",
	"checks/lane/repository.go": "on a git directory that the gate's commands see",
	"hq/cli/init.go":            "asks whether there is a repository",
	"hq/cli/setup.go":           "asks whether there is a repository",
	"hq/demo/scaffold.go":       "makes the demo's repository",
	"hq/clients/round.go":       "makes the repository of a round",
	"hq/worker/repository.go":   "makes the repository of a home",
	"hq/workflow/forge.go":      "the environment of the program that publishes",
}

// TestGitIsRunInOnePlace finds programs that run git by themselves, with whatever
// configuration an agent wrote.
func TestGitIsRunInOnePlace(t *testing.T) {
	ways := regexp.MustCompile(`exec\.Command(?:Context)?\((?:\w+, )?"git"|git\.In\(|git\.Git\{|git\.Environment\(\)`)
	for _, s := range sources(t) {
		tool := s.pkg == "checks/git" || s.pkg == "checks/git/gittest" || s.pkg == ".ci" ||
			strings.HasPrefix(s.pkg, "hq/hqtest") || strings.HasPrefix(s.pkg, "hq/e2e")
		if s.test || tool || ownGit[s.name] != "" {
			continue
		}
		if way := ways.Find(s.text); way != nil {
			t.Errorf("%s: %s: git is run by Repository.Git of package checks/git", s.name, way)
		}
	}
}

// top is what may be at the root of the repository.
var top = []string{"main.go", "hq", "agent", "machine", "store", "checks", "ui", "go.mod", "go.sum", "Taskfile.yml", "README.md", "LICENSE", "CHANGELOG.md"}

func TestTopLevel(t *testing.T) {
	ignored, err := os.ReadFile(filepath.Join(root, ".gitignore"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || slices.Contains(top, name) || matches(string(ignored), e) {
			continue
		}
		t.Errorf("%s does not belong at the top of the repository", name)
	}
}

// matches reports whether .gitignore names an entry of the root.
func matches(ignored string, e fs.DirEntry) bool {
	for line := range strings.Lines(ignored) {
		pattern := strings.Trim(strings.TrimSpace(line), "/")
		if ok, _ := path.Match(pattern, e.Name()); ok && pattern != "" {
			return true
		}
	}
	return false
}

// TestSize holds files to a size that can be read at once.
func TestSize(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || generated(s.text) {
			continue
		}
		if n := bytes.Count(s.text, []byte("\n")); n > 400 {
			t.Errorf("%s has %d lines: split it by subject", s.name, n)
		}
	}
}

func generated(text []byte) bool {
	head, _, _ := bytes.Cut(text, []byte("\npackage "))
	return bytes.Contains(head, []byte("DO NOT EDIT."))
}

// named are fields whose values have constants: a misspelled constant does not compile.
var named = []string{"Kind", "State", "Event", "At", "Status", "Verdict", "Decision", "Reason"}

// aName matches a literal that may be a name, not a sentence.
var aName = regexp.MustCompile(`^"[A-Za-z_-]+"$`)

// wire packages talk to ferrus from outside, with the names of its tools.
var wire = []string{"hq/demo", "hq/e2e", "hq/clients/model"}

func TestNamesAreConstants(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || !strings.HasPrefix(s.pkg, "hq/") || slices.Contains(wire, s.pkg) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			for _, literal := range literals(n) {
				t.Errorf("%s: %s is written as %s, and not as a constant", s.name, literal.field, literal.value)
			}
			return true
		})
	}
}

// literal is a text that is given to a field, or compared with it.
type literal struct{ field, value string }

// literals returns the texts that a node gives to one of the named fields, or
// compares with it.
func literals(n ast.Node) (all []literal) {
	add := func(of ast.Expr, values ...ast.Expr) {
		name := ""
		switch of := of.(type) {
		case *ast.SelectorExpr:
			name = of.Sel.Name
		case *ast.Ident:
			name = of.Name
		}
		for _, v := range values {
			if l, ok := v.(*ast.BasicLit); ok && slices.Contains(named, name) && aName.MatchString(l.Value) {
				all = append(all, literal{name, l.Value})
			}
		}
	}
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		add(n.Key, n.Value)
	case *ast.BinaryExpr:
		add(n.X, n.Y)
	case *ast.SwitchStmt:
		for _, c := range n.Body.List {
			add(n.Tag, c.(*ast.CaseClause).List...)
		}
	}
	return all
}
