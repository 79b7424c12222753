package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"
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
		Short: "Show what the newest session of a slot wrote",
		Long: `Shows the output of the newest session of a slot (planner, executor, consultant,
reviewer) as text; --raw shows it byte for byte, as a terminal would get it. Values
of the environment and keys are not in it. With --follow it goes on until Ctrl+C.`,
		Example: "  ferrus logs executor --follow\n  ferrus logs reviewer --raw | less -R",
		Args:    exactSlot,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			return runLogs(ctx, std, slotOf(args[0]), follow, raw)
		},
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what comes")
	c.Flags().BoolVar(&raw, "raw", false, "byte for byte")
	return c
}

func runLogs(ctx context.Context, std *streams, slot core.Slot, follow, raw bool) error {
	pr, c, err := openValid()
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
		if adapter, err := agent.Lookup(e.AgentType, customAgents(c)); err == nil && !e.Interactive {
			o.renderer = adapter.Renderer()
		}
		return o.show(ctx, follow)
	}
	return &exitError{code: codeError, what: fmt.Sprintf("the %s has had no session", slot), hints: []string{"ferrus status says what runs"}}
}

// sessionLog is the log of one session as it is shown.
type sessionLog struct {
	project  *project.Project
	name     string
	to       io.Writer
	raw      bool
	renderer agent.Renderer // nil: the log is for people already
	line     []byte         // begun and not ended
}

// pollInterval is how often a log that is followed is looked at.
const pollInterval = 200 * time.Millisecond

// show goes through the parts that are left, oldest first.
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

// firstPart is the oldest part that is left.
func (o *sessionLog) firstPart() (int, error) {
	parts, err := session.LogParts(o.project, o.name)
	if err != nil {
		return 0, err
	}
	if len(parts) == 0 {
		return 0, &exitError{code: codeError, what: "the log of the session is gone: " + o.path(1)}
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

// part shows one part; more says that there is a next one.
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
			return false, interrupted()
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
		part = part[bytes.LastIndexByte(part, '\r')+1:] // what stood there before is overwritten
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
