package remote

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ferrus/checks/git"
	"ferrus/hq/wire"
)

// growth bounds what a tree of a worker may add to the one that the work started from: a pack of some kilobytes can
// name more files, or longer ones, than any disk has room for.
type growth struct {
	files int
	bytes int64
}

// maxGrowth is far above what a task adds.
var maxGrowth = growth{files: 500_000, bytes: 4 << 30}

// maxAlloc has git refuse an object that claims to need more memory, in bytes. Blobs above maxInMemory are not read
// into memory at all.
const (
	maxAlloc    = "GIT_ALLOC_LIMIT=1073741824"
	maxInMemory = "core.bigFileThreshold=33554432"
)

// check refuses a tree that differs from a commit's in too many files, or in too much data. It reads no more of it than
// the limit.
func (most growth) check(ctx context.Context, g git.Git, head, tree string) error {
	blobs, err := most.changed(ctx, g, head, tree)
	if err != nil {
		return err
	}
	sizes, _, err := g.Run(ctx, strings.NewReader(strings.Join(blobs, "\n")+"\n"), "cat-file",
		"--batch-check=%(objectsize)")
	if err != nil {
		return err
	}
	all := int64(0)
	for size := range strings.Lines(sizes) {
		n, _ := strconv.ParseInt(strings.TrimSpace(size), 10, 64) // what is missing has no size
		if all += n; all > most.bytes {
			return &wire.Violation{What: fmt.Sprintf("sent a tree with more than %d bytes of changes", most.bytes)}
		}
	}
	return nil
}

// changed returns the contents that a tree has and a commit has not, as often as the tree has them.
func (most growth) changed(ctx context.Context, g git.Git, head, tree string) (blobs []string, err error) {
	env, remove, err := g.Environ()
	if err != nil {
		return nil, err
	}
	defer remove()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := g.Command(ctx, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", head+"^{tree}", tree)
	cmd.Env = env
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("compare the trees: %w", err)
	}
	defer cmd.Wait() //nolint:errcheck // it is killed where it was not read to its end
	defer cancel()
	fields := bufio.NewReaderSize(out, 64<<10)
	for {
		entry, err := fields.ReadString(0) // :mode mode hash hash status
		if errors.Is(err, io.EOF) {
			return blobs, nil
		}
		if err == nil {
			_, err = fields.ReadString(0) // the path
		}
		if err != nil {
			return nil, fmt.Errorf("compare the trees: %w", err)
		}
		if blobs = append(blobs, ""); len(blobs) > most.files {
			return nil, &wire.Violation{What: fmt.Sprintf("sent a tree with more than %d changed files", most.files)}
		}
		if words := strings.Fields(entry); len(words) == 5 && strings.HasPrefix(words[1], "1") && words[1] != "160000" {
			blobs[len(blobs)-1] = words[3]
		}
	}
}
