package slash

import (
	"context"

	"ferrus/ui/intent"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// allow decides about the command in another terminal that the screen showed: the oldest that waits for
// the human.
type allow struct {
	once
	yes bool
	of  int // its number; 0: none waited
}

// parseAllow makes the command that allows or denies what the inbox shows.
func parseAllow(yes bool) func(*view.View, string) (intent.Intent, error) {
	return func(v *view.View, args string) (intent.Intent, error) {
		return allow{yes: yes, of: v.Asking}, noArguments(args)
	}
}

// Run allows or denies it.
func (a allow) Run(ctx context.Context, e *Env) (Result, error) {
	if a.of == 0 {
		return report("Nothing to do: no command in another terminal waits for you", nil)
	}
	words := "Denied"
	if a.yes {
		words = "Allowed"
	}
	for _, w := range e.Viewer.View().Asking {
		if w.Number == a.of {
			words += ": ferrus " + text.Sanitize(w.Text+" ("+w.From+")")
		}
	}
	return report(words, e.Humans.Allow(ctx, a.of, a.yes))
}
