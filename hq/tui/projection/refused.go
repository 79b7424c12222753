package projection

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// timeline returns the journal with the calls that were refused.
func timeline(v conductor.View, zone *time.Location) []view.Entry {
	times := make([]time.Time, len(v.Journal))
	for i, l := range v.Journal {
		times[i] = l.At
	}
	return withRefused(activity(v.Journal, zone), times, v.Refused, zone)
}

// withRefused puts refused calls among the entries of the journal, by their times.
func withRefused(entries []view.Entry, times []time.Time, refused []conductor.RefusedCall,
	zone *time.Location) []view.Entry {
	if len(refused) == 0 {
		return entries
	}
	out := make([]view.Entry, 0, len(entries)+len(refused))
	byTime := func(a, b conductor.RefusedCall) int { return a.At.Compare(b.At) }
	var before time.Time
	next := 0
	for _, r := range slices.SortedStableFunc(slices.Values(refused), byTime) {
		for next < len(entries) && !times[next].After(r.At) {
			out, before = append(out, entries[next]), times[next]
			next++
		}
		if next == 0 && len(entries) > 0 {
			continue // the screen begins later
		}
		out = append(out, refusedEntry(r, before, seqOf(out), zone))
		before = r.At
		if next < len(entries) {
			entries[next].After = between(before, times[next])
		}
	}
	return append(out, entries[next:]...)
}

// seqOf returns the sequence number of the last entry.
func seqOf(entries []view.Entry) uint64 {
	if len(entries) == 0 {
		return 0
	}
	return entries[len(entries)-1].Seq
}

func refusedEntry(r conductor.RefusedCall, before time.Time, seq uint64, zone *time.Location) view.Entry {
	at := r.At.In(zone)
	return view.Entry{
		EntryID: view.EntryID{Seq: seq, Refused: r.Number}, At: at.Format("15:04"), Clock: at.Format(time.TimeOnly),
		After: between(before, at), Day: at.Format(dayFormat), Event: wordsOf(r.Tool), By: roleOf(r.By),
		Why: text.Sanitize(reason(r.Refusal)), Tone: style.Bad,
	}
}

// reason returns the shortest text that says why.
func reason(r machine.Refusal) string {
	if len(r.Failed) > 0 {
		return r.Failed[0].Reason
	}
	return r.Error()
}

// lastRefused returns the number of the newest refusal; 0: there is none.
func lastRefused(v conductor.View) uint64 {
	if n := len(v.Refused); n > 0 {
		return v.Refused[n-1].Number
	}
	return 0
}

// Refusal returns a refusal as a page of Markdown: what was asked, what was missing, and
// what would be accepted.
func Refusal(r conductor.RefusedCall, zone *time.Location) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s was refused\n\n", text.Sanitize(r.Tool))
	fact := func(name, value string) {
		fmt.Fprintf(&b, "**%s**%*s%s  \n", name, 10-len(name), "", text.Sanitize(value))
	}
	fact("when", r.At.In(zone).Format(whenFormat))
	fact("by", core.NameOf(r.By))
	if r.Refusal.State != "" {
		fact("state", string(r.Refusal.State)+", unchanged")
	}
	fact("code", string(r.Refusal.Code))
	fmt.Fprintf(&b, "\n%s\n", text.Sanitize(r.Refusal.Error()))
	for _, f := range r.Refusal.Failed {
		fmt.Fprintf(&b, "\n## %s\n\n%s  \n", text.Sanitize(f.Guard), text.Sanitize(f.Reason))
		for _, more := range [][2]string{{"expected", f.Expected}, {"fix", f.Fix}} {
			if more[1] != "" {
				fact(more[0], more[1])
			}
		}
	}
	if len(r.Refusal.Options) > 0 {
		b.WriteString("\n## Allowed in this state\n\n| | by |\n|---|---|\n")
		for _, o := range r.Refusal.Options {
			fmt.Fprintf(&b, "| %s | %s |\n", o.Event, advice.RoleNames(o.By))
		}
	}
	return b.String()
}
