package session

import (
	"fmt"

	"ferrus/machine"
)

// What rows change. Each is given the snapshot before.

// next moves on to a number that no process has had.
func next(s Snap, _ machine.Event) Data {
	s.Data.Session++
	s.Data.Urgent = false // the prompt that is built now carries it
	return s.Data
}

func established(s Snap, _ machine.Event) Data {
	s.Data.Consecutive = 0
	return s.Data
}

func interrupted(s Snap, e machine.Event) Data {
	s.Data.Urgent = false
	return established(s, e)
}

func remember(s Snap, _ machine.Event) Data {
	s.Data.Urgent = true
	return s.Data
}

func succeed(s Snap, e machine.Event) Data {
	s.Data.Fruitless = 0
	return established(s, e)
}

func rest(s Snap, e machine.Event) Data {
	s.Data.Fruitless = min(s.Data.Fruitless+1, FruitlessLimit)
	s.Data.Resting = true
	return established(s, e)
}

func wake(s Snap, _ machine.Event) Data {
	s.Data.Resting = false
	return s.Data
}

func count(s Snap, _ machine.Event) Data {
	s.Data.Consecutive++
	s.Data.Total++
	return s.Data
}

// letGo gives up a process that is not reaped yet; one that was given up before
// stays.
func letGo(s Snap, _ machine.Event) Data {
	s.Data.Ending = Living(s)
	s.Data.Urgent, s.Data.Resting = false, false
	return s.Data
}

func letGoNext(s Snap, e machine.Event) Data {
	s.Data = letGo(s, e)
	return next(s, e)
}

func reap(s Snap, _ machine.Event) Data {
	s.Data.Ending = 0
	return s.Data
}

// What rows ask for. Each is given the snapshot after.

func spawn(s Snap, e machine.Event) []machine.Effect {
	return []machine.Effect{StorePrompt{e.(PromptReady).Prompt}, Spawn{s.Data.Session}}
}

func cancel(s Snap, _ machine.Event) []machine.Effect {
	return []machine.Effect{CancelSession{Living(s)}}
}

func force(s Snap, e machine.Event) []machine.Effect {
	return []machine.Effect{ForceStopSession{e.(GraceExceeded).Session}}
}

func increment(s Snap, _ machine.Event) []machine.Effect {
	return []machine.Effect{IncrementSession{s.Data.Session}}
}

func cool(s Snap, _ machine.Event) []machine.Effect { return backoff(s, s.Data.Consecutive) }

func wait(s Snap, _ machine.Event) []machine.Effect { return backoff(s, s.Data.Fruitless) }

func giveUp(s Snap, e machine.Event) []machine.Effect {
	return append(wait(s, e), NoProgress{s.Data.Fruitless})
}

func backoff(s Snap, n uint32) []machine.Effect {
	return []machine.Effect{Backoff{s.Data.Session, BackoffAfter(int(n)).Milliseconds()}}
}

func limited(s Snap, e machine.Event) []machine.Effect {
	return append(cancel(s, e), Backoff{s.Data.Session, e.(Limited).Millis})
}

func stopped(s Snap, _ machine.Event) []machine.Effect {
	return []machine.Effect{LogFatal{fmt.Sprintf("stopped after %d errors in a row, %d in all", s.Data.Consecutive, s.Data.Total)}}
}

func stop(s Snap, e machine.Event) []machine.Effect {
	if Living(s) == 0 {
		return nil
	}
	return cancel(s, e)
}

func fatalError(s Snap, e machine.Event) []machine.Effect {
	return append([]machine.Effect{LogFatal{e.(FatalError).Message}}, stop(s, e)...)
}
