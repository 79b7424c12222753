package pair

import (
	"context"
	"fmt"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine/pair"
)

// Request asks for a new run, or to continue one.
type Request struct {
	Options
	Again  bool   // continue a run instead of making one
	ID     string // of that run; empty: the newest
	Accept bool   // accept what [Run.Go] asked about
}

// Prepare creates the requested run, or opens it. Trust is called with the commands of its
// gate; its error keeps the run from being created or continued. A run that is complete
// comes with [ErrComplete].
func Prepare(ctx context.Context, p *project.Task, q Request, trust func(core.Definition) error) (*Run, error) {
	if err := CheckFree(ctx, p); err != nil {
		return nil, err
	}
	if q.Again {
		return again(p, q, trust)
	}
	cfg, err := p.Config()
	if err != nil {
		return nil, err
	}
	o, err := q.Fill(cfg)
	if err != nil {
		return nil, err
	}
	if err := trust(project.GateDefinition(cfg)); err != nil {
		return nil, err
	}
	r, err := Create(ctx, p, o)
	if r != nil {
		r.Warning, err = err, nil
	}
	return r, err
}

// again opens a run to continue.
func again(p *project.Task, q Request, trust func(core.Definition) error) (*Run, error) {
	if q.ID == "" {
		all, err := List(p)
		if err != nil {
			return nil, err
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("%w to continue", ErrNoRun)
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
	if q.MaxIterations > 0 {
		r.Manifest.MaxIterations = q.MaxIterations
	}
	r.Accept = q.Accept
	return r, trust(r.Manifest.Definition)
}
