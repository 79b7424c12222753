package checks

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"ferrus/checks/redact"
	"ferrus/checks/testnames"
	"ferrus/ui/text"
)

// Run carries out the commands, all of them and in order. It returns when no
// process of theirs is left. It never fails: the verdict says what is so.
func Run(ctx context.Context, o Options) Record {
	if o.Env == nil {
		o.Env = os.Environ()
	}
	o.Grace = cmp.Or(o.Grace, defaultGrace)
	o.Env = environment(o.Env, o.Dir, o.Marker)
	r := run{Options: o, feed: newFeed(o.Progress), record: Record{Started: time.Now().UTC(), Commands: []Result{}}}
	r.all(ctx)
	r.record.Ended = time.Now().UTC()
	r.note("\n=== %s\n", r.record.Why)
	if r.fault != nil {
		r.record.Why += fmt.Sprintf(" (the log is incomplete: %v)", r.fault)
	}
	return r.record
}

// run is one call of Run.
type run struct {
	Options
	feed   *feed
	record Record
	fault  error // of the log; the first one
}

// all runs the commands, and judges.
func (r *run) all(ctx context.Context) {
	r.record.Tree = r.Tree
	if len(r.Tree.Problems) > 0 {
		r.judge(ctx, strings.Join(r.Tree.Problems, "; "))
		return
	}
	for _, command := range r.Commands {
		if strings.TrimSpace(command.Run) == "" {
			continue
		}
		result, err := r.command(ctx, len(r.record.Commands), command)
		if err != nil {
			r.judge(ctx, err.Error())
			return
		}
		r.record.Commands = append(r.record.Commands, result)
		if ctx.Err() != nil {
			break
		}
	}
	why := ""
	if ctx.Err() == nil && r.Changed != nil {
		var err error
		if r.record.Moved, r.record.Restored, err = r.Changed(ctx); err != nil {
			why = err.Error()
		}
	}
	r.judge(ctx, why)
}

// NotRun returns the record of commands that did not run: why nothing is proven.
func NotRun(tree Tree, why string) Record {
	now := time.Now().UTC()
	return Record{Verdict: Unproven, Why: shorten(string(Unproven)+": "+oneLine(why), whyBytes), Tree: tree,
		Commands: []Result{}, Started: now, Ended: now}
}

// command runs one command. An error means that it could not even be started.
func (r *run) command(ctx context.Context, index int, c Command) (Result, error) {
	r.feed.startCommand(index, c.Title())
	r.note("=== %s\n", c.describe())
	out := newOutput(r.Log, r.feed)
	if r.Reports != "" {
		out.names = &testnames.Reader{}
	}
	out.fault = r.fault
	result := Result{Name: c.Name, Command: c.Run}
	started := time.Now()
	err := r.execute(ctx, out, r.withNames(c, index, out), &result)
	out.close()
	if out.names != nil {
		r.readReports(c, index, started, out.names)
		result.Names, result.Cached = out.names.Names(), out.cached
	}
	result.Duration, result.Lines, result.Tail = time.Since(started), out.lines, out.tail.all()
	result.Tests = out.counter.tests()
	r.fault = out.fault
	r.note("\n=== [%s] %s  (%s, %s)\n\n", result.word(), c.Title(), result.account(),
		result.Duration.Round(time.Millisecond))
	r.feed.end(result)
	if err == nil && r.Wrap != nil && !result.OK() && !result.TimedOut && !result.stopped {
		err = r.walls(ctx)
	}
	return result, err
}

// walls returns an error if nothing can be run inside the sandbox any more: then a command that
// failed proves nothing.
func (r *run) walls(ctx context.Context) error {
	argv, err := r.Wrap("/bin/sh", "-c", ":")
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = r.Dir, r.outer(r.Env)
	if out, err := cmd.CombinedOutput(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("the sandbox no longer starts: %s (%w); see: ferrus sandbox --explain",
			strings.TrimSpace(text.Output(string(out))), err)
	}
	return nil
}

// describe returns the command with everything that is its own.
func (c Command) describe() string {
	text := c.Run
	if c.Name != "" {
		text = c.Name + ": " + text
	}
	if c.Dir != "" {
		text += "  (in " + c.Dir + ")"
	}
	return text
}

func (r *run) note(format string, args ...any) {
	if r.Log != nil && r.fault == nil {
		_, r.fault = fmt.Fprintf(r.Log, format, args...)
	}
}

// copyRedacted copies what a command prints to out, without the secrets in its own
// environment and in this process's, which the command may have read.
func (r *run) copyRedacted(out *output, pipe *os.File, environ []string) {
	w := redact.Named(whole{out}, append(os.Environ(), environ...)...)
	if out.decode {
		d := testnames.NewGoDecoder(w)
		copyAll(d, pipe)
		_ = d.Close() // As below.
		out.names.Add(d.Names())
		out.cached = d.Cached()
	} else {
		copyAll(w, pipe)
	}
	_ = w.Close() // output keeps the fault of its log
}

// whole is an output whose end is handled elsewhere.
type whole struct{ io.Writer }

// Close does nothing.
func (whole) Close() error { return nil }

// copyAll copies a pipe to out in constant memory, until the pipe ends or its
// deadline passes.
func copyAll(out io.Writer, pipe *os.File) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := pipe.Read(buffer)
		_, _ = out.Write(buffer[:n]) // output keeps the fault of its log
		if err != nil {
			return
		}
	}
}
