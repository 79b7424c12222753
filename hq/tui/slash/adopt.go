package slash

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ferrus/hq/adopt"
	"ferrus/hq/queue"
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/prompt"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// Adopter makes tasks of work that the human began by hand.
type Adopter interface {
	// LookAt returns what is in a directory.
	LookAt(ctx context.Context, dir string, o adopt.Options) (adopt.Found, error)
	// AdoptFrom queues the task that continues it.
	AdoptFrom(ctx context.Context, dir string, o adopt.Options, text string) (queue.Item, error)
}

var adoptOptions = []option{
	{name: "--agent", help: "continue this agent's newest session, or none", takes: players},
}

// adopting shows what is in a directory, and asks; Sure makes a task of it. An empty text means the
// proposed one.
type adopting struct {
	Dir, Agent, Text string
	Sure             bool
}

func parseAdopt(_ *view.View, args string) (intent.Intent, error) {
	g, err := read("adopt", adoptOptions, args)
	if err != nil {
		return nil, err
	}
	a := adopting{Agent: g.options["--agent"]}
	if quoted, err := strconv.QuotedPrefix(g.text); err == nil {
		a.Dir, _ = strconv.Unquote(quoted)
		a.Text = strings.TrimSpace(g.text[len(quoted):])
	} else {
		a.Dir, a.Text = prompt.Word(g.text)
	}
	if a.Dir == "" {
		return nil, errors.New("/adopt needs the directory of a worktree or a clone, such as /adopt ../fetch-retry")
	}
	if below, ok := strings.CutPrefix(a.Dir, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			a.Dir = filepath.Join(home, below)
		}
	}
	return a, nil
}

// Intent implements [intent.Intent].
func (adopting) Intent() {}

// Run asks whether to adopt, or adopts.
func (a adopting) Run(ctx context.Context, e *Env) (Result, error) {
	o := adopt.Options{Agent: a.Agent}
	if a.Sure {
		item, err := e.Adopter.AdoptFrom(ctx, a.Dir, o, a.Text)
		if err != nil {
			return Result{}, withAdoptFix(err)
		}
		return Result{Text: item.Name() + " " + text.Sanitize(item.Title) + " is queued: it continues " + a.Dir}, nil
	}
	found, err := e.Adopter.LookAt(ctx, a.Dir, o)
	if err != nil {
		return Result{}, withAdoptFix(err)
	}
	a.Text = cmp.Or(a.Text, found.Text)
	a.Dir, a.Sure = found.Dir, true
	lines := append(found.Lines(), "", "task:")
	for line := range strings.Lines(strings.TrimSpace(a.Text)) {
		lines = append(lines, "  "+strings.TrimRight(line, "\n"))
	}
	preview := text.SanitizeLines(strings.Join(lines, "\n"))
	return Result{Dialog: dialog.Adopting(preview, a, a.CommandLine()), Later: "The adoption is ready: /adopt"}, nil
}

// CommandLine returns the adoption as it would be typed.
func (a adopting) CommandLine() string {
	line := "/adopt "
	if a.Agent != "" {
		line += "--agent " + a.Agent + " "
	}
	dir := a.Dir
	if strings.ContainsAny(dir, " \n\"\\") {
		dir = strconv.Quote(dir)
	}
	return line + typed(adoptOptions, strings.TrimSpace(dir+" "+a.Text))
}

// withAdoptFix returns an error with what to do about it.
func withAdoptFix(err error) error {
	if refused, ok := errors.AsType[*adopt.RefusedError](err); ok {
		return errors.New(refused.Error() + "; " + inHQ.Replace(refused.Fix))
	}
	return err
}
