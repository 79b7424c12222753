package merge

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/machine/merge"
	"ferrus/store"
)

// historyEvents are the events of the journal that a reader of the history wants, with how each is shown.
var historyEvents = map[string]string{
	"merge_open": "", "merge_proved": "  ", "merge_gate_lost": "  ", "merge_landed": "  landed ",
	"merge_returned": "  returned ", "merge_conflict": "  ", "merge_moved": "  dissolved: ",
	"pull_pushed": "  pushed ", "pull_opened": "  opened ", "pull_waits": "  waits: ", "pull_landed": "  landed ",
	"pull_returned": "  returned ", "pull_closed": "  ", "pull_decided": "  ",
	"merge_withdrawn": "  dissolved: ", "merge_waits": "  waits: ", "merge_again": "  ", "merge_accept": "  ",
}

// History returns what was merged, oldest first: each batch with the candidates that were proven, the trees
// and the verdicts, what landed and what did not, and why.
func History(q *queue.Queue) (lines []string, err error) {
	entries, err := q.Journal(0)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if _, shown := historyEvents[e.Event]; shown {
			lines = append(lines, historyLine(e))
		}
	}
	return lines, nil
}

func historyLine(e store.Entry) string {
	return fmt.Sprintf("%s  %s%s", e.At.Local().Format("Jan 02 15:04:05"), historyEvents[e.Event], e.Why)
}

// HistoryOf is like [History] for the batches that an item was in.
func HistoryOf(q *queue.Queue, n int) (lines []string, err error) {
	entries, err := q.Journal(0)
	if err != nil {
		return nil, err
	}
	batches, name := map[string][]store.Entry{}, regexp.MustCompile(fmt.Sprintf(`#%d\b`, n))
	var all []store.Entry
	end := func(target string) {
		if slices.ContainsFunc(batches[target], func(e store.Entry) bool { return name.MatchString(e.Why) }) {
			all = append(all, batches[target]...)
		}
		delete(batches, target)
	}
	for _, e := range entries {
		if _, shown := historyEvents[e.Event]; !shown {
			continue
		}
		target, _, _ := strings.Cut(e.Why, ": ")
		switch kind := strings.TrimPrefix(e.Event, "merge_"); machine.Kind(kind) {
		case merge.KindOpen, merge.KindConflict:
			end(target)
		}
		batches[target] = append(batches[target], e)
	}
	for _, target := range slices.Sorted(maps.Keys(batches)) {
		end(target)
	}
	slices.SortFunc(all, func(a, b store.Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, e := range all {
		lines = append(lines, historyLine(e))
	}
	return lines, nil
}

// Present returns what each merge does or waits for, one line each.
func Present(q *queue.Queue) (lines []string, err error) {
	s, err := q.Load()
	if err != nil {
		return nil, err
	}
	for _, target := range s.World.Targets() {
		m := s.World.MergeOf(target)
		words := []string{target}
		for _, i := range s.World.StagedFor(target) {
			words = append(words, i.Name())
		}
		line := strings.Join(words, " < ") + ": " + string(m.State)
		if m.Why != "" {
			line += ", " + m.Why
		}
		lines = append(lines, line)
	}
	for _, i := range s.World.Items {
		if i.ByPull() {
			lines = append(lines, i.PullLine())
		}
	}
	return lines, nil
}
