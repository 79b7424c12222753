package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"ferrus/agent"
	"ferrus/agent/sandbox"
	"ferrus/hq/adopt"
	"ferrus/hq/advice"
	"ferrus/hq/config"
	"ferrus/hq/door"
	"ferrus/hq/land"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
	"ferrus/store/diskfault"
)

// The exit codes that are not 0.
const (
	codeError       = 1
	codeUsage       = 2
	codeWaiting     = 3
	codeInterrupted = 130
)

// exitError is an error with its exit code and hints.
type exitError struct {
	code  int
	what  string // empty: it was printed already
	hints []string
}

func (f *exitError) Error() string { return f.what }

// failure returns an error that exits with 1.
func failure(what string, hints ...string) *exitError { return newExitError(codeError, what, hints) }

// misuse returns an error that exits with 2.
func misuse(what string, hints ...string) *exitError { return newExitError(codeUsage, what, hints) }

// waiting returns an error that exits with 3: it is up to you.
func waiting(what string, hints ...string) *exitError {
	return newExitError(codeWaiting, what, hints)
}

// interruption returns an error that exits with 130.
func interruption(what string, hints ...string) *exitError {
	return newExitError(codeInterrupted, what, hints)
}

// newExitError returns an error without the hints that are empty.
func newExitError(code int, what string, hints []string) *exitError {
	return &exitError{code, what, slices.DeleteFunc(hints, func(h string) bool { return h == "" })}
}

func usageError(cmd *cobra.Command, what string) error {
	return misuse(what, "run: "+cmd.CommandPath()+" --help")
}

// toExitError separates what went wrong from what to do about it.
func toExitError(err error) *exitError {
	var f *exitError
	var wrong *config.Error
	var held *store.LockedError
	var damaged *store.DamagedError
	var place *store.PlaceError
	var paired *project.PairRunningError
	var occupied *pair.RefusedError
	var unlanded *land.RefusedError
	var unadopted *adopt.RefusedError
	switch {
	case errors.As(err, &f):
		return f
	case isHiddenHere(err):
		return failure("ferrus's own files cannot be changed inside the sandbox: "+err.Error(),
			"run ferrus outside, in your own terminal")
	case errors.Is(err, context.Canceled):
		return interruption("interrupted")
	case errors.As(err, &wrong):
		return failure(strings.TrimSuffix(wrong.Error(), "; "+wrong.Fix), wrong.Fix)
	case errors.As(err, new(*agent.NotInstalledError)):
		return failure(strings.TrimSuffix(err.Error(), "; "+agent.NotInstalledFix), agent.NotInstalledFix)
	case machine.IsRefusal(err):
		what, hints := advice.DescribeRefusal(machine.AsRefusal(err)) // with what is possible instead
		return failure(what, hints...)
	case errors.As(err, &held) && held.Name == project.ConductorLock:
		return otherConductor(held.PID)
	case errors.As(err, &held) && held.Name == project.LandLock:
		return failure("another landing is in progress", "wait for it to end")
	case errors.As(err, &held) && held.Name == project.SwitchLock:
		return failure("another process is changing the agents in ferrus.toml", "try again in a moment")
	case errors.As(err, &unlanded):
		return failure(unlanded.Error(), unlanded.Fix)
	case errors.As(err, &unadopted):
		return failure(unadopted.Error(), unadopted.Fix)
	case errors.As(err, &paired):
		return failure(paired.Error(), "ferrus pair --list lists runs")
	case errors.As(err, &occupied):
		return failure(occupied.Why, occupied.Hint)
	case errors.As(err, &place):
		return waiting(place.Dir+" "+place.Why, "if you did that, run: ferrus trust")
	case errors.As(err, &damaged) && strings.HasSuffix(damaged.Fix, "ferrus doctor --repair"):
		return failure(damaged.File+" is damaged: "+damaged.Why,
			"run: ferrus doctor --repair; ferrus doctor says what is wrong")
	case errors.As(err, &damaged):
		return failure(damaged.File+" is damaged: "+damaged.Why,
			"run ferrus doctor for details, ferrus doctor --repair to rebuild what can be rebuilt; or "+damaged.Fix)
	}
	what, hint, _ := strings.Cut(inSentence(err), "; run: ")
	if hint != "" {
		return failure(what, "run: "+hint)
	}
	return failure(what, fileHint(err))
}

// fileHint returns what to do about a file that the system refused; empty: the error is another one.
func fileHint(err error) string {
	var refused *fs.PathError
	switch fix := diskfault.Fix(err); {
	case fix != "":
		return fix + ", then try again"
	case errors.Is(err, fs.ErrPermission) && errors.As(err, &refused):
		name := refused.Path
		for filepath.IsAbs(name) && filepath.Dir(name) != name {
			if _, err := os.Lstat(name); err == nil {
				break
			}
			name = filepath.Dir(name)
		}
		return "ls -ld " + name + " shows who has access"
	}
	return ""
}

// inSentence returns an error with joined errors in one sentence. Output that it quotes keeps its lines.
func inSentence(err error) string {
	all := err.Error()
	for e := err; e != nil; e = errors.Unwrap(e) {
		joined, ok := e.(interface{ Unwrap() []error })
		if !ok {
			continue
		}
		var lines, sentence []string
		for _, one := range joined.Unwrap() {
			lines, sentence = append(lines, one.Error()), append(sentence, inSentence(one))
		}
		return strings.Replace(all, strings.Join(lines, "\n"), strings.Join(sentence, "; "), 1)
	}
	return all
}

// isHiddenHere reports whether an error comes from the sandbox that this process is in: it shows the record of
// a project read-only, or, to a session, not at all.
func isHiddenHere(err error) bool {
	missing := errors.Is(err, store.ErrNone) && os.Getenv(door.Env) != ""
	return (errors.Is(err, syscall.EROFS) || missing) && sandbox.Confined()
}

// otherConductor reports that another conductor drives the project.
func otherConductor(pid int) *exitError {
	who := "another process"
	if pid > 0 {
		who = fmt.Sprintf("process %d", pid)
	}
	return failure("HQ or ferrus run is already running here: "+who,
		"use it, or quit it first; ferrus status works while it runs")
}
