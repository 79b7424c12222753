package conductor

import (
	"cmp"
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

// describeDecision returns a sentence that says who decided what.
func describeDecision(e store.Entry) string {
	words := decisions[machine.Kind(e.Event)] + " by " + nameHuman(e.By, e.Via)
	if e.Why != "" {
		words += ": " + e.Why
	}
	return words
}

// nameHuman returns how a human is called: ann@laptop, or you on a terminal.
func nameHuman(id, via string) string {
	if place := placeOf(via); id == core.HumanID && place != "" {
		return core.NameOf(id) + " on " + place
	}
	return core.NameOf(id)
}

// placeOf shortens where a command came from to the name of its terminal: pts/3.
func placeOf(via string) string {
	place, _, _ := strings.Cut(strings.TrimPrefix(via, "HQ, "), ",")
	return place
}

// tellDecision tells the other terminals what a human decided.
func (o *observed) tellDecision(e store.Entry) {
	if decisions[machine.Kind(e.Event)] == "" || !core.IsHuman(e.By) || o.journal.lines == nil {
		return
	}
	o.notices.addBy(cmp.Or(e.Via, o.project.Via), describeDecision(e))
}

// DecidedError is returned for a decision that came too late: another one counts.
type DecidedError struct {
	Decision store.Entry
	Refusal  error
}

func (e *DecidedError) Error() string { return "too late: " + describeTimed(e.Decision) }

// describeTimed returns a sentence that says who decided what, and when.
func describeTimed(e store.Entry) string {
	return fmt.Sprintf("%s, at %s", describeDecision(e), e.At.Local().Format("15:04"))
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

// decides reports whether an entry decided about what a command is about, which came before it.
func decides(e store.Entry, command core.Command, w core.World) bool {
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
