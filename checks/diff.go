package checks

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"ferrus/checks/git"
)

// LineChange is a line that one of two trees has and the other has not.
type LineChange struct {
	Path   string // in the newer tree; in the older one where the file is deleted
	Number int    // in the tree that has it
	Added  bool
	Text   string // plain: what cannot be seen is escaped
	// Odd says why the text does not show what a program may read there; empty: it does.
	Odd string
}

// FilePatch is what changed in one file, as a patch to read.
type FilePatch struct {
	Path    string                 `json:"path"`
	Was     string                 `json:"was,omitempty"` // what it was called, if it was renamed
	Added   int                    `json:"added"`
	Removed int                    `json:"removed"`
	Patch   string                 `json:"patch,omitempty"`
	Cut     bool                   `json:"cut,omitempty"`    // the patch is not the whole of it
	Binary  bool                   `json:"binary,omitempty"` // it has NUL bytes
	Mode    string                 `json:"mode,omitempty"`   // what its lines do not show: that it is a link, or executable now
	ends    struct{ crlf, lf int } // how many of the lines end in CR LF, and in LF alone
}

// Title names the file, with names as a function writes them: old.go -> new.go  executable.
func (f *FilePatch) Title(name func(string) string) string {
	title := name(f.Path)
	if f.Was != "" {
		title = name(f.Was) + " -> " + title
	}
	if f.Mode != "" {
		title += "  " + f.Mode
	}
	return title
}

// What a patch may have for one file, and for all of them.
const (
	patchFileBytes = 12 << 10
	patchBytes     = 96 << 10
	patchFiles     = 500
)

// comparing are the arguments of every comparison of two trees. Nothing that the
// repository configures is started, and no attribute hides a text.
var comparing = []string{"diff-tree", "-r", "-M", "-l200", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"}

// Lines calls f with every line in which two trees differ, file by file. It
// takes constant memory.
func (r Repo) Lines(ctx context.Context, a, b string, f func(LineChange)) error {
	return r.compareTrees(ctx, a, b, func(p *private) error {
		return p.patch(ctx, "-U0", a, b, func(line patchLine) { line.eachChange(f) })
	})
}

// PatchLimits is what a patch may have: bytes for one file and for all of them,
// and files.
type PatchLimits struct{ File, All, Files int }

// Patch returns the difference of two trees by file, bounded for each and in all.
// What was left out is said: Cut, and a last entry that counts more files.
func (r Repo) Patch(ctx context.Context, a, b string) ([]FilePatch, error) {
	return r.PatchLimited(ctx, a, b, PatchLimits{patchFileBytes, patchBytes, patchFiles})
}

// PatchLimited is like [Repo.Patch] with bounds of the caller's.
func (r Repo) PatchLimited(ctx context.Context, a, b string, most PatchLimits) ([]FilePatch, error) {
	all := []FilePatch{}
	room, more := most.All, 0
	err := r.compareTrees(ctx, a, b, func(p *private) error {
		return p.patch(ctx, "-U3", a, b, func(line patchLine) {
			switch {
			case line.mark == 0 && len(all) == most.Files:
				more++
			case line.mark == 0:
				all = append(all, FilePatch{Path: line.path, Was: line.was, Mode: line.mode})
			case more == 0 && len(all) > 0:
				room -= all[len(all)-1].add(line, min(room, most.File-len(all[len(all)-1].Patch)))
			}
		})
	})
	for i := range all {
		all[i].showEnds()
	}
	if more > 0 {
		all = append(all, FilePatch{Path: fmt.Sprintf("and %d more files", more), Cut: true})
	}
	return all, err
}

// add takes one line if there is room for it, and returns how much it took.
func (f *FilePatch) add(line patchLine, room int) int {
	f.Path, f.Was = line.path, line.was
	switch line.mark {
	case '+':
		f.Added++
	case '-':
		f.Removed++
	}
	f.Binary = f.Binary || bytes.IndexByte(line.text, 0) >= 0
	text := line.shown() + f.endOf(line)
	if f.Cut || len(text) > room {
		f.Cut = true
		return 0
	}
	f.Patch += text
	return len(text)
}

// endOf counts the end of a line, and returns it.
func (f *FilePatch) endOf(line patchLine) string {
	switch {
	case strings.IndexByte("+- ", line.mark) >= 0 && bytes.HasSuffix(line.text, []byte("\r")):
		f.ends.crlf++
		return "\r\n"
	case strings.IndexByte("+- ", line.mark) >= 0:
		f.ends.lf++
	case line.mark == '\\' && !strings.HasSuffix(f.Patch, "\r\n"): // the line above had no end
		f.ends.lf--
	}
	return "\n"
}

// showEnds shows carriage returns at the ends of lines as \r if not all lines have one: else two lines that differ
// would read the same.
func (f *FilePatch) showEnds() {
	end := "\n"
	if f.ends.lf > 0 {
		end = `\r` + end
	}
	f.Patch, f.ends = strings.ReplaceAll(f.Patch, "\r\n", end), struct{ crlf, lf int }{}
}

// Content returns a file of a tree, its beginning if it is large.
func (r Repo) Content(ctx context.Context, tree, name string, most int) (string, error) {
	text := beginning{most: most}
	err := r.compareTrees(ctx, tree, tree, func(p *private) error {
		objects, err := p.ownGit().Objects(ctx)
		if err != nil {
			return err
		}
		defer objects.Close()
		return objects.File(&text, tree, name)
	})
	return string(text.bytes), err
}

// Texts returns the beginnings of files of a tree, by their paths. Links, submodules and what
// cannot be read are left out.
func (r Repo) Texts(ctx context.Context, tree string, paths []string, most int) (texts map[string]string, err error) {
	texts = map[string]string{}
	if len(paths) == 0 {
		return texts, nil
	}
	wanted := map[string]bool{}
	for _, path := range paths {
		wanted[path] = true
	}
	err = r.compareTrees(ctx, tree, tree, func(p *private) error {
		all, err := p.ownGit().Tree(ctx, tree)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(e git.TreeEntry) bool {
			return !wanted[e.Path] || e.Mode == git.ModeLink || e.Mode == git.ModeSubmodule
		})
		objects, err := p.ownGit().Objects(ctx)
		if err != nil {
			return err
		}
		defer objects.Close()
		ids := make([]string, len(all))
		for i, e := range all {
			ids[i] = e.ID
		}
		if err := objects.Ask(ids); err != nil {
			return err
		}
		for _, e := range all {
			text := beginning{most: most}
			if err := objects.Read(&text, "blob", e.ID); err != nil {
				return err
			}
			texts[e.Path] = string(text.bytes)
		}
		return nil
	})
	return texts, err
}

// beginning keeps the first bytes of what is written to it.
type beginning struct {
	bytes []byte
	most  int
}

// Write never fails.
func (b *beginning) Write(p []byte) (int, error) {
	b.bytes = append(b.bytes, p[:min(len(p), b.most-len(b.bytes))]...)
	return len(p), nil
}

// Prefix returns the workspace as paths of a tree name it: empty, or ending in a slash.
func (r Repo) Prefix(ctx context.Context) (string, error) {
	p, err := r.open(ctx)
	if err != nil {
		return "", fmt.Errorf("find the worktree: %w", err)
	}
	defer p.close()
	if dir := path.Dir(p.hidden); dir != "." {
		return dir + "/", nil
	}
	return "", nil
}

// compareTrees opens the private repository for something that reads trees.
func (r Repo) compareTrees(ctx context.Context, a, b string, f func(*private) error) error {
	p, err := r.openFor(ctx, a, b)
	if err == nil {
		defer p.close()
		err = f(p)
	}
	if err != nil {
		return fmt.Errorf("compare trees: %w", err)
	}
	return nil
}

// openFor opens the directory to read two trees.
func (r Repo) openFor(ctx context.Context, a, b string) (*private, error) {
	if !git.IsHash(a) || !git.IsHash(b) {
		return nil, fmt.Errorf("%.50q and %.50q are not two trees", a, b)
	}
	return r.open(ctx)
}
