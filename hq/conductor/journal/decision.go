package journal

import (
	"fmt"
	"slices"
	"strings"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/store"
)

// decisions are what a human decides that another one may have on the screen at the same time: the
// first counts, and the others see it.
var decisions = map[machine.Kind]string{
	core.KindAnswer: "answered", core.KindRespondConsult: "consultation answered", core.KindPermit: "permission",
	core.KindApprove: "approved", core.KindReject: "rejected",
}

// IsDecision reports whether a command or an entry of a kind is a decision, of which the first one counts.
func IsDecision(kind machine.Kind) bool { return decisions[kind] != "" }

// DescribeDecision returns a sentence that says who decided what.
func DescribeDecision(e store.Entry) string {
	words := decisions[machine.Kind(e.Event)] + " by " + NameHuman(e.By, e.Via)
	if e.Why != "" {
		words += ": " + e.Why
	}
	return words
}

// NameHuman returns how a human is called: ann@laptop, or you on a terminal.
func NameHuman(id, via string) string {
	if place := placeOf(via); id == core.HumanID && place != "" {
		return core.NameOf(id) + " on " + place
	}
	return core.NameOf(id)
}

// placeOf shortens where a command came from to the name of its terminal: pts/3. It is empty for a
// command that had none, which you confirmed in HQ.
func placeOf(via string) string {
	via = strings.TrimPrefix(strings.TrimPrefix(via, "confirmed in HQ: "), "HQ, ")
	place, _, _ := strings.Cut(via, ",")
	if place == "no terminal" {
		return ""
	}
	return place
}

// DecidedError is returned for a decision that came too late: another one counts.
type DecidedError struct {
	Decision store.Entry
	Refusal  error
}

func (e *DecidedError) Error() string { return "too late: " + describeTimed(e.Decision) }

// describeTimed returns a sentence that says who decided what, and when.
func describeTimed(e store.Entry) string {
	return fmt.Sprintf("%s, at %s", DescribeDecision(e), e.At.Local().Format("15:04"))
}

// DescribeReview returns who decided about the newest submission of a task, and when, from its journal.
// It is empty if the newest submission awaits its decision, or there is none.
func DescribeReview(journal []store.Entry) string {
	for _, e := range slices.Backward(journal) {
		switch machine.Kind(e.Event) {
		case core.KindApprove, core.KindReject:
			return describeTimed(e)
		case core.KindSubmit, core.KindVoided, core.KindRetry, core.KindReset, core.KindCreateTask:
			return ""
		}
	}
	return ""
}

func (e *DecidedError) Unwrap() error { return e.Refusal }

// Decides reports whether an entry decided about what a command is about, which came before it.
func Decides(e store.Entry, command core.Command, w core.World) bool {
	kind := machine.Kind(e.Event)
	switch command.Kind {
	case core.KindApprove, core.KindReject:
		return kind == core.KindApprove || kind == core.KindReject
	case core.KindPermit: // several may be open, so it is known by its words
		a, _ := w.PermissionOf(command.Ticket)
		words, _, _ := strings.Cut(e.Why, "…")
		return kind == command.Kind && a.Answer != "" &&
			strings.HasPrefix(a.Answer.Words()+": "+a.Wanted.String(), words)
	}
	return kind == command.Kind
}
