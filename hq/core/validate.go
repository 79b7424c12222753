package core

import (
	"errors"
	"fmt"
	"slices"

	"ferrus/machine"
	"ferrus/machine/task"
)

// Validate returns what is wrong with a World that Decide did not write; nil if nothing
// is. In an invalid World every command but reset and import is refused. It finds what
// would make a step panic or a way back missing, not everything that an editor could
// have changed: doctor compares with the journal for that.
func (w World) Validate() error {
	w = w.Normalize()
	if !slices.Contains(task.States, w.State) {
		return fmt.Errorf("%q is not a state of a task", w.State)
	}
	for _, n := range w.counts() {
		if n < 0 || n > maxCounter {
			return fmt.Errorf("a counter is %d", n)
		}
	}
	if err := w.validatePauses(); err != nil {
		return err
	}
	return w.validateParts()
}

// maxCounter is more than any counter can reach, and fits in an int everywhere.
const maxCounter = 1 << 30

// counts returns every counter that a table or a limit depends on.
func (w World) counts() []int {
	all := []int{w.CheckRetries, w.ReviewCycles}
	if w.Submission != nil {
		all = append(all, w.Submission.Voided)
	}
	if w.Gate != nil {
		all = append(all, w.Gate.Lost, w.Gate.Attempt)
	}
	if w.Task != nil {
		all = append(all, w.Task.Gates)
	}
	return all
}

// validatePauses returns an error unless exactly the pauses have a way back.
func (w World) validatePauses() error {
	work := []machine.State{task.Executing, task.Addressing, task.Checking}
	ok := len(w.Paused) == 0
	switch {
	case w.State == task.Consultation:
		ok = len(w.Paused) == 1 && slices.Contains(work, w.Paused[0])
	case w.State == task.AwaitingHuman && len(w.Paused) == 1:
		ok = w.Paused[0] == task.Reviewing || slices.Contains(work, w.Paused[0])
	case w.State == task.AwaitingHuman:
		ok = len(w.Paused) == 2 && slices.Contains(work, w.Paused[0]) && w.Paused[1] == task.Consultation
	}
	if !ok {
		return fmt.Errorf("%s cannot be paused while %v", w.State, w.Paused)
	}
	return nil
}

// validateParts returns an error if what a state is about is missing.
func (w World) validateParts() error {
	if w.IsIn(task.Checking) {
		if w.Gate == nil || w.Gate.From != task.Executing && w.Gate.From != task.Addressing {
			return errors.New("a gate that came from work is missing while Checking")
		}
		if w.State != task.Checking && w.Gate.Verdict == "" {
			return fmt.Errorf("%s while a gate runs", w.State)
		}
	}
	if w.IsIn(task.Consultation) && w.Consult == nil {
		return errors.New("a Consultation without its ticket")
	}
	return nil
}

// checkSound refuses what would build on a damaged state. Reset is how a human gets
// out; import is what makes the World valid.
func (t *decision) checkSound() error {
	err := t.was.Validate()
	if err == nil || t.c.Kind == KindReset || t.c.Kind == KindImport {
		return nil
	}
	return t.refusal(machine.GuardFailed, machine.Failed{
		Guard: "state-sound", Reason: "STATE.json is damaged: " + err.Error(), Expected: "a state that ferrus wrote",
		Fix: machine.HonestFix("restore STATE.json, or reset the task", []machine.Role{machine.Human}, t.c.By.Role),
	})
}
