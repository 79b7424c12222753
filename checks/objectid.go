package checks

import (
	"strings"

	"ferrus/checks/git"
)

// ErrNoRepository means that the workspace is not inside a git worktree.
var ErrNoRepository = git.ErrNoRepository

// isHash keeps what is no name of an object out of git's arguments.
func isHash(s string) bool {
	return len(s) >= 40 && strings.Trim(s, "0123456789abcdef") == ""
}
