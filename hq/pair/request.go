package pair

import (
	"context"
	"fmt"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine/pair"
)

// Modes are the modes of a run.
var Modes = pair.Modes

// Request is what the human wants of a pair. Empty fields are for ferrus.toml.
type Request struct {
	Task, Primary, Secondary, Mode string
	Done                           string // the word that ends the work
	Limit                          int    // of iterations
	Again                          bool   // continue a run instead of making one
	ID                             string // of that run; empty: the newest
	Accept                         bool   // what [Run.Go] asked about is right
}

// options are what a new run is made with.
func (q Request) options() Options {
	return Options{
		Task: q.Task, Primary: q.Primary, Secondary: q.Secondary, Mode: pair.Mode(q.Mode), MaxIterations: q.Limit,
		Words: pair.Words{Done: q.Done},
	}
}

// Check refuses what no run could be, before anything is looked at.
func (q Request) Check() error {
	if q.Done != "" {
		if err := pair.CheckWord(q.Done); err != nil {
			return err
		}
	}
	return q.options().withDefaults().check()
}

// Prepare makes the run that a request is for, or finds it. Trust is asked for the
// commands of its gate; its error keeps the run from being made or continued. A run that
// is complete comes with [ErrComplete].
func Prepare(ctx context.Context, p *project.Project, q Request, trust func(core.Definition) error) (*Run, error) {
	if err := Free(ctx, p); err != nil {
		return nil, err
	}
	if q.Again {
		return again(p, q, trust)
	}
	cfg, err := p.Config()
	if err != nil {
		return nil, err
	}
	o, err := q.options().Fill(cfg)
	if err != nil {
		return nil, err
	}
	if err := trust(project.Definition(cfg)); err != nil {
		return nil, err
	}
	r, err := Create(ctx, p, o)
	if r != nil {
		r.Warning, err = err, nil
	}
	return r, err
}

// again opens a run to continue.
func again(p *project.Project, q Request, trust func(core.Definition) error) (*Run, error) {
	if q.ID == "" {
		all, err := List(p)
		if err != nil {
			return nil, err
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("%w to continue", ErrNone)
		}
		q.ID = all[0].ID
	}
	r, err := Open(p, q.ID)
	if err != nil {
		return nil, err
	}
	if r.machine.Current() == pair.StateComplete {
		return r, ErrComplete
	}
	if q.Limit > 0 {
		r.Manifest.MaxIterations = q.Limit
	}
	r.Accept = q.Accept
	return r, trust(r.Manifest.Definition)
}
