package session

import (
	"fmt"

	"ferrus/machine"
)

// The effects of a slot, to be carried out at once and in their order. Carrying one out
// for a process that is gone already is harmless.
type (
	StorePrompt struct{ Prompt string }
	Spawn       struct{ Session uint32 } // start the process with this number
	// An interrupt, as Ctrl+C would send it.
	CancelSession struct{ Session uint32 } // ask it to end; send GraceExceeded after grace_secs if it is not reaped
	// Nothing of the process tree may be left when its exit is reported.
	ForceStopSession struct{ Session uint32 } // end it and all it started, now
	IncrementSession struct{ Session uint32 } // the slot's next process has this number

	// Backoff is answered by BackoffElapsed{Session} after Millis, or by Resumed.
	Backoff struct {
		Session uint32
		Millis  int64
	}

	LogFatal      struct{ Message string } // the slot has stopped: hold, the human is asked
	NoProgress    struct{ Times uint32 }   // so many sessions in a row achieved nothing: hold, the human is asked
	ReportTrouble struct{ Message string } // show it to the human
)

func (StorePrompt) Kind() machine.Kind      { return "StorePrompt" }
func (Spawn) Kind() machine.Kind            { return "Spawn" }
func (CancelSession) Kind() machine.Kind    { return "CancelSession" }
func (ForceStopSession) Kind() machine.Kind { return "ForceStopSession" }
func (IncrementSession) Kind() machine.Kind { return "IncrementSession" }
func (Backoff) Kind() machine.Kind          { return "Backoff" }
func (LogFatal) Kind() machine.Kind         { return "LogFatal" }
func (NoProgress) Kind() machine.Kind       { return "NoProgress" }
func (ReportTrouble) Kind() machine.Kind    { return "ReportTrouble" }

// What rows emit. Each function is given the snapshot after the step, and the event.

// spawn stores the prompt before the process starts, so that a crash between the two
// leaves a prompt without a process and never the reverse.
func spawn(s Snap, e machine.Event) []machine.Effect {
	return []machine.Effect{StorePrompt{e.(PromptReady).Prompt}, Spawn{s.Data.Session}}
}

// cancel asks the process that is running, or still ending, to end.
func cancel(s Snap, _ machine.Event) []machine.Effect {
	return []machine.Effect{CancelSession{Living(s)}}
}

// cancelLiving cancels the process, if there is one.
func cancelLiving(s Snap, e machine.Event) []machine.Effect {
	if Living(s) == 0 {
		return nil
	}
	return cancel(s, e)
}

func force(_ Snap, e machine.Event) []machine.Effect {
	return []machine.Effect{ForceStopSession{e.(GraceExceeded).Session}}
}

func increment(s Snap, _ machine.Event) []machine.Effect {
	return []machine.Effect{IncrementSession{s.Data.Session}}
}

// cool waits after an error, longer for each error in a row.
func cool(s Snap, _ machine.Event) []machine.Effect {
	return []machine.Effect{backoff(s, s.Data.Consecutive)}
}

// wait waits after a fruitless session, longer for each in a row.
func wait(s Snap, _ machine.Event) []machine.Effect {
	return []machine.Effect{backoff(s, s.Data.Fruitless)}
}

func backoff(s Snap, n uint32) machine.Effect {
	return Backoff{s.Data.Session, backoffAfter(int(n)).Milliseconds()}
}

// limited ends the process and waits until the limit resets, or by limitAfter if the
// vendor does not say when.
func limited(s Snap, e machine.Event) []machine.Effect {
	millis := e.(Limited).Millis
	if millis == 0 {
		millis = limitAfter(int(s.Data.Limits)).Milliseconds()
	}
	return append(cancel(s, e), Backoff{s.Data.Session, millis})
}

func noProgress(Snap, machine.Event) []machine.Effect {
	return []machine.Effect{NoProgress{RestartLimit + 1}}
}

// fruitlessTooOften names the limit that was reached: fruitless sessions, or restarts.
func fruitlessTooOften(s Snap, e machine.Event) []machine.Effect {
	if s.Data.Fruitless < FruitlessLimit {
		return append(wait(s, e), noProgress(s, e)...)
	}
	return append(wait(s, e), NoProgress{s.Data.Fruitless})
}

func tooManyErrors(s Snap, _ machine.Event) []machine.Effect {
	const why = "stopped after %d errors in a row, %d in total"
	return []machine.Effect{LogFatal{fmt.Sprintf(why, s.Data.Consecutive, s.Data.Total)}}
}

func lastingTrouble(_ Snap, e machine.Event) []machine.Effect {
	return []machine.Effect{LogFatal{e.(SessionExited).Trouble}}
}

func fatal(s Snap, e machine.Event) []machine.Effect {
	return append([]machine.Effect{LogFatal{e.(FatalError).Message}}, cancelLiving(s, e)...)
}

func reportTrouble(_ Snap, e machine.Event) []machine.Effect {
	return []machine.Effect{ReportTrouble{e.(Trouble).Message}}
}
