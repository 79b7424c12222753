package checks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// SamePatch reports whether the changes from one tree to another one, twice, are the same patch: what they
// add and remove, and the lines around that, byte for byte, wherever it is in its files. White
// space counts. All four are trees as git stores them.
//
// In files of union both sides of a conflict were kept: there the second change may have less than
// the first one, and lines around it that are others, but adds and removes nothing else.
func (r Repo) SamePatch(ctx context.Context, first, second [2]string, union []string) (bool, error) {
	var ids [2]string
	for i, trees := range [][2]string{first, second} {
		err := r.compareTrees(ctx, trees[0], trees[1], func(p *private) (err error) {
			ids[i], err = p.patchID(ctx, trees, union)
			return err
		})
		if err != nil {
			return false, err
		}
	}
	if ids[0] != ids[1] || len(union) == 0 {
		return ids[0] == ids[1], nil
	}
	return r.within(ctx, first, second, union)
}

// patchID returns git's name of a patch without some files; empty: they change nothing.
func (p *private) patchID(ctx context.Context, trees [2]string, without []string) (string, error) {
	args := []string{"diff-tree", "-r", "-p", "--full-index", "--binary", "--no-renames", "--no-ext-diff",
		"--no-textconv", "--ignore-submodules=none", trees[0], trees[1], "--"}
	if len(without) > 0 {
		args = append(args, ":(top)")
		for _, name := range without {
			args = append(args, ":(top,exclude,literal)"+name)
		}
	}
	patch, err := p.patchFile(ctx, trees, args)
	if err != nil {
		return "", fmt.Errorf("name a patch: %w", err)
	}
	defer patch.Close()
	id, _, err := p.ownGit().Run(ctx, patch, "patch-id", "--verbatim")
	name, _, _ := strings.Cut(id, " ")
	return name, err
}

// patchFile returns a file with a patch, which can be read once more where its reader is killed.
func (p *private) patchFile(ctx context.Context, trees [2]string, args []string) (*os.File, error) {
	g, remove, err := p.treesGit(ctx, trees[:]...)
	if err != nil {
		return nil, err
	}
	defer remove()
	out, err := g.Stream(ctx, args...)
	if err != nil {
		return nil, err
	}
	file, err := p.scratch()
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	_, err = io.Copy(file, out)
	if err = errors.Join(err, out.Close()); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// within reports whether the second of two changes adds and removes nothing in some files that the first one
// does not.
func (r Repo) within(ctx context.Context, first, second [2]string, files []string) (bool, error) {
	type line struct {
		path, text string
		added      bool
	}
	in := map[string]bool{}
	for _, name := range files {
		in[name] = true
	}
	left, same := map[line]int{}, true
	for i, trees := range [][2]string{first, second} {
		err := r.Lines(ctx, trees[0], trees[1], func(l LineChange) {
			if !in[l.Path] {
				return
			}
			one := line{l.Path, l.Text, l.Added}
			if i == 0 {
				left[one]++
				return
			}
			left[one]--
			same = same && left[one] >= 0 && l.Odd == "" // what is not shown in full is not compared
		})
		if err != nil {
			return false, err
		}
	}
	return same, nil
}
