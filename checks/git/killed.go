package git

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"ferrus/ui/text/lazyregexp"
)

// maxAsks is how often a question is asked whose git is killed, such as by a kernel without memory.
const maxAsks = 3

// questions are the commands that change nothing, whatever their arguments are. A git that is killed while it
// changes something is not run again: it cannot be known how far it came.
var questions = []string{"cat-file", "check-attr", "check-ignore", "diff", "diff-tree", "for-each-ref", "grep", "log",
	"ls-files", "ls-tree", "merge-base", "patch-id", "range-diff", "rev-list", "rev-parse", "status", "var"}

// isQuestion reports whether git is asked, and changes nothing.
func isQuestion(args []string) bool {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	switch args[0] {
	case "reflog":
		return args[1] == "show"
	case "symbolic-ref": // with one name and no option but these it reads where that points
		harmless := func(arg string) bool { return arg == "--quiet" || arg == "--short" }
		return len(slices.DeleteFunc(slices.Clone(args[1:]), harmless)) == 1
	}
	return slices.Contains(questions, args[0])
}

// wasKilled reports whether a signal ended git. How far it came is not known.
func wasKilled(err error) bool {
	failed := (*Failed)(nil)
	return errors.As(err, &failed) && failed.Killed
}

// ownLock finds the lock of a reference of ferrus's own in what a git said that could not take it.
var ownLock = lazyregexp.New(`Unable to create '(/[^']*/refs/(?:ferrus|heads/ferrus)/[^']*\.lock)': File exists`)

// staleAfter is the age at which the lock of a reference counts as left by a killed git: a running git
// holds it for milliseconds, since none of your hooks run meanwhile. lockPeriod is the interval at which
// the lock is checked until then.
const (
	staleAfter = 2 * time.Second
	lockPeriod = 50 * time.Millisecond
)

// awaitLock waits until the lock that kept git from a reference of ferrus's own is gone. It removes the lock of a git
// that was killed, and reports whether the reference can be tried again.
func awaitLock(ctx context.Context, words string) bool {
	found := ownLock.FindStringSubmatch(words)
	if found == nil {
		return false
	}
	for began := time.Now(); ; {
		info, err := os.Lstat(found[1])
		switch {
		case err != nil:
			return os.IsNotExist(err)
		case time.Since(info.ModTime()) >= staleAfter:
			return os.Remove(found[1]) == nil
		case time.Since(began) >= staleAfter: // its time is in the future
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(lockPeriod):
		}
	}
}
