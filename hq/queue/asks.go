package queue

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/machine/task"
)

// Asks returns what the queue itself asks you, beside the tasks in it: to decide about what is merged, to approve a
// plan, and to see to tasks that cannot begin.
func Asks(rows []Row, merges []MergeRow) (all []advice.InboxItem) {
	for _, row := range merges {
		if row.Needs == "" {
			continue
		}
		item := advice.InboxItem{ID: "merge:" + row.Target + ":" + row.Needs, Kind: advice.ItemMerge,
			Text: row.Target + ": " + row.Needs, Do: "/merge shows it", Run: "ferrus merge",
			About: &advice.About{}}
		for _, answer := range row.Answers {
			item.Options = append(item.Options, "ferrus merge "+answer+" "+row.Target)
		}
		switch {
		case len(item.Options) > 0:
			item.Run += ", then " + strings.Join(item.Options, " or ")
		case row.WaitsForLand():
			item.Do, item.Run = "/land lands it", "ferrus land"
		}
		all = append(all, item)
	}
	if words := Proposed(rows); words != "" {
		all = append(all, advice.InboxItem{ID: "plan:" + words, Kind: advice.ItemPlan, Text: words,
			Do: "/queue approves, edits or cancels them", Run: "ferrus task approve",
			About: &advice.About{}})
	}
	for _, r := range rows {
		if hint, run := r.Unblock(); run != "" {
			all = append(all, advice.InboxItem{ID: r.Name(), Kind: advice.ItemHold, Text: r.ask(), Do: hint, Run: run,
				About: r.about()})
		}
	}
	return all
}

// IsLanding reports whether the work is approved and waits for your /land. What is staged is among the merges.
func (r Row) IsLanding() bool {
	return r.Needs && r.Task == task.Complete && r.Dir != "" && !r.Final() && !r.IsStaged()
}

// Landings returns an item for each approved work that waits for your /land. They are the least urgent of all items.
func Landings(rows []Row) (all []advice.InboxItem) {
	for _, r := range rows {
		if r.IsLanding() {
			run := "ferrus land " + r.Item.Task
			all = append(all, advice.InboxItem{ID: r.Dir + "/landing", Kind: advice.ItemLanding, Text: r.ask(),
				Since: r.Since, Do: "/land lands it", Run: run, Options: []string{run},
				About: r.about()})
		}
	}
	return all
}

// about returns the task of the row.
func (r Row) about() *advice.About { return &advice.About{Task: r.Item.Task, Title: r.Title} }

// LandingHere returns the item for approved work that is in the checkout itself and can land.
func LandingHere(w core.World) []advice.InboxItem {
	if w.Task == nil || w.Task.Workspace != nil { // whose row in the queue asks
		return nil
	}
	return LandingOf(w)
}

// LandingOf returns the item for approved work that can land, of a task without a directory of its own.
func LandingOf(w core.World) []advice.InboxItem {
	t := w.Task
	if w.State != task.Complete || w.Submission == nil || t == nil || t.Landed != nil || t.Origin != nil {
		return nil
	}
	review := w.Submission.Review
	return []advice.InboxItem{{ID: t.ID + "/landing", Kind: advice.ItemLanding, Text: t.Title + ": approved",
		Since: w.Since, Do: "/land lands it", Run: "ferrus land", Options: []string{"ferrus land"}, Type: "/land",
		Yours: review != nil && review.By == core.HumanID}}
}

// ask returns what the row asks, as a sentence of its own.
func (r Row) ask() string {
	return r.Name() + " " + r.Title + ": " + strings.TrimPrefix(r.Why, "needs you: ")
}

// Unblock returns the command that lets a task start that cannot, and what it does; empty: nothing blocks it.
func (r Row) Unblock() (hint, command string) {
	switch {
	case len(r.Blocking) > 0:
		rest := "none"
		for _, n := range r.After {
			if !slices.Contains(r.Blocking, n) {
				rest = strings.TrimPrefix(rest+","+strconv.Itoa(n), "none,")
			}
		}
		command = fmt.Sprintf("ferrus task edit %d --after %s", r.N, rest)
		return command + " drops that dependency", command
	case r.CannotBegin() && !r.Final():
		command = fmt.Sprintf("ferrus task resume %d", r.N)
		return command + " tries again", command
	}
	return "", ""
}
