package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"ferrus/hq/pair"
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

var pairOptions = []option{
	{name: "--mode", help: "review, consensus or single", takes: modes},
	{name: "--primary", help: "the agent that works", takes: players},
	{name: "--secondary", help: "the agent that reviews", takes: players},
	{name: "--done", help: "the word that the primary ends its work with", takes: anything},
	{name: "--max-iterations", help: "the primary's turns before the run fails", takes: anything},
	{name: "--resume", help: "continue a run: the newest, or the one with this id", takes: resumable, optional: true},
	{name: "--yes", help: "with --resume: accept the alarms that you were shown"},
	{name: "--list", help: "the runs of this project"},
}

// startPair starts a run of two agents, or continues one. Empty fields are for
// ferrus.toml.
type startPair struct {
	pair.Request
	line string // as typed
}

// parsePair reads options and then the text of the task.
func parsePair(_ *view.View, args string) (intent.Intent, error) {
	g, err := read("pair", pairOptions, args)
	if err != nil {
		return nil, err
	}
	if g.has("--list") {
		if len(g.options) > 1 || g.text != "" {
			return nil, errors.New("/pair --list takes no other arguments")
		}
		return listRuns{}, nil
	}
	p := startPair{line: "/pair " + args}
	p.Task, p.Mode, p.Words.Done = g.text, pair.Mode(g.options["--mode"]), g.options["--done"]
	p.Primary, p.Secondary = g.options["--primary"], g.options["--secondary"]
	p.Again, p.ID, p.Accept = g.has("--resume"), g.options["--resume"], g.has("--yes")
	if words, ok := g.options["--max-iterations"]; ok {
		if p.MaxIterations, err = strconv.Atoi(words); err != nil || p.MaxIterations < 1 {
			return nil, fmt.Errorf("/pair --max-iterations takes a number, not %s", words)
		}
	}
	return p, p.check()
}

// check refuses what does not go together.
func (p startPair) check() error {
	switch {
	case p.Again && (p.Task != "" || string(p.Mode)+p.Primary+p.Secondary+p.Words.Done != ""):
		return errors.New("/pair --resume continues with the run's own settings; /tell adds a message")
	case p.Accept && !p.Again:
		return errors.New("/pair --yes needs --resume: it accepts the alarms that you were shown")
	case !p.Again && p.Task == "":
		return errors.New("/pair needs the text of the task, or --resume")
	}
	return nil
}

// disabledPair says why no run can begin; listing them is always possible.
func disabledPair(v *view.View, args string) string {
	if args == "--list" {
		return ""
	}
	return v.Disabled["pair"]
}

func modes(*view.View) []view.Suggestion {
	return []view.Suggestion{
		{"review", "the secondary's approval and a passing gate"}, {"consensus", "both must approve one tree"},
		{"single", "the gate alone decides"},
	}
}

// players suggests all agents, including those of ferrus.toml.
func players(v *view.View) []view.Suggestion {
	all := slices.Clone(v.Found.Agents)
	for _, r := range v.Models {
		if r.Agent != "" && !slices.Contains(all, r.Agent) {
			all = append(all, r.Agent)
		}
	}
	return suggest(all)
}

// resumable suggests the runs that can be continued.
func resumable(v *view.View) (all []view.Suggestion) {
	for _, r := range v.Found.Runs {
		if !r.Over {
			all = append(all, view.Suggestion{r.ID, r.Status})
		}
	}
	return all
}

// Intent implements [intent.Intent].
func (startPair) Intent() {}

// Run starts or continues the run.
func (p startPair) Run(ctx context.Context, e *Env) (Result, error) {
	return report(e.Pairs.Pair(ctx, p.Request))
}

// CommandLine returns the command as typed.
func (p startPair) CommandLine() string { return p.line }

// listRuns lists the runs of the project.
type listRuns struct{ once }

// Run opens the list. Enter on a run that is not over types what continues it.
func (listRuns) Run(_ context.Context, e *Env) (Result, error) {
	runs := e.Project.Completions().Runs
	if len(runs) == 0 {
		return report("No pair has run in this project: /pair <task> starts one", nil)
	}
	l := &dialog.List{Of: dialog.KindRuns, Title: "pair runs"}
	for _, r := range runs {
		item := dialog.Item{Name: r.ID, Words: r.Status}
		if !r.Over {
			item.Intent = intent.Prefill{Text: "/pair --resume " + r.ID + " "}
		}
		l.Items = append(l.Items, item)
	}
	return Result{Dialog: l}, nil
}
