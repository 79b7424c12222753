package remote

import (
	"context"
	"fmt"
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entry := "" // :mode mode hash hash status; its path comes next
	err = g.Each(ctx, func(part string) {
		if entry == "" || len(blobs) > most.files {
			entry = part
			return
		}
		blob := ""
		words := strings.Fields(entry)
		if len(words) == 5 && strings.HasPrefix(words[1], "1") && words[1] != "160000" {
			blob = words[3]
		}
		if blobs, entry = append(blobs, blob), ""; len(blobs) > most.files {
			cancel()
		}
	}, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", head+"^{tree}", tree)
	if len(blobs) > most.files {
		return nil, &wire.Violation{What: fmt.Sprintf("sent a tree with more than %d changed files", most.files)}
	}
	if err != nil {
		return nil, fmt.Errorf("compare the trees: %w", err)
	}
	return blobs, nil
}
