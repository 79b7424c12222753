package pair

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"ferrus/agent"
	"ferrus/hq/config"
	"ferrus/machine/pair"
	"ferrus/ui/text"
)

// The words of machine/pair in which a run is asked for.
type (
	Mode  = pair.Mode
	Words = pair.Words
)

// Modes are the modes of a run.
var Modes = pair.Modes

// aliases are other names of modes.
var aliases = map[Mode]Mode{"claudex": pair.Consensus}

// Options are the human's choices. [Options.Fill] replaces zero values.
type Options struct {
	Task               string
	Primary, Secondary string // agents by name; Secondary is not used in single mode
	Mode               Mode
	MaxIterations      int
	Words              Words // empty ones come from ferrus.toml
}

// MaxIterations is the highest limit that is accepted; anything above is taken for a typo.
// defaultIterations is the limit of a run without one.
const (
	MaxIterations     = 1000
	defaultIterations = 20
)

// RefusedError says why a run does not start, with a hint. Nothing has changed.
type RefusedError struct {
	Why  string
	Hint string
}

func (r *RefusedError) Error() string { return r.Why }

// Fill replaces zero values by what ferrus.toml says, and refuses options that could not run.
func (o Options) Fill(c config.Config) (Options, error) {
	if err := o.Check(); err != nil {
		return o, err
	}
	o.Mode, o.MaxIterations = cmp.Or(aliases[o.Mode], o.Mode, pair.Review), cmp.Or(o.MaxIterations, defaultIterations)
	o.Primary = cmp.Or(o.Primary, c.HQ.Executor.Agent)
	if o.Mode != pair.Single {
		o.Secondary = cmp.Or(o.Secondary, c.HQ.Supervisor.Agent)
	}
	o.Words = pair.Words{
		Done: cmp.Or(o.Words.Done, c.Pair.Done), Pass: cmp.Or(o.Words.Pass, c.Pair.Pass),
		Rework: cmp.Or(o.Words.Rework, c.Pair.Rework), Fail: cmp.Or(o.Words.Fail, c.Pair.Fail),
	}
	if err := o.Words.Check(); err != nil {
		return o, &RefusedError{err.Error(), "see [pair] in ferrus.toml"}
	}
	for _, name := range []string{o.Primary, o.Secondary} {
		if name == "" {
			continue
		}
		err := NewSetup(c).local(nil).Ready(name)
		if err != nil && !errors.As(err, new(*agent.NotInstalledError)) { // the run says that, and can be resumed
			return o, err
		}
	}
	if len(c.Checks.Commands) == 0 && !c.Checks.AllowNone {
		return o, &RefusedError{
			"ferrus.toml has no check commands, so nothing could be proven",
			"put them into [checks] commands, or set allow_none = true there",
		}
	}
	return o, nil
}

// Check refuses options that are wrong for any project.
func (o Options) Check() error {
	switch {
	case o.Mode != "" && aliases[o.Mode] == "" && !slices.Contains(Modes, o.Mode):
		return &RefusedError{fmt.Sprintf("unknown mode %q; use one of: review, consensus, single", o.Mode), ""}
	case o.Mode == pair.Single && o.Secondary != "":
		return &RefusedError{"single mode has no secondary", ""}
	case o.MaxIterations < 0 || o.MaxIterations > MaxIterations:
		const limit = "--max-iterations is %d, but must be 1 to %d"
		return &RefusedError{fmt.Sprintf(limit, o.MaxIterations, MaxIterations), ""}
	case o.Words.Done != "":
		if err := pair.CheckWord(o.Words.Done); err != nil {
			return err
		}
	}
	if err := text.CheckEncoding(o.Task); err != nil {
		return &RefusedError{"the task cannot be kept: " + err.Error(), ""}
	}
	return nil
}
