package projection

import (
	"fmt"
	"strings"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/queue"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// merges returns what is merged into which branch.
func merges(v conductor.View, now time.Time) (all []view.Merge) {
	for _, row := range v.Merges {
		m := view.Merge{Branch: text.Sanitize(row.Target)}
		last := -1 // the last one of the candidate: it has the progress of the gate
		for i, c := range row.Cars {
			if c.State == queue.CarProving {
				last = i
			}
		}
		for i, c := range row.Cars {
			percent := 0
			if i == last && v.Proving.Running && v.Proving.Of == row.Target {
				percent = gateProgress(v.Proving, now).Percent
			}
			m.Cars = append(m.Cars, mergeCar(c, percent))
		}
		all = append(all, m)
	}
	return all
}

// carTones are the tones of the states of a task on its way to the branch.
var carTones = map[queue.MergeState]style.Tone{
	queue.CarLanded: style.Good, queue.CarProven: style.Good, queue.CarProving: style.Busy, queue.CarPull: style.Busy,
	queue.CarStaged: style.Dim, queue.CarReturned: style.Bad,
}

func mergeCar(c queue.MergeCar, percent int) view.MergeCar {
	car := view.MergeCar{Text: fmt.Sprintf("#%d %s", c.N, c.State), Tone: carTones[c.State]}
	switch {
	case c.Why != "" && c.State != queue.CarReturned:
		car.Text, car.Tone = car.Text+": "+text.Sanitize(c.Why), style.Warn
	case c.Why != "":
		car.Text += ": " + text.Sanitize(c.Why)
	case percent > 0:
		car.Text += fmt.Sprintf(" %d%%", percent)
	}
	return car
}

// decisions returns the items of the inbox for merges that continue only when you
// decide.
func decisions(v conductor.View) (items []view.InboxItem) {
	for _, row := range v.Merges {
		if row.Needs == "" {
			continue
		}
		item := view.InboxItem{ID: "merge:" + row.Target + ":" + row.Needs, Kind: view.KindTask, Tone: style.Warn,
			Text: text.Sanitize(row.Target + ": " + row.Needs), Hint: "/merge shows it", Type: "/merge "}
		switch {
		case len(row.Answers) > 0:
			item.Hint = "/merge shows it, /merge " + strings.Join(row.Answers, " or /merge ") + " decides"
		case row.WaitsForLand(): // its words say so
			item.Hint, item.Type = "", ""
		}
		items = append(items, item)
	}
	return items
}
