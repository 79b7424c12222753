package slash

import (
	"context"
	"errors"
	"strings"

	"ferrus/hq/land"
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

var landOptions = []option{
	{name: "--keep", help: "roll back conflicts and failed checks instead of returning the task"},
	{name: "--with-changes", help: "also land changes from before the task"},
}

// landing shows what would land, and asks; Sure lands it. An empty message is the
// task's own.
type landing struct {
	Message       string
	Keep, Changes bool
	Sure          bool
}

func parseLand(_ *view.View, args string) (intent.Intent, error) {
	g, err := read("land", landOptions, args)
	if err != nil {
		return nil, err
	}
	return landing{Message: g.text, Keep: g.has("--keep"), Changes: g.has("--with-changes")}, nil
}

// Intent implements [intent.Intent].
func (landing) Intent() {}

// Run asks whether to land, or lands.
func (l landing) Run(ctx context.Context, e *Env) (Result, error) {
	o := land.Options{Message: l.Message, Changes: l.Changes, Keep: l.Keep}
	if l.Sure {
		return l.land(ctx, e, o)
	}
	plan, err := e.Landing.LandPlan(ctx, o)
	if err == nil {
		err = plan.Off
	}
	if err != nil {
		return Result{}, withFix(err)
	}
	if l.Message == "" {
		l.Message = strings.TrimSpace(plan.Message)
	}
	plan.Message, l.Sure = l.Message, true
	preview := text.SanitizeLines(strings.Join(plan.Lines(), "\n"))
	return Result{Dialog: dialog.Landing(preview, l, l.CommandLine()),
		Later: "The landing preview is ready: /land"}, nil
}

func (l landing) land(ctx context.Context, e *Env, o land.Options) (Result, error) {
	done, err := e.Landing.Land(ctx, o)
	var failed *land.FailedError
	switch {
	case errors.As(err, &failed) && failed.Returned:
		words := failed.What + "; the executor has it back, on the branch's new tip"
		if failed.Judged {
			words = failed.What + "; it is under review now, and lands once it is approved"
		}
		if h := e.Viewer.View().State.World.Hold; h != nil {
			words = failed.What + "; it returned to the executor, which does not start while the task is on hold (" +
				text.Sanitize(h.Reason) + "): /resume continues"
		}
		return Result{Text: words, Error: true}, nil
	case errors.As(err, &failed):
		return Result{Page: Page{"not landed: nothing changed", "# " + failed.What + "\n\n" + failed.Text}}, nil
	case err != nil:
		return Result{}, withFix(err)
	}
	return Result{Text: done.String()}, nil
}

// CommandLine returns the landing as it would be typed.
func (l landing) CommandLine() string {
	line := "/land "
	if l.Keep {
		line += "--keep "
	}
	if l.Changes {
		line += "--with-changes "
	}
	return line + typed(landOptions, l.Message)
}

// inHQ has the commands that a landing advises, as HQ has them.
var inHQ = strings.NewReplacer("ferrus land <task>", "ferrus land <task>", // in a shell only
	"ferrus land", "/land", "ferrus status", "/status",
	"ferrus resume, then ferrus run", "/resume", "ferrus retry", "/retry", "ferrus reset", "/reset")

// withFix returns an error with what to do about it.
func withFix(err error) error {
	if refused, ok := errors.AsType[*land.RefusedError](err); ok && refused.Fix != "" {
		return errors.New(refused.Error() + "; " + inHQ.Replace(refused.Fix))
	}
	return err
}
