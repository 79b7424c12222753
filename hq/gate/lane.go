package gate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ferrus/agent/sandbox"
	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/checks/lane"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/worktree"
)

// LanesDir returns the directory of the lanes of all projects: below your cache directory, so
// that no program looks upward from a lane and finds the files of a session. Where the
// project has your cache directory in it, or you have none, it is a temporary one.
func LanesDir(project string) string {
	cache, err := os.UserCacheDir()
	if real, err := filepath.EvalSymlinks(cache); err == nil { // There may be none yet.
		cache = real
	}
	if below, outside := filepath.Rel(project, cache); err != nil || outside == nil && filepath.IsLocal(below) {
		cache = filepath.Join(os.TempDir(), fmt.Sprintf("ferrus-%d", os.Getuid()))
	}
	return filepath.Join(cache, "ferrus", "gates")
}

// LaneOf returns the first lane of a project.
func LaneOf(p *project.Task) lane.Lane { return laneOf(p, 0) }

// laneOf returns a lane of a project.
func laneOf(p *project.Task, n int) lane.Lane {
	number := ""
	if n > 0 {
		number = fmt.Sprintf("-%d", n)
	}
	if p.Lanes == "" {
		return lane.Lane(p.Files.Path("run", "gate"+number))
	}
	sum := sha256.Sum256([]byte(p.Dir))
	return lane.Lane(filepath.Join(p.Lanes, hex.EncodeToString(sum[:8])+number))
}

func (r *runner) lane() lane.Lane { return laneOf(r.project, r.slot.lane) }

// onPresent runs the commands of a job on the present tree of the workspace, or on the one that
// the caller names.
func (r *runner) onPresent(ctx context.Context, m *marked, j job, log io.Writer) checks.Record {
	// The walls are tried, and what an earlier gate left is ended, while git reads the tree.
	walls := inBackground(func() error { findWalls(ctx, j.definition); return nil })
	j.ended = inBackground(func() error { return r.lane().EndProcesses(ctx) })
	defer func() { _, _ = walls(), j.ended() }()
	tree, err := checks.Tree{Hash: r.options.Tree}, error(nil)
	if tree.Hash == "" {
		tree, err = r.repo.Tree(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return m.run(ctx, j.definition, log, checks.Options{Tree: tree}) // It says that it was cancelled.
	case err != nil:
		return r.notRun(tree, err)
	case len(tree.Problems) > 0:
		return checks.NotRun(tree, strings.Join(tree.Problems, "; "))
	}
	record, place := r.onTree(ctx, m, j, tree, log)
	if record.Verdict == checks.Fail && place != nil {
		record.Absent = r.absent(ctx, place)
	}
	return record
}

// onTree runs the commands of a job on a tree, and returns where they ran; nil if they
// did not.
func (r *runner) onTree(ctx context.Context, m *marked, j job, tree checks.Tree,
	log io.Writer) (checks.Record, *lane.Place) {
	in, err := enclose(ctx, r.project, j.definition, r.options.Ask, log)
	defer in.close()
	if err != nil && ctx.Err() == nil {
		return r.notRun(tree, err), nil
	}
	r.walls = in.walls[j.definition.Sandbox.Network]
	place, err := r.prepare(ctx, m, j, in, tree.Hash, log)
	switch {
	case ctx.Err() != nil:
		return m.run(ctx, j.definition, log, checks.Options{Tree: tree}), nil
	case err != nil:
		return r.notRun(tree, err), nil
	case place.Setup != nil:
		place.Setup.Tree = tree
		return *place.Setup, nil
	}
	included := ""
	if j.definition.Included != "" { // A worker has other files.
		included = r.included
	}
	key := ""
	if j.reuses {
		if key = r.passKey(j, place, tree.Hash); key != "" {
			if known, ok := r.passed(key); ok {
				//nolint:errcheck // the record says the same
				fmt.Fprintf(log, "=== %s: the same commands passed on this tree at %s\n", known.Record.Why,
					known.At.Local().Format(time.DateTime))
				known.Record.Tree, known.Record.Included = tree, included
				reportDone(j.progress, known.Record)
				return known.Record, place
			}
		}
	}
	record := m.run(ctx, j.definition, log, checks.Options{
		Wrap: in.wrap(r.lane(), place, j.definition.Sandbox.Network),
		Dir:  place.Dir, Env: place.Env, Progress: j.progress, Tree: tree, Changed: place.Changed,
		Reports: place.Reports,
	})
	if record.Verdict == checks.Unproven {
		sandbox.Forget() // They may not hold any more.
	}
	record.Included = included
	record.Tools = checks.Programs(pathOf(place.Env), j.definition.Commands, place.Top)
	r.localize(&record, place)
	if key != "" && record.Verdict == checks.Pass {
		r.pass = pass{Key: key, At: time.Now().UTC(), Record: record}
	}
	return record, place
}

// reportDone reports the commands of a record that is not of this run.
func reportDone(progress func(checks.Progress), r checks.Record) {
	for i := range r.Commands {
		if progress != nil {
			progress(checks.Progress{Index: i, Command: r.Commands[i].Title(), Done: &r.Commands[i]})
		}
	}
}

// prepare brings the project's lane to a tree.
func (r *runner) prepare(ctx context.Context, m *marked, j job, in inside, tree string,
	log io.Writer) (*lane.Place, error) {
	d, base := j.definition, j.base
	home, err := git.Locate(r.project.Dir)
	if err != nil {
		return nil, err
	}
	env, err := laneEnv(r.project, r.lane())
	if err != nil {
		return nil, err
	}
	job := lane.Job{
		Repo: r.repo, Owner: r.project.Dir, Ended: j.ended,
		Tree: tree, Base: base.Tree, Commit: base.Commit, Setup: d.Setup, Key: d.Key, Path: d.Path,
		Env: append(env, d.Env...),
		Run: func(ctx context.Context, place *lane.Place, commands []checks.Command) checks.Record {
			setup := core.Definition{Commands: commands, TimeoutSecs: d.TimeoutSecs}
			var progress func(checks.Progress)
			if j.setup != nil {
				progress = func(p checks.Progress) { j.setup(len(commands), p) }
			}
			return m.run(ctx, setup, log, checks.Options{Dir: place.Dir, Env: place.Env, Progress: progress,
				Wrap: in.wrap(r.lane(), place, d.Sandbox.SetupNetwork)})
		},
	}
	if job.IncludeKey, err = worktree.IncludeKey(ctx, home); err != nil {
		return nil, err
	}
	r.included = cmp.Or(job.IncludeKey, project.NothingIncluded)
	if job.IncludeKey != "" {
		job.Include = func(ctx context.Context, top string) error {
			return worktree.IncludeOnly(ctx, home, top, job.IncludeKey)
		}
	}
	return r.lane().Prepare(ctx, job)
}

// laneEnv returns the variables that say for which task the gate runs, and which ports are the
// lane's: a verdict does not depend on either.
func laneEnv(p *project.Task, l lane.Lane) ([]string, error) {
	if err := l.Make(); err != nil {
		return nil, err
	}
	port, err := p.PortEnv(string(l))
	env := []string{project.TaskEnv + "=" + p.EnvName()}
	if port != "" {
		env = append(env, port)
	}
	return env, err
}

// absent returns the ignored files and directories at the top of the workspace that the
// commands did not have: they may have failed for lack of them.
func (r *runner) absent(ctx context.Context, place *lane.Place) []string {
	names, _ := r.repo.Ignored(ctx) // Without them the verdict is the same.
	return slices.DeleteFunc(names, func(name string) bool {
		_, err := os.Lstat(filepath.Join(place.Top, filepath.FromSlash(name)))
		return err == nil
	})
}

// pathOf returns the PATH of an environment.
func pathOf(env []string) string {
	for _, entry := range slices.Backward(env) { // The last of two counts.
		if list, ok := strings.CutPrefix(entry, "PATH="); ok {
			return list
		}
	}
	return ""
}

// localize has the output name files as they are in the project: the agent does not
// know the lane.
func (r *runner) localize(record *checks.Record, place *lane.Place) {
	for _, result := range record.Commands {
		for i, line := range result.Tail {
			result.Tail[i] = strings.ReplaceAll(line, place.Dir+"/", "")
		}
	}
}
