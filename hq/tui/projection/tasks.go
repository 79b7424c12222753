package projection

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/queue"
	"ferrus/machine/task"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// The order of the groups of tasks.
const (
	rankNeeds = iota
	rankFailed
	rankRunning
	rankWaiting
)

// tasks returns the list of tasks. It is empty if there is no task, or only the one that the screen
// shows anyway.
func tasks(v conductor.View, now time.Time) view.Tasks {
	open := slices.DeleteFunc(slices.Clone(v.Tasks), queue.Row.Final)
	if len(open) == 0 || len(open) == 1 && v.Checkout == "" && open[0].Task != "" && open[0].Dir == v.Selected {
		return view.Tasks{Number: selectedNumber(v)}
	}
	slices.SortStableFunc(open, func(a, b queue.Row) int { return cmp.Compare(rank(a), rank(b)) })
	out := view.Tasks{Selected: rowID(v.Selected), Number: selectedNumber(v)}
	for _, r := range open {
		out.Rows = append(out.Rows, taskRow(r, now))
	}
	if v.Checkout != "" {
		out.Rows = append([]view.TaskRow{{
			ID: projectRow, Title: "your checkout", State: view.State{Text: v.Checkout},
		}}, out.Rows...)
	}
	return out
}

// selectedNumber returns the number of the selected task; empty: it is not in the queue.
func selectedNumber(v conductor.View) string {
	at := slices.IndexFunc(v.Tasks, func(r queue.Row) bool { return r.Task != "" && r.Dir == v.Selected })
	if at < 0 {
		return ""
	}
	return v.Tasks[at].Name()
}

// projectRow is what the task whose record is .ferrus is selected by; see [scheduler.Selection].
const projectRow = "."

func rowID(dir string) string {
	if dir == "" {
		return projectRow
	}
	return dir
}

// rank returns the group of a row.
func rank(r queue.Row) int {
	switch {
	case r.NeedsYou() && r.Task != task.Failed:
		return rankNeeds
	case r.Task == task.Failed:
		return rankFailed
	case r.Running():
		return rankRunning
	}
	return rankWaiting
}

// why returns why a task waits, or what it needs: the list itself says that it needs you.
func why(r queue.Row) string { return text.Sanitize(strings.TrimPrefix(r.Why, "needs you: ")) }

func taskRow(r queue.Row, now time.Time) view.TaskRow {
	row := view.TaskRow{
		Number: r.Name(), Title: text.Sanitize(r.Title), Why: why(r), Needs: r.NeedsYou(),
		State: view.State{Text: string(r.Task), Tone: stateTones[r.Task]},
	}
	if r.Task == "" {
		row.State = view.State{Text: strings.ToLower(string(r.State)), Tone: style.Plain}
		return row
	}
	row.ID = rowID(r.Dir)
	if !r.Since.IsZero() {
		row.Age = age(now.Sub(r.Since))
	}
	if all := shownAlarms(r.Alarms); len(all) > 0 {
		row.State.Tone = style.Bad
		if row.Why = all.String(); r.Task == task.Complete {
			row.Why = why(r) + "; " + row.Why
		}
	}
	var counts []string
	for _, c := range []struct {
		n    int
		name string
	}{{r.Checks, "checks"}, {r.Reviews, "reviews"}} {
		if c.n > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", c.name, c.n))
		}
	}
	if len(r.Agents) > 0 {
		counts = append(counts, text.Sanitize(r.Agents[0]))
	}
	if r.Used.Tokens > 0 {
		counts = append(counts, core.FormatCount(r.Used.Tokens)+" tok")
	}
	row.Counts = strings.Join(counts, " ")
	return row
}

// age says how long something takes by now, in one unit.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// taskCounts says how many tasks there are of several.
func taskCounts(v conductor.View) string {
	var running, queued, staged, needs int
	for _, r := range v.Tasks {
		switch {
		case r.Final():
		case r.NeedsYou():
			needs++
		case r.Running():
			running++
		case r.IsStaged():
			staged++
		default:
			queued++
		}
	}
	var words []string
	for _, c := range []struct {
		n    int
		name string
	}{{running, "running"}, {queued, "queued"}, {staged, "staged"}} {
		if c.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", c.n, c.name))
		}
	}
	switch {
	case needs == 1:
		words = append(words, "1 needs you")
	case needs > 1:
		words = append(words, fmt.Sprintf("%d need you", needs))
	}
	return strings.Join(words, "  ")
}

// elsewhere returns the items of the inbox for tasks that are not selected, but for
// [landings].
func elsewhere(v conductor.View) (items []view.InboxItem) {
	if words := queue.Proposed(v.Tasks); words != "" {
		items = append(items, view.InboxItem{ID: "plan:" + words, Kind: view.KindPlan, Tone: style.Warn, Text: words,
			Hint: "/queue approves, edits or cancels them", Type: "/queue"})
	}
	for _, r := range v.Tasks {
		if hint, _ := r.Unblock(); hint != "" {
			items = append(items, view.InboxItem{ID: "task:" + r.Name(), Kind: view.KindTask, Tone: style.Bad,
				Text: text.Sanitize(r.Name()+" "+r.Title) + ": " + why(r), Hint: hint})
		}
		if !r.Final() && r.NeedsYou() && r.Task != "" && r.Task != task.Complete && r.Dir != v.Selected {
			items = append(items, taskItem(r))
		}
	}
	return items
}

// landings returns the items for approved work that waits for your /land, or cannot land by itself.
func landings(v conductor.View) (items []view.InboxItem) {
	for _, r := range v.Tasks {
		if !r.IsLanding() {
			continue
		}
		item := taskItem(r)
		if !r.Refused && r.Dir == v.Selected {
			item.Task, item.Hint, item.Type = "", "/land lands it", "/land"
		}
		items = append(items, item)
	}
	return items
}

func taskItem(r queue.Row) view.InboxItem {
	tone := style.Warn
	if r.Task == task.Failed {
		tone = style.Bad
	}
	return view.InboxItem{
		ID: "task:" + rowID(r.Dir) + ":" + string(r.Task), Kind: view.KindTask, Tone: tone, Task: rowID(r.Dir),
		Text: text.Sanitize(r.Name()+" "+r.Title) + ": " + why(r), Hint: "Ctrl+O n opens it",
	}
}
