// Package checks runs check commands, and identifies the tree they ran on by a
// hash.
//
// [Run] runs a list of commands in a directory and always returns a [Record]; whatever goes
// wrong is a verdict with a one-line reason. The directory has the tree that the record
// names, see package lane. Output of any size takes constant memory: all of it goes to a log,
// and the last lines are kept for display. No process of a command outlives it.
//
// [Repo.Tree] hashes every file that belongs to the work, whatever the user's
// index, excludes or filters say, and changes none of them.
//
// Only a command's exit status counts. Where a known tool prints how many tests it
// ran, [Tests] has the number, for display only. A process that clears its
// environment and leaves its session is not found again.
package checks

import (
	"context"
	"io"
	"time"

	"ferrus/checks/git"
	"ferrus/checks/testnames"
)

// Verdict is what a run of the checks found.
type Verdict string

// The verdicts.
const (
	Pass      Verdict = "PASS"
	Fail      Verdict = "FAIL"
	Timeout   Verdict = "TIMEOUT"
	Cancelled Verdict = "CANCELLED" // the context ended
	Unproven  Verdict = "UNPROVEN"  // no commands, or shell, directory or tree could not be read
	Flaky     Verdict = "FLAKY"     // they passed and failed on one tree
)

// Passed reports whether work may continue on a tree: what is flaky may, until the human decides about it.
func (v Verdict) Passed() bool { return v == Pass || v == Flaky }

// Options says what to run, and where progress is reported. It has more than 12 fields
// because each is a choice of the one caller that runs a gate.
type Options struct {
	Dir string // where the commands run
	// nil: this process's environment; ferrus's own variables and model keys are left out either way
	Env      []string
	Commands []Command     // in order; those with a blank Run are skipped
	Timeout  time.Duration // of a command that has none of its own; 0 means none
	Grace    time.Duration // between the request to end and the kill; 0 means two seconds
	// AllowNone lets a readable tree without commands count as proved; the
	// verdict is UNPROVEN all the same.
	AllowNone bool
	Log       io.Writer // nil: nothing is logged
	Marker    string    // FERRUS_GATE of every process started
	// Progress is called from one goroutine at a time and must not block. Lines
	// of a flood are left out, the last one never.
	Progress func(Progress)
	Tree     Tree // that the commands run on
	// Changed lists the files of the tree that the commands changed, and the files that they wrote and
	// that hold the same again; nil: none are named.
	Changed func(context.Context) (changed, restored []string, err error)
	Started func(pgid int) // the process group of each command
	// Wrap returns what to start for a command line; nil: the command line itself.
	Wrap func(argv ...string) ([]string, error)
	// Reports is an empty directory for what runners write of their tests; empty: names of
	// tests are not asked for.
	Reports string
}

// Record is what happened. It has more than 12 fields because it is one line of a journal: all
// that is known of a gate.
type Record struct {
	Verdict Verdict  `json:"verdict"`
	Why     string   `json:"why"`               // one line: FAIL: go test ./...
	Allowed bool     `json:"allowed,omitempty"` // UNPROVEN for lack of commands only, and Options.AllowNone
	Tree    Tree     `json:"tree"`
	Moved   []string `json:"moved,omitempty"` // files of the tree that the commands changed
	// Restored are files of the tree that the commands wrote and that hold the same again.
	Restored []string `json:"restored,omitempty"`
	// Rewritten are the files of both lists that the commands do not write on the base, the tree
	// that the work started from.
	Rewritten []string `json:"rewritten,omitempty"`
	// FailedBefore are gates of the same task in which the same tree failed.
	FailedBefore []uint64 `json:"failed_before,omitempty"`
	// TimedOut says that commands took too long beside other work, and that this is what they did when they
	// ran again alone; empty: they did not.
	TimedOut string   `json:"timed_out,omitempty"`
	Absent   []string `json:"absent,omitempty"` // ignored files of the workspace that failed commands did not have
	Commands []Result `json:"commands"`
	// Demands are what became of the tests of the tree that the work started from; nil: they
	// were not compared.
	Demands *Demands `json:"demands,omitempty"`
	// Tools are the programs that the commands find, see [Programs].
	Tools map[string]string `json:"tools,omitempty"`
	// Included is a hash of the ignored files that the commands had besides the tree; empty: unknown.
	Included string    `json:"included,omitempty"`
	Started  time.Time `json:"started"`
	Ended    time.Time `json:"ended"`
}

// Result is how one command ended. It has more than 12 fields because it is one line of a
// record and all that is known of the tests.
type Result struct {
	Name     string        `json:"name,omitempty"` // where it has one besides its text
	Command  string        `json:"command"`
	Exit     int           `json:"exit"`             // -1 when a signal or ferrus ended it
	Signal   string        `json:"signal,omitempty"` // SIGKILL
	Hint     string        `json:"hint,omitempty"`
	TimedOut bool          `json:"timed_out,omitempty"`
	Duration time.Duration `json:"duration"`
	Lines    int           `json:"lines"`           // of output
	Tail     []string      `json:"tail,omitempty"`  // the last of them, as plain text
	Tests    *Tests        `json:"tests,omitempty"` // nil: no tool that counts was heard
	Names    testnames.Set `json:"names,omitempty"` // of its tests, where a runner said them
	Cached   []string      `json:"-"`               // packages of Go whose tests an earlier run had run

	stopped bool // ended because the context was
}

// Title returns the command's name, or its text where it has none.
func (r Result) Title() string { return Command{Name: r.Name, Run: r.Command}.Title() }

// OK reports whether the command succeeded.
func (r Result) OK() bool { return r.Exit == 0 && r.Signal == "" && !r.TimedOut }

// Progress is something to show while commands run: a line of output, the start
// of a command (neither Line nor Done) or its end.
type Progress struct {
	Index   int
	Command string
	Line    string // plain text
	Done    *Result
}

// Tree is the content of a worktree at one moment.
type Tree struct {
	Hash     string   `json:"hash"`
	Problems []string `json:"problems,omitempty"` // what the hash does not cover; a tree with problems proves nothing
}

// Repo is the git repository around a workspace.
type Repo struct {
	Workspace string // the project directory, anywhere in the worktree
	Private   string // ferrus's own git directory, below the project's .ferrus

	// Home and Root are set where the workspace is in a linked worktree that ferrus made:
	// a directory of the checkout that it belongs to, and the top of the worktree. Its
	// .git is then believed only where the repository of Home says the same. Otherwise
	// the repository is the one around the workspace.
	Home, Root string

	held *private // see Hold; nil: each question opens Private
}

// locate finds the repository.
func (r Repo) locate() (git.Repository, error) {
	if r.Root == "" {
		return git.Locate(r.Workspace)
	}
	home, err := git.Locate(r.Home)
	if err != nil {
		return home, err
	}
	return home.Worktree(r.Root)
}
