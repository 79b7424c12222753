package workspace

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"

	"ferrus/checks/git"
)

// ErrObject means that an object is missing, or holds something else than its name says.
var ErrObject = errors.New("the repository is damaged")

// list reads the files of a tree.
func list(ctx context.Context, g git.Git, tree string) (entries, error) {
	files, folded := entries{}, map[string]bool{}
	var fault error
	err := g.Each(ctx, func(line string) {
		meta, name, _ := strings.Cut(line, "\t")
		fields := strings.Fields(meta) // 100644 blob <id>
		if fault != nil || len(fields) != 3 {
			return
		}
		mode, err := strconv.ParseUint(fields[0], 8, 32)
		switch {
		case err != nil || !isMode(uint32(mode)):
			fault = fmt.Errorf("%q has the mode %s, which git does not write", name, fields[0])
		case !isSafe(name):
			fault = fmt.Errorf("the name %q may not be in a tree", name)
		case files[name] != nil || folded[name]:
			fault = fmt.Errorf("%q is in the tree twice", name)
		}
		files[name] = &entry{mode: uint32(mode), id: fields[2]}
	}, "--no-replace-objects", "ls-tree", "-r", "-z", "--full-tree", tree)
	if err == nil {
		err = fault
	}
	if err == nil && len(files) > 0 {
		for name := range files {
			if below(files, name) {
				return nil, fmt.Errorf("%q is in the tree as a file and as a directory", name)
			}
		}
	}
	return files, err
}

func isMode(mode uint32) bool {
	return mode == modeFile || mode == modeExecutable || mode == modeLink || mode == modeSubmodule || mode == 0o100664
}

// isSafe reports whether a path stays below the directory and is not git's own. Trees
// can be written with any name; git itself refuses these when it checks one out.
func isSafe(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		lower := strings.ToLower(name)
		if name == "" || name == "." || name == ".." || lower == ".git" || strings.HasPrefix(lower, "git~") {
			return false
		}
	}
	return true
}

// reader is one git cat-file that answers for many objects, in the order asked.
type reader struct {
	out  *bufio.Reader
	wait func() error
}

// read starts a reader for blobs.
func read(ctx context.Context, g git.Git, ids []string) (*reader, error) {
	cmd := g.Command(ctx, "--no-replace-objects", "cat-file", "--batch", "--buffer")
	var words bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Join(ids, "\n")+"\n"), &words
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, git.Explain(ctx, []string{"cat-file"}, "", err)
	}
	return &reader{bufio.NewReaderSize(out, 1<<18), func() error {
		_, _ = io.Copy(io.Discard, out) // What is left after a fault, so that git ends.
		if err := cmd.Wait(); err != nil {
			return git.Explain(ctx, []string{"cat-file"}, words.String(), err)
		}
		return nil
	}}, nil
}

// next copies the next blob, which must be the one that is named.
func (r *reader) next(to io.Writer, id string) error {
	head, err := r.out.ReadString('\n')
	if err != nil {
		return fmt.Errorf("read object %s: %w", id, err)
	}
	fields := strings.Fields(head)
	if len(fields) != 3 || fields[0] != id || fields[1] != "blob" {
		return fmt.Errorf("%w: object %s: git says %q", ErrObject, id, strings.TrimSpace(head))
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return fmt.Errorf("%w: object %s has the size %s", ErrObject, id, fields[2])
	}
	sum := hasher(id, size)
	if _, err := io.CopyN(io.MultiWriter(to, sum), r.out, size); err != nil {
		return fmt.Errorf("read object %s: %w", id, err)
	}
	if _, err := r.out.Discard(1); err != nil {
		return fmt.Errorf("read object %s: %w", id, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != id {
		return fmt.Errorf("%w: object %s holds another one, %s", ErrObject, id, got)
	}
	return nil
}

// hasher returns the hash of a blob of a size, in the format that a name is of.
func hasher(id string, size int64) hash.Hash {
	if len(id) == hex.EncodedLen(sha256.Size) {
		return git.Hasher("sha256", "blob", size)
	}
	return git.Hasher("sha1", "blob", size)
}
