package checks

import "ferrus/checks/git"

// ErrNoRepository means that the workspace is not inside a git worktree.
var ErrNoRepository = git.ErrNoRepository
