package slash

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"ferrus/hq/core"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

var checkWords = []view.Suggestion{
	{"--force", "run it and record the verdict, without changing the state"}, {"--cancel", "cancel the running check"},
}

func disabledCheck(v *view.View, args string) string {
	switch args {
	case "--force":
		return ""
	case "--cancel":
		return v.Disabled["check --cancel"]
	}
	return v.Disabled["check"]
}

func parseCheck(_ *view.View, args string) (intent.Intent, error) {
	switch args {
	case "":
		return move{Kind: core.KindCheck}, nil
	case "--force":
		return forceCheck{}, nil
	case "--cancel":
		return cancelCheck{}, nil
	}
	return nil, fmt.Errorf("/check accepts --force and --cancel, not %s", args)
}

// forceCheck runs the gate beside the task.
type forceCheck struct{ once }

// Run runs the gate to its end. It does not report a cancelled gate: the command that
// cancels it does.
func (forceCheck) Run(ctx context.Context, e *Env) (Result, error) {
	err := e.forced.run(ctx, e.Gate.CheckForce)
	if errors.Is(err, context.Canceled) {
		return Result{}, nil
	}
	return report("Check finished; the task's state is unchanged", err)
}

// cancelCheck ends the gate that runs.
type cancelCheck struct{ once }

// Run cancels the forced check, else the task's check.
func (cancelCheck) Run(ctx context.Context, e *Env) (Result, error) {
	const words = "The check is cancelled"
	if e.forced.cancel() {
		return report(words, nil)
	}
	return report(words, e.Gate.CheckCancel(ctx))
}

// forced is a check that the human runs outside the task. It has no ticket, so only
// the process that started it can end it.
type forced struct {
	mu  sync.Mutex
	end context.CancelFunc // guarded by mu; nil: none runs
}

func (f *forced) run(ctx context.Context, check func(context.Context) error) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	f.mu.Lock()
	if f.end != nil {
		f.mu.Unlock()
		return errors.New("a check is already running: /check --cancel stops it")
	}
	f.end = end
	f.mu.Unlock()
	err := check(ctx)
	f.mu.Lock()
	f.end = nil
	f.mu.Unlock()
	return err
}

// cancel reports whether there was one to end.
func (f *forced) cancel() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.end == nil {
		return false
	}
	f.end()
	return true
}
