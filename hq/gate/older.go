package gate

import (
	"context"
	"path"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/checks/testnames"
	"ferrus/ui/text/lazyregexp"
)

// older returns what gives the new tree the files of tests of the base, with the identifiers
// renamed that the task renamed; none where no such file changed.
func (c *comparison) older(ctx context.Context) (edits []checks.Edit, renames testnames.Renaming, err error) {
	files, err := c.repo.Files(ctx, c.job.base.Tree, c.found.Tree.Hash)
	if err != nil {
		return nil, nil, err
	}
	files = slices.DeleteFunc(files, func(f checks.FileChange) bool {
		return !testnames.IsTestFile(f.Path) && !testnames.IsTestFile(f.Was())
	})
	if len(files) == 0 {
		return nil, nil, nil
	}
	was, err := c.repo.List(ctx, c.job.base.Tree)
	if err != nil {
		return nil, nil, err
	}
	is, err := c.repo.List(ctx, c.found.Tree.Hash)
	if err != nil {
		return nil, nil, err
	}
	texts := make([]testnames.Versions, len(files))
	changed := map[string]bool{}
	for i, f := range files {
		changed[f.Path] = true
		texts[i] = c.texts(ctx, f)
	}
	if renames, err = c.learnRenames(ctx, texts, changed); err != nil {
		return nil, nil, err
	}
	dirs := dirsOf(is, changed)
	for i, f := range files {
		if f.Old != "" && dirs[path.Dir(f.Old)] { // Its code did not move with it.
			edits = append(edits, checks.Edit{Path: f.Path})
			f.Path, f.Old = f.Old, ""
			f.Status = 'M'
		}
		edits = append(edits, edit(f, was, texts[i].Before, renames))
		texts[i].Before = renames.Apply(texts[i].Before)
	}
	c.versions = texts
	return edits, renames, nil
}

// dirsOf returns the directories of the files of a tree, without the changed ones.
func dirsOf(tree []git.TreeEntry, changed map[string]bool) map[string]bool {
	dirs := map[string]bool{}
	for _, e := range tree {
		if !changed[e.Path] {
			dirs[path.Dir(e.Path)] = true
		}
	}
	return dirs
}

// texts returns both texts of a changed file; what cannot be read, or is long, is empty.
func (c *comparison) texts(ctx context.Context, f checks.FileChange) (v testnames.Versions) {
	const most = 1 << 20
	read := func(tree, name string) string {
		text, err := c.repo.Content(ctx, tree, name, most)
		if err != nil || len(text) == most {
			return ""
		}
		return text
	}
	if f.Status != 'A' {
		v.Before = read(c.job.base.Tree, f.Was())
	}
	if f.Status != 'D' {
		v.Now = read(c.found.Tree.Hash, f.Path)
	}
	return v
}

// learnRenames returns the renamed identifiers that are in no other file of the new tree:
// what is still there can still be tested.
func (c *comparison) learnRenames(ctx context.Context, texts []testnames.Versions,
	changed map[string]bool) (testnames.Renaming, error) {
	all := testnames.Renames(texts)
	var words []string
	for from := range all {
		words = append(words, from)
	}
	slices.Sort(words)
	err := c.repo.Mentions(ctx, c.found.Tree.Hash, words, func(file, word string) {
		if !changed[file] {
			delete(all, word)
		}
	})
	return all, err
}

// edit returns the change that gives the new tree the base's version of a file. A renamed
// file keeps its new name: it moved with the code.
func edit(f checks.FileChange, was []git.TreeEntry, text string, renames testnames.Renaming) checks.Edit {
	at := slices.IndexFunc(was, func(e git.TreeEntry) bool { return e.Path == f.Was() })
	if f.Status == 'A' || at < 0 {
		return checks.Edit{Path: f.Path}
	}
	e := checks.Edit{Path: f.Path, Mode: was[at].Mode, ID: was[at].ID}
	if adapted := renames.Apply(text); adapted != text && e.Mode != git.ModeLink && e.Mode != git.ModeSubmodule {
		e.Content = []byte(adapted)
	}
	return e
}

// Code that only tests use asserts, unlike the code under test. A file that is no code
// is data.
var (
	code    = lazyregexp.New(`\.(?:go|pyi?|[cm]?[jt]sx?|rs|c|cc|cpp|cxx|h|hh|hpp|java|kt|kts|groovy|scala|rb|php|cs|swift|exs?|dart|sh|bash)$`)
	asserts = lazyregexp.New(`\bAssertionError\b|\bassert(?:\s|\w*[.!(])|\b[tT][bB]?\.(?:Fatal|Error|Fail)\w*\(` +
		`|\bexpect\(|\bpytest\b|\bunittest\b|"testing"|\bt\.Helper\(`)
)

// helpers returns what gives the new tree the base's versions of changed files that only tests
// use, though they are no files of tests by their paths: data that tests name, and code with
// assertions.
func (c *comparison) helpers(ctx context.Context) (edits []checks.Edit, err error) {
	files, err := c.repo.Files(ctx, c.job.base.Tree, c.found.Tree.Hash)
	if err != nil {
		return nil, err
	}
	words, byWord := []string{}, map[string][]checks.FileChange{}
	for _, f := range files {
		if f.Status == 'A' || testnames.IsTestFile(f.Path) || testnames.IsTestFile(f.Was()) ||
			noCode.MatchString(f.Path) || code.MatchString(f.Was()) && !asserts.MatchString(c.texts(ctx, f).Before) {
			continue
		}
		word := calledIn(f.Was())
		if byWord[word] == nil {
			words = append(words, word)
		}
		byWord[word] = append(byWord[word], f)
	}
	tests, others := map[string]bool{}, map[string]bool{}
	err = c.repo.Mentions(ctx, c.job.base.Tree, words, func(file, word string) {
		switch {
		case testnames.IsTestFile(file):
			tests[word] = true
		case !noCode.MatchString(file) && !isOf(file, byWord[word]):
			others[word] = true
		}
	})
	if err != nil || len(tests) == 0 {
		return nil, err
	}
	was, err := c.repo.List(ctx, c.job.base.Tree)
	if err != nil {
		return nil, err
	}
	for _, word := range words {
		for _, f := range byWord[word] {
			if tests[word] && !others[word] {
				edits = append(edits, edit(f, was, "", nil))
			}
		}
	}
	return edits, nil
}

// calledIn returns the word with which other files name one: a package of Go, a module, or a file.
func calledIn(name string) string {
	base := path.Base(name)
	switch {
	case path.Ext(name) == ".go":
		return path.Base(path.Dir(name))
	case code.MatchString(name):
		return strings.TrimSuffix(base, path.Ext(base))
	}
	return base
}

// isOf reports whether a file is one of the changed ones.
func isOf(file string, all []checks.FileChange) bool {
	return slices.ContainsFunc(all, func(f checks.FileChange) bool { return f.Was() == file || f.Path == file })
}
