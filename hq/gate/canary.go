package gate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/checks/testnames"
	"ferrus/ui/text/lazyregexp"
)

// mostCanaries limits the Go packages that get one. Other runners get one each: all of
// their tests are in one report.
const mostCanaries = 32

// noCode are files that no test runs.
var noCode = lazyregexp.New(`(?i)\.(?:md|rst|adoc|png|jpe?g|gif|svg|ico|pdf)$|(?:^|/)(?:license|authors|changelog|codeowners)[^/]*$`)

// failsFast matches an option that makes a runner stop at the first failure.
var failsFast = lazyregexp.New(`-failfast|--bail|--exitfirst|--maxfail|--fail-fast|\s-x\b`)

// addCanaries runs the commands that named tests once more, with tests of ferrus's own added to
// theirs, and records where these were not reported: what a runner prints can come from the code
// that it tests. The tree of the verdict never has them. A runner that does not report them on
// the base either, since its command selects tests, is not blamed.
func (c *comparison) addCanaries(ctx context.Context) error {
	files, err := c.repo.Files(ctx, c.job.base.Tree, c.found.Tree.Hash)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(files, func(f checks.FileChange) bool { return !noCode.MatchString(f.Path) }) {
		return nil
	}
	missing, failing, err := c.unreported(ctx, c.found.Tree.Hash, c.found.Commands)
	if err != nil || len(missing) == 0 && len(failing) == 0 {
		return err
	}
	onBase, failingThere, err := c.unreported(ctx, c.job.base.Tree, c.base.Commands)
	if err != nil {
		return err
	}
	missing = slices.DeleteFunc(missing, func(m testnames.Canary) bool {
		return slices.ContainsFunc(onBase, func(b testnames.Canary) bool { return b.Kind == m.Kind })
	})
	c.found.Demands.Unsteady = slices.DeleteFunc(failing, func(name string) bool {
		return slices.Contains(failingThere, name)
	})
	if len(missing) == 0 {
		return nil
	}
	again, _, err := c.unreported(ctx, c.found.Tree.Hash, c.found.Commands) // Some runs are ended from outside.
	if err != nil {
		return err
	}
	for _, m := range missing {
		if slices.ContainsFunc(again, func(a testnames.Canary) bool { return a.Kind == m.Kind }) {
			c.found.Demands.Forged = append(c.found.Demands.Forged, m.Label)
		}
	}
	slices.Sort(c.found.Demands.Forged)
	return nil
}

// unreported runs a tree with canaries, and returns what was not reported the way it ends, and the
// tests that failed, though they had passed without.
func (c *comparison) unreported(ctx context.Context, tree string, results []checks.Result) (
	missing []testnames.Canary, failing []string, err error) {
	added, edits, err := c.plantCanaries(ctx, tree, results)
	if err != nil || len(added) == 0 {
		return nil, nil, err
	}
	with, err := c.repo.Edit(ctx, tree, edits)
	if err != nil {
		return nil, nil, fmt.Errorf("add tests of ferrus's own: %w", err)
	}
	fmt.Fprintf(c.log, "\n=== the tests, with %d of ferrus's own that must be"+
		" reported\n\n", 2*len(added)) //nolint:errcheck // the run notes it
	names, _, err := c.run(ctx, with)
	if err != nil {
		return nil, nil, err
	}
	passed := checks.Record{Commands: results}.Names()
	for name, o := range passed {
		if o == testnames.Passed && names[name] == testnames.Failed && !isOfCanary(name, added, names) {
			failing = append(failing, testnames.Short(name))
		}
	}
	slices.Sort(failing)
	missing = slices.DeleteFunc(added, func(a testnames.Canary) bool { return a.Reported(names) })
	return missing, slices.Compact(failing), nil
}

// isOfCanary reports whether a name (of a file, a package or a group) covers several tests, one of
// which may be a canary.
func isOfCanary(name string, added []testnames.Canary, names testnames.Set) bool {
	for other := range names {
		if rest, ok := strings.CutPrefix(other, name); ok && rest != "" && strings.ContainsAny(rest[:1], " /:>[") {
			return true
		}
	}
	return slices.ContainsFunc(added, func(a testnames.Canary) bool { return a.Path == name || a.Label == name })
}

// plantCanaries returns canaries for the tests that results name, and the edits that add them.
func (c *comparison) plantCanaries(ctx context.Context, tree string, results []checks.Result) (
	added []testnames.Canary, edits []checks.Edit, err error) {
	entries, err := c.repo.List(ctx, tree)
	if err != nil {
		return nil, nil, err
	}
	p := planter{entries: entries, sites: map[string]testnames.Canary{}}
	if err := p.readModules(ctx, c, tree); err != nil {
		return nil, nil, err
	}
	for _, r := range results {
		p.findSites(r)
	}
	sites := p.choose(results)
	texts, err := c.repo.Texts(ctx, tree, sites, 1<<20)
	if err != nil {
		return nil, nil, err
	}
	for _, site := range sites {
		canary := p.sites[site]
		text := canary.Write(texts[site])
		if text == "" || len(texts[site]) == 1<<20 {
			continue
		}
		added = append(added, canary)
		edits = append(edits, checks.Edit{Path: canary.Path, Mode: git.ModeFile, Content: []byte(text)})
	}
	return added, edits, nil
}

// planter finds files for canaries in a tree.
type planter struct {
	entries []git.TreeEntry
	modules map[string]string           // of Go: their directories, by their paths
	sites   map[string]testnames.Canary // by the file of tests
}

var moduleLine = lazyregexp.New(`(?m)^module\s+"?([^\s"]+)`)

// readModules reads the modules of Go that a tree has.
func (p *planter) readModules(ctx context.Context, c *comparison, tree string) error {
	var files []string
	for _, e := range p.entries {
		if path.Base(e.Path) == "go.mod" && !strings.Contains(e.Path, "testdata/") {
			files = append(files, e.Path)
		}
	}
	texts, err := c.repo.Texts(ctx, tree, files, 64<<10)
	p.modules = map[string]string{}
	for file, text := range texts {
		if m := moduleLine.FindStringSubmatch(text); m != nil {
			p.modules[m[1]] = path.Dir(file)
		}
	}
	return err
}

// findSites finds the files of the tests that a command named. A package whose outcome Go had
// kept from the base has no code that changed.
func (p *planter) findSites(r checks.Result) {
	for name := range r.Names {
		kind := testnames.KindOf(name)
		if kind == "" || !r.Names.Ran(name) {
			continue
		}
		file, label := p.file(kind, name)
		if _, known := p.sites[file]; file == "" || known || kind == testnames.Go && slices.Contains(r.Cached, label) {
			continue
		}
		p.sites[file] = testnames.NewCanary(kind, file, label)
	}
}

// file returns a file with tests like the named one, and what is shown of it; empty if there
// is none, or more than one.
func (p *planter) file(kind testnames.Kind, name string) (file, label string) {
	switch kind {
	case testnames.Go:
		pkg, _, _ := strings.Cut(name, " ")
		return p.goFile(pkg), pkg
	case testnames.Python:
		module, _, _ := strings.Cut(name, "::")
		for parts := strings.Split(module, "."); len(parts) > 0; parts = parts[:len(parts)-1] {
			if file = p.only(strings.Join(parts, "/") + ".py"); file != "" {
				return file, file
			}
		}
	case testnames.JavaScript:
		file, _, _ = strings.Cut(name, " > ")
	case testnames.Rust:
		file, _, _ = strings.Cut(name, " ")
	}
	file = p.only(file)
	return file, file
}

// goFile returns a file of tests of a package.
func (p *planter) goFile(pkg string) string {
	for module, dir := range p.modules {
		below, ok := strings.CutPrefix(pkg+"/", module+"/")
		if !ok {
			continue
		}
		dir = path.Join(dir, below)
		for _, e := range p.entries {
			if strings.HasSuffix(e.Path, "_test.go") && path.Dir(e.Path) == dir {
				return e.Path
			}
		}
	}
	return ""
}

// only returns the one file whose path has an end.
func (p *planter) only(end string) (found string) {
	for _, e := range p.entries {
		if e.Path == end {
			return end
		}
		if strings.HasSuffix(e.Path, "/"+end) {
			if found != "" {
				return ""
			}
			found = e.Path
		}
	}
	return found
}

// choose draws the sites that get a canary: several packages of Go, and one file of every
// other kind.
func (p *planter) choose(results []checks.Result) (chosen []string) {
	most := map[testnames.Kind]int{testnames.Go: mostCanaries, testnames.Python: 1, testnames.JavaScript: 1,
		testnames.Rust: 1}
	if slices.ContainsFunc(results, func(r checks.Result) bool { return failsFast.MatchString(r.Command) }) {
		most[testnames.Go] = 1
	}
	var all []string
	for site := range p.sites {
		all = append(all, site)
	}
	rand.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	for _, site := range all {
		if kind := p.sites[site].Kind; most[kind] > 0 {
			most[kind]--
			chosen = append(chosen, site)
		}
	}
	return chosen
}
