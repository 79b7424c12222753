package slash

import (
	"context"

	"ferrus/ui/text"
)

// allow decides on the oldest command that waits for the human in another terminal.
type allow struct {
	once
	yes bool
}

// Run allows or denies it.
func (a allow) Run(_ context.Context, e *Env) (Result, error) {
	waiting := e.Viewer.View().Asking
	if len(waiting) == 0 {
		return report("Nothing to do: no command in another terminal waits for you", nil)
	}
	first := waiting[0]
	words := "Denied: ferrus "
	if a.yes {
		words = "Allowed: ferrus "
	}
	return report(words+text.Sanitize(first.Text+" ("+first.From+")"), e.Humans.Allow(first.Number, a.yes))
}
