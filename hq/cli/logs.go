package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"ferrus/agent"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/ui/text"
)

func logsCommand(std *streams) *cobra.Command {
	var follow, raw bool
	c := &cobra.Command{
		Use:   "logs <slot>",
		Short: "Show the output of a slot's latest session",
		Long: `Shows the output of a slot's latest session (supervisor, executor, consultant,
reviewer) as text; --raw shows the bytes that a terminal would get. Keys and values from
the environment are redacted. With --follow it keeps printing until Ctrl+C.`,
		Example: "  ferrus logs executor --follow\n  ferrus logs reviewer --raw | less -R",
		Args:    exactSlot,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := untilInterrupted(cmd.Context())
			defer stop()
			return runLogs(ctx, std, core.SlotNamed(args[0]), follow, raw)
		},
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "keep printing new output")
	c.Flags().BoolVar(&raw, "raw", false, "print the bytes that a terminal would get")
	return taskFlag(std, c)
}

func runLogs(ctx context.Context, std *streams, slot core.Slot, follow, raw bool) error {
	pr, err := std.chosen(openProject())
	if err != nil {
		return err
	}
	c, err := pr.Config()
	if err != nil {
		return err
	}
	r, err := pr.Registry()
	if err != nil {
		return err
	}
	for _, e := range r.Agents {
		if e.Slot != slot || e.Log == "" {
			continue
		}
		o := &sessionLog{project: pr, name: e.Log, to: std.out, raw: raw}
		if raw {
			o.to = drawnOn(std.out)
		}
		if adapter, err := agent.Lookup(e.AgentType, customAgents(c)); err == nil && !e.Interactive {
			o.renderer = adapter.Renderer()
		}
		return o.show(ctx, follow)
	}
	return failure(fmt.Sprintf("the %s has had no session", slot), "ferrus status shows the sessions")
}

// sessionLog prints the log of one session.
type sessionLog struct {
	project  *project.Task
	name     string
	to       io.Writer
	raw      bool
	renderer agent.Renderer // nil: the log is text already
	line     []byte         // the last one, without its end
}

// pollInterval is how often a followed log is read.
const pollInterval = 200 * time.Millisecond

// show prints the parts of the log that are left, oldest first.
func (o *sessionLog) show(ctx context.Context, follow bool) error {
	part, err := o.firstPart()
	if err != nil {
		return err
	}
	for {
		more, err := o.part(ctx, part, follow)
		if err != nil || !more {
			return errors.Join(err, o.flush())
		}
		part++
	}
}

// firstPart returns the number of the oldest part that is left.
func (o *sessionLog) firstPart() (int, error) {
	parts, err := session.LogParts(o.project, o.name)
	if err != nil {
		return 0, err
	}
	if len(parts) == 0 {
		return 0, failure("the session's log is gone: " + o.path(1))
	}
	return parts[0], nil
}

func (o *sessionLog) path(part int) string {
	return o.project.Store.Path(session.LogPart(o.name, part))
}

func (o *sessionLog) exists(part int) bool {
	file, err := o.project.Store.OpenFile(session.LogPart(o.name, part))
	return err == nil && file.Close() == nil
}

// part prints one part; more reports whether there is a next one.
func (o *sessionLog) part(ctx context.Context, part int, follow bool) (more bool, err error) {
	file, err := o.project.Store.OpenFile(session.LogPart(o.name, part))
	if err != nil {
		return false, fmt.Errorf("read the log: %w", err)
	}
	defer file.Close()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		next := o.exists(part + 1)
		if _, err := io.Copy(o, file); err != nil {
			return false, err
		}
		if next || !follow {
			return next, nil
		}
		select {
		case <-ctx.Done():
			return false, interruption("")
		case <-tick.C:
		}
	}
}

func (o *sessionLog) Write(p []byte) (int, error) {
	if o.raw {
		return o.to.Write(p)
	}
	o.line = append(o.line, p...)
	for {
		line, rest, whole := bytes.Cut(o.line, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		if err := o.printLine(line); err != nil {
			return 0, err
		}
		o.line = rest
	}
}

func (o *sessionLog) printLine(line []byte) error {
	content := bytes.TrimRight(line, "\r")
	if o.renderer != nil {
		if content = o.renderer.Render(content); len(content) == 0 {
			return nil
		}
	}
	for part := range bytes.Lines(content) {
		part = bytes.TrimRight(part, "\r\n")
		part = part[bytes.LastIndexByte(part, '\r')+1:] // a carriage return overwrites what came before
		if words := text.Sanitize(string(part)); words != "" || o.renderer == nil {
			if _, err := fmt.Fprintln(o.to, words); err != nil {
				return err
			}
		}
	}
	if len(content) == 0 {
		_, err := fmt.Fprintln(o.to)
		return err
	}
	return nil
}

func (o *sessionLog) flush() error {
	if len(o.line) == 0 {
		return nil
	}
	return o.printLine(o.line)
}
