package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/queue"
	"ferrus/store"
	"ferrus/ui/text"
)

// What the queue takes at most.
const (
	MaxWaiting = 1000    // items that are not final
	MaxText    = 1 << 20 // bytes of one request
	maxFinal   = 200     // items that are final, kept to be listed
)

// New is a task to add.
type New struct {
	Text    string // its first line is the title
	After   []Ref  // what has to land first
	Touches []string
	Needs   []string // labels of the worker that it has to run on

	Spec, Milestone string       // what it is for; empty: no milestone
	Origin          *core.Origin // the task of a workflow that it is; nil: of none

	Adopted *core.Adopted // the work that it continues; nil: it begins
	Staged  string        // the staged copy of the conversation that continues with it; empty: there is none
}

// Ref names an item: by its number, or by the title of one that is added with it.
type Ref struct {
	N     int
	Title string // N is 0
}

func (r Ref) String() string {
	if r.N > 0 {
		return fmt.Sprintf("#%d", r.N)
	}
	return fmt.Sprintf("%q", r.Title)
}

// Add adds tasks at the end, all of them or none. It returns the items.
func (q *Queue) Add(ctx context.Context, by core.Actor, all []New) ([]Item, error) {
	return q.add(ctx, by, all, false)
}

// Propose is Add for a plan: no task of it begins before you approve it ([Queue.Resume]).
func (q *Queue) Propose(ctx context.Context, by core.Actor, all []New) ([]Item, error) {
	return q.add(ctx, by, all, true)
}

func (q *Queue) add(ctx context.Context, by core.Actor, all []New, proposed bool) (added []Item, err error) {
	if len(all) == 0 {
		return nil, errors.New("there is no task to add")
	}
	_, err = q.update(ctx, by, queue.KindAdd, func(tx *store.Tx[Document]) (string, error) {
		if err := q.adopt(tx); err != nil {
			return "", err
		}
		added, err = tx.World.append(by.Role, all, proposed)
		if err != nil {
			return "", err
		}
		for i := range added {
			if err := q.giveAdopted(ctx, &tx.World, &added[i], all[i]); err != nil {
				return "", err
			}
		}
		texts := map[int]string{}
		name := tx.World.freeText()
		for i := range added {
			texts[added[i].N] = all[i].Text
			added[i].Text = name
			tx.World.Items[tx.World.Index(added[i].N)].Text = name
		}
		data, err := json.Marshal(texts)
		if err != nil {
			return "", err
		}
		tx.SetText(name, string(data))
		tx.World.forget(q.usedBy)
		if len(added) == 1 {
			return added[0].Name() + " " + added[0].Title, nil
		}
		return fmt.Sprintf("%s to %s", added[0].Name(), added[len(added)-1].Name()), nil
	})
	return added, err
}

// append adds items without their texts, or returns why the first of them cannot be added.
func (d *Document) append(by machine.Role, all []New, proposed bool) ([]Item, error) {
	if n := d.waiting() + len(all); n > MaxWaiting {
		return nil, fmt.Errorf("the queue holds at most %d tasks that have not landed, and would have %d: add fewer",
			MaxWaiting, n)
	}
	first, titles := len(d.Items), map[string]int{}
	for _, i := range d.Items {
		if !i.Final() && i.Origin == nil {
			titles[i.Title] = i.N
		}
	}
	for i, n := range all {
		title := core.TaskTitle(n.Text)
		if err := checkNew(n, title, i, len(all)); err != nil {
			return nil, err
		}
		switch had := titles[title]; {
		case had == 0 || n.Origin != nil:
		case d.Items[d.Index(had)].State == queue.StateNew:
			return nil, fmt.Errorf("two tasks have the title %q: give one of them another", title)
		default:
			return nil, fmt.Errorf("%q is already #%d: give this task another title", title, had)
		}
		d.Last++
		titles[title] = d.Last
		d.Items = append(d.Items, Item{N: d.Last, Title: title, State: queue.StateNew, Touches: n.Touches,
			Needs: n.Needs,
			Spec:  n.Spec, Milestone: n.Milestone, Origin: n.Origin,
			AddedAt: time.Now().UTC().Truncate(time.Millisecond)})
	}
	for i, n := range all {
		item := &d.Items[first+i]
		for _, r := range n.After {
			r.N = cmp.Or(r.N, titles[r.Title])
			if r.N == 0 {
				return nil, fmt.Errorf("%q waits for %q, but no task has that title", item.Title, r.Title)
			}
			item.After = append(item.After, r.N)
		}
		item.After = unique(item.After)
	}
	for i := range all {
		item := &d.Items[first+i]
		add := queue.Add{Text: true, Proposed: proposed, Order: d.order(*item), Milestone: d.hasMilestone(*item)}
		err := item.step(by, add)
		if r := machine.AsRefusal(err); r != nil && len(r.Failed) > 0 { // its state, New, is nothing that you know
			return nil, fmt.Errorf("%q cannot be added: %s", item.Title, reason(err))
		}
		if err != nil {
			return nil, err
		}
	}
	return slices.Clone(d.Items[first:]), nil
}

// checkNew returns why a task can never be added.
func checkNew(n New, title string, i, all int) error {
	which := "the task"
	if all > 1 {
		which = fmt.Sprintf("task %d of %d", i+1, all)
	}
	switch {
	case strings.TrimSpace(n.Text) == "":
		return fmt.Errorf("%s has no text", which)
	case title == "" || !hasTitle(n.Text):
		return fmt.Errorf("%s has no title: start with a line of text", which)
	case len(n.Text) > MaxText:
		return fmt.Errorf("%s (%s) has %d bytes, more than the %d allowed: put long content in a file and name it",
			which, title, len(n.Text), MaxText)
	}
	if err := text.CheckEncoding(n.Text); err != nil {
		return fmt.Errorf("%s (%s) cannot be kept: %w", which, title, err)
	}
	if err := checkTouches(n.Touches); err != nil {
		return fmt.Errorf("%s (%s) touches %w", which, title, err)
	}
	if err := checkNeeds(n.Needs); err != nil {
		return fmt.Errorf("%s (%s) needs %w", which, title, err)
	}
	return nil
}

// hasTitle reports whether the first line that is not blank can be read. One of control characters alone would give the
// task the title of another line.
func hasTitle(task string) bool {
	for line := range strings.Lines(task) {
		if line = strings.Trim(line, "# \t\r\n"); line != "" {
			return core.TaskTitle(line) != ""
		}
	}
	return false
}

// waiting counts the items that are not final.
func (d *Document) waiting() (n int) {
	for _, i := range d.Items {
		if !i.Final() {
			n++
		}
	}
	return n
}

// hasMilestone returns the words for another item that is for the same milestone, and has not
// landed; empty: there is none.
func (d *Document) hasMilestone(item Item) string {
	for _, i := range d.Items {
		if item.Milestone != "" && i.N != item.N && !i.Final() && i.Spec == item.Spec && i.Milestone == item.Milestone {
			return fmt.Sprintf("%s is already for milestone %s", i.Name(), i.Milestone)
		}
	}
	return ""
}

// order returns what is wrong with what an item waits for.
func (d *Document) order(item Item) (o queue.Order) {
	for _, n := range item.After {
		switch {
		case n < 1 || n > d.Last:
			o.Unknown = fmt.Sprintf("there is no #%d", n)
		case d.Index(n) < 0: // whether it has landed is forgotten with it
			o.Unknown = fmt.Sprintf("#%d has ended, and is no longer in the list", n)
		}
	}
	if circle := d.circle(item); len(circle) > 0 {
		o.Circle = d.describeCircle(circle)
	}
	return o
}

// circle returns the numbers on a way from an item back to it, along what each waits for.
func (d *Document) circle(item Item) []int {
	seen := map[int]bool{}
	var follow func(n int, after []int) []int
	follow = func(n int, after []int) []int {
		for _, next := range after {
			if next == item.N {
				return []int{n, item.N}
			}
			at := d.Index(next)
			if at < 0 || seen[next] {
				continue
			}
			seen[next] = true
			if way := follow(next, d.Items[at].After); way != nil {
				return append([]int{n}, way...)
			}
		}
		return nil
	}
	return follow(item.N, item.After)
}

// describeCircle spells a circle out: "#12 waits for #14, which waits for #12". Tasks that are being added have their
// titles: the numbers of refused tasks are never shown.
func (d *Document) describeCircle(way []int) string {
	name := func(n int) string {
		if item := d.Items[d.Index(n)]; item.State == queue.StateNew {
			return strconv.Quote(item.Title)
		}
		return fmt.Sprintf("#%d", n)
	}
	if len(way) == 2 {
		return name(way[0]) + " waits for itself"
	}
	words := name(way[0]) + " waits for " + name(way[1])
	for _, n := range way[2:] {
		words += ", which waits for " + name(n)
	}
	return words
}

// freeText returns the name of a text that no item has its request in. Names are used again,
// so there are as many as there were tasks waiting at once.
func (d *Document) freeText() string {
	used := map[string]bool{}
	for _, i := range d.Items {
		used[i.Text] = true
	}
	for k := 1; ; k++ {
		if name := fmt.Sprintf("requests-%d.json", k); !used[name] {
			return name
		}
	}
}

// forget drops the oldest final items that nothing waits for. What landed stays known as a
// number below Last.
func (d *Document) forget(usedBy func(Item) core.Amount) {
	waited := map[int]bool{}
	final := 0
	for _, i := range d.Items {
		if i.Final() {
			final++
			continue
		}
		for _, n := range i.After {
			waited[n] = true
		}
	}
	d.Items = slices.DeleteFunc(d.Items, func(i Item) bool {
		drop := final > maxFinal && i.Final() && !waited[i.N]
		if drop {
			final--
			used := usedBy(i)
			d.Spent.Tokens, d.Spent.Cost = d.Spent.Tokens+used.Tokens, d.Spent.Cost+used.Cost
		}
		return drop
	})
}

// texts reads the requests that were added together.
func (q *Queue) texts(s store.State[Document], name string) (texts map[int]string, err error) {
	if name == "" {
		return nil, nil
	}
	data, err := q.store.ReadText(s, name)
	if err == nil && data != "" {
		err = json.Unmarshal([]byte(data), &texts)
	}
	if err != nil {
		err = fmt.Errorf("read the request: %w", err)
	}
	return texts, err
}

// dropText forgets the request of an item, and the text with it once no item needs it.
func dropText(tx *store.Tx[Document], at int) {
	name := tx.World.Items[at].Text
	tx.World.Items[at].Text = ""
	if name != "" && !slices.ContainsFunc(tx.World.Items, func(i Item) bool { return i.Text == name }) {
		tx.SetText(name, "")
	}
}

func unique(all []int) []int {
	set := map[int]bool{}
	for _, n := range all {
		set[n] = true
	}
	return slices.Sorted(maps.Keys(set))
}
