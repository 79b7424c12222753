package pair

import (
	"cmp"
	"fmt"
	"slices"

	"ferrus/hq/config"
	loop "ferrus/machine/pair"
)

// Options are what a person chooses; zero values are filled in by [Options.Fill].
type Options struct {
	Task               string
	Primary, Secondary string // agents by name; Secondary is not used in single mode
	Mode               loop.Mode
	MaxIterations      int
	Words              loop.Words // empty ones are those of ferrus.toml
}

// MostIterations bounds a limit that is a slip of the hand; usualIterations is
// what is taken where none is told.
const (
	MostIterations  = 1000
	usualIterations = 20
)

// Refused says why a run does not begin, and what to do. Nothing has changed.
type Refused struct {
	Why  string
	Hint string
}

func (r *Refused) Error() string { return r.Why }

// Fill puts in what ferrus.toml says where nothing was chosen, and refuses what
// could not run.
func (o Options) Fill(c config.Config) (Options, error) {
	o.Mode, o.MaxIterations = cmp.Or(o.Mode, loop.Review), cmp.Or(o.MaxIterations, usualIterations)
	o.Primary = cmp.Or(o.Primary, c.HQ.Executor.Agent)
	if o.Mode != loop.Single {
		o.Secondary = cmp.Or(o.Secondary, c.HQ.Supervisor.Agent)
	}
	o.Words = loop.Words{
		Done: cmp.Or(o.Words.Done, c.Pair.Done), Pass: cmp.Or(o.Words.Pass, c.Pair.Pass),
		Rework: cmp.Or(o.Words.Rework, c.Pair.Rework), Fail: cmp.Or(o.Words.Fail, c.Pair.Fail),
	}
	if err := o.check(); err != nil {
		return o, err
	}
	for _, name := range []string{o.Primary, o.Secondary} {
		if name == "" {
			continue
		}
		if err := NewSetup(c).Ready(name); err != nil {
			return o, err
		}
	}
	if len(c.Checks.Commands) == 0 && !c.Checks.AllowNone {
		return o, &Refused{"ferrus.toml has no check commands, so nothing could be proven", "put them into [checks] commands, or say allow_none = true there"}
	}
	return o, nil
}

// check refuses what does not go together.
func (o Options) check() error {
	switch {
	case !slices.Contains(loop.Modes, o.Mode):
		return &Refused{fmt.Sprintf("%q is not a mode: review, consensus or single", o.Mode), ""}
	case o.Mode == loop.Single && o.Secondary != "":
		return &Refused{"single mode has no secondary", ""}
	case o.MaxIterations < 1 || o.MaxIterations > MostIterations:
		return &Refused{fmt.Sprintf("the limit of iterations is %d, and must be 1 to %d", o.MaxIterations, MostIterations), ""}
	}
	if err := o.Words.Check(); err != nil {
		return &Refused{err.Error(), "see [pair] in ferrus.toml"}
	}
	return nil
}
