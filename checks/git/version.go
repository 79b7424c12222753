package git

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"ferrus/ui/text/lazyregexp"
)

// mergeTree is the version of git, 2.x, that merges trees without a worktree.
const mergeTree = 38

var version = lazyregexp.New(`^git version (\d+)\.(\d+)`)

// RequireMergeTree returns an error, in words, if the installed git cannot merge trees.
func RequireMergeTree(ctx context.Context) error {
	out, err := In(os.TempDir()).Output(ctx, "--version")
	if err != nil {
		return err
	}
	found := version.FindStringSubmatch(out)
	if found == nil {
		return fmt.Errorf("git reports no version: %.60q", out)
	}
	major, _ := strconv.Atoi(found[1]) // Digits always are a number.
	minor, _ := strconv.Atoi(found[2])
	if major < 2 || major == 2 && minor < mergeTree {
		return fmt.Errorf("a landing from a worktree needs git 2.%d, and this is %s.%s", mergeTree, found[1], found[2])
	}
	return nil
}
