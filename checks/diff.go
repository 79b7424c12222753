package checks

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
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
	Path    string `json:"path"`
	Was     string `json:"was,omitempty"` // what it was called, if it was renamed
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Patch   string `json:"patch,omitempty"`
	Cut     bool   `json:"cut,omitempty"`    // the patch is not the whole of it
	Binary  bool   `json:"binary,omitempty"` // it has NUL bytes
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
				all = append(all, FilePatch{Path: line.path, Was: line.was})
			case more == 0 && len(all) > 0:
				room -= all[len(all)-1].add(line, min(room, most.File-len(all[len(all)-1].Patch)))
			}
		})
	})
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
	text := line.shown() + "\n"
	if f.Cut || len(text) > room {
		f.Cut = true
		return 0
	}
	f.Patch += text
	return len(text)
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

// patchLine is one line of a patch. Mark is 0 where a file begins, '@' for the
// head of a hunk, and else the first byte.
type patchLine struct {
	path   string
	was    string // what the file was called, if it was renamed
	mark   byte
	number int // of a line that is added or removed
	text   []byte
	long   bool // the rest of it is left out
}

// patch reads the patch between two trees line by line.
func (p *private) patch(ctx context.Context, around, a, b string, f func(patchLine)) error {
	out, err := p.startPatch(ctx, around, a, b)
	if err != nil {
		return err
	}
	return readPatch(out, f)
}

// startPatch has git compare two trees.
func (p *private) startPatch(ctx context.Context, around, a, b string) (*git.Stream, error) {
	g, remove, err := p.treesGit(ctx, a, b)
	if err != nil {
		return nil, err
	}
	out, err := g.Stream(ctx, slices.Concat(comparing, []string{"-p", "--text", around, "--src-prefix=a/",
		"--dst-prefix=b/", a, b, "--"})...)
	if err != nil {
		remove()
		return nil, err
	}
	out.AtClose(remove)
	return out, nil
}

// readPatch reads it line by line, to the end.
func readPatch(out *git.Stream, f func(patchLine)) error {
	r := patchReader{show: f}
	lines := bufio.NewReaderSize(out, 64<<10)
	for {
		text, err := lines.ReadSlice('\n')
		r.long = errors.Is(err, bufio.ErrBufferFull)
		r.readLine(bytes.TrimSuffix(text, newline))
		for errors.Is(err, bufio.ErrBufferFull) { // The rest of a long line is left out.
			_, err = lines.ReadSlice('\n')
		}
		if err != nil {
			r.startFile()
			return out.Close() // which says whether it was the end
		}
	}
}

// patchReader knows where in a patch it is.
type patchReader struct {
	show             func(patchLine)
	path, was        string
	inHead           bool
	long             bool // the line that is read has more to it
	oldLine, newLine int
}

func (r *patchReader) readLine(text []byte) {
	switch {
	case bytes.HasPrefix(text, []byte("diff --git ")):
		r.startFile()
		r.inHead, r.path, r.was = true, headPath(string(text[len("diff --git "):])), ""
	case bytes.HasPrefix(text, []byte("@@ ")):
		r.startFile()
		r.hunk(string(text))
		r.show(patchLine{path: r.path, was: r.was, mark: '@', text: text})
	case r.inHead:
		r.head(string(text))
	case len(text) > 0:
		r.content(text)
	}
}

// startFile shows that a file begins, once its head is read: a rename is named only there.
func (r *patchReader) startFile() {
	if r.inHead {
		r.inHead = false
		r.show(patchLine{path: r.path, was: r.was})
	}
}

// head reads the names: the newer one is what the file is called.
func (r *patchReader) head(text string) {
	if name, ok := strings.CutPrefix(text, "rename from "); ok {
		r.was = unquoted(name)
	}
	for _, prefix := range []string{"--- ", "+++ ", "rename to "} {
		if name, ok := strings.CutPrefix(text, prefix); ok {
			if name = unquoted(name); name != "/dev/null" {
				r.path = name
				if prefix != "rename to " {
					r.path = name[min(2, len(name)):]
				}
			}
		}
	}
}

// hunk reads where the next lines are: @@ -1,2 +3 @@.
func (r *patchReader) hunk(text string) {
	fields := strings.Fields(text)
	if len(fields) < 3 {
		return
	}
	for i, at := range []*int{&r.oldLine, &r.newLine} {
		number, _, _ := strings.Cut(fields[i+1][1:], ",")
		*at, _ = strconv.Atoi(number) // Git writes numbers.
	}
}

func (r *patchReader) content(text []byte) {
	line := patchLine{path: r.path, was: r.was, mark: text[0], text: text, long: r.long}
	switch line.mark {
	case '-':
		line.number = r.oldLine
		r.oldLine++
	case '+':
		line.number = r.newLine
		r.newLine++
	case ' ':
		r.oldLine++
		r.newLine++
	}
	r.show(line)
}

// headPath returns the name in a/name b/name, for files whose name is on no other line.
func headPath(text string) string {
	if strings.HasPrefix(text, `"`) {
		name := unquoted(text[:len(text)/2])
		return name[min(2, len(name)):]
	}
	half := text[:len(text)/2]
	return half[min(2, len(half)):]
}

// unquoted reads a name as git writes it: in quotes when it has odd characters.
func unquoted(name string) string {
	name = strings.TrimSuffix(name, "\t")
	if !strings.HasPrefix(name, `"`) {
		return name
	}
	plain, err := strconv.Unquote(name)
	if err != nil {
		return strings.Trim(name, `"`)
	}
	return plain
}
