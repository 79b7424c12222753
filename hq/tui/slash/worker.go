package slash

import (
	"context"
	"fmt"
	"strings"

	"ferrus/ui/intent"
	"ferrus/ui/prompt"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// workers lists the other machines that run tasks, or says whether one gets more.
type workers struct{ Do, Name string }

var workerWords = []view.Suggestion{
	{Word: "drain", Help: "give a worker no more tasks; what runs there continues"},
	{Word: "resume", Help: "give a worker tasks again"},
}

func parseWorkers(_ *view.View, args string) (intent.Intent, error) {
	do, name := prompt.Word(args)
	name = strings.TrimSpace(name)
	switch {
	case do == "":
		return workers{}, nil
	case do != "drain" && do != "resume":
		return nil, fmt.Errorf("/workers takes drain or resume and the name of a worker, not %s", text.Sanitize(do))
	case name == "":
		return nil, fmt.Errorf("/workers %s takes the name of a worker", do)
	}
	return workers{do, name}, nil
}

// Intent implements [intent.Intent].
func (workers) Intent() {}

// Run lists the workers, or drains or resumes one.
func (w workers) Run(ctx context.Context, e *Env) (Result, error) {
	if w.Do != "" {
		return report(e.Project.DrainWorker(ctx, w.Name, w.Do == "drain"))
	}
	lines, err := e.Project.Workers(ctx)
	return Result{Page: Page{"workers", "```\n" + lines + "```\n"}}, err
}

// CommandLine returns the command as it would be typed.
func (w workers) CommandLine() string { return strings.TrimSpace("/workers " + w.Do + " " + w.Name) }
