package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine/task"
	"ferrus/store"
	"ferrus/ui/text"
)

func tasksCommand(std *streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "tasks [id]",
		Short:   "List the open task and archived tasks, or print one",
		Example: "  ferrus tasks\n  ferrus tasks t-20261120-101500-4f2a",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return usageError(cmd, "tasks takes at most one id")
			case len(args) == 1 && asJSON:
				return usageError(cmd, "--json applies to the list only")
			case len(args) == 1:
				return showTask(std, args[0])
			}
			return runTasks(std, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the tasks as one JSON object")
	return c
}

// taskSummary is an open or archived task.
type taskSummary struct {
	ID           string     `json:"id"`
	Title        string     `json:"title"`
	Open         bool       `json:"open"`
	State        string     `json:"state"`                 // the current one, or the last one; empty: unknown
	ArchivedBy   string     `json:"put_away_by,omitempty"` // reset or create_task
	CreatedAt    *time.Time `json:"created_at,omitempty"`
	EndedAt      *time.Time `json:"ended_at,omitempty"` // when it became Complete, or was archived
	CheckRetries int        `json:"check_retries"`
	ReviewCycles int        `json:"review_cycles"`
	Gates        int        `json:"gates"` // check gates in all

	Landed *core.Landed `json:"landed,omitempty"`
}

func runTasks(std *streams, asJSON bool) error {
	pr, err := openProject()
	if err != nil {
		return err
	}
	all, err := newestTasks(pr, math.MaxInt)
	if err != nil {
		return err
	}
	rows, err := queueRows(pr)
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(r queue.Row) bool { return r.Final() || r.Item.Task != "" })
	if asJSON {
		return std.printJSON(map[string]any{"tasks": all, "queue": queueJSON(rows)})
	}
	for _, r := range rows {
		fmt.Fprintln(std.out, text.Sanitize(fmt.Sprintf("%-24s %-22s %-44s %s", r.Name(), r.State, r.Why, r.Title)))
	}
	if len(all)+len(rows) == 0 {
		fmt.Fprintln(std.out, "no tasks yet")
	}
	for _, t := range all {
		when := ""
		if at := t.EndedAt; at != nil {
			when = at.Local().Format("2006-01-02 15:04")
		} else if at := t.CreatedAt; at != nil {
			when = "since " + at.Local().Format("2006-01-02 15:04")
		}
		fmt.Fprintln(std.out,
			strings.TrimRight(text.Sanitize(fmt.Sprintf("%-24s %-22s %-22s checks %-3d reviews %-3d %s", t.ID,
				t.describe(), when, t.Gates, t.ReviewCycles, t.Title)), " "))
	}
	return nil
}

// describe returns the state of a task, or how it ended.
func (t taskSummary) describe() string {
	switch {
	case t.Landed != nil:
		return "landed"
	case t.Open:
		return t.State
	case t.State == "":
		return "archived"
	case t.State == string(task.Complete) || t.State == string(task.Failed):
		return t.State
	}
	return "reset while " + t.State
}

// newestTasks returns the open task, then the archived ones, newest first. It returns at
// most that many: each archived one has to be read.
func newestTasks(pr *project.Task, most int) ([]taskSummary, error) {
	state, err := pr.World()
	if err != nil {
		return nil, err
	}
	all := []taskSummary{}
	if w := state.World; w.Task != nil {
		t := taskSummary{ID: w.Task.ID, Title: w.Task.Title, Open: true, State: string(w.State),
			CheckRetries: w.CheckRetries, ReviewCycles: w.ReviewCycles, Gates: w.Task.Gates, Landed: w.Task.Landed}
		if at, ok := creationTime(w.Task.ID); ok {
			t.CreatedAt = &at
		}
		if w.State == task.Complete {
			t.EndedAt = &w.Since
		}
		all = append(all, t)
	}
	if all, err = appendOwnTasks(pr, all); err != nil {
		return nil, err
	}
	ids, err := archivedIDs(pr)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Backward(ids) {
		if len(all) >= most {
			break
		}
		if len(all) > 0 && all[0].ID == id {
			continue // it was copied to the archive, and the event that archives it never happened
		}
		t, err := archivedTask(pr, id)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// appendOwnTasks appends the tasks that have a directory of their own, the newest first.
func appendOwnTasks(pr *project.Task, all []taskSummary) ([]taskSummary, error) {
	if pr.HasDirectory() {
		return all, nil
	}
	dirs, err := pr.TaskDirs()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(dirs, func(a, b string) int { return itemNumber(b) - itemNumber(a) })
	for _, dir := range dirs {
		of, err := pr.OpenTask(dir)
		if err != nil {
			continue // ferrus task says what is wrong
		}
		own, err := newestTasks(of, 1)
		if err != nil {
			return nil, err
		}
		all = append(all, own...)
	}
	return all, nil
}

// itemNumber returns the number of the queue in the name of a task's directory.
func itemNumber(dir string) (n int) {
	fmt.Sscanf(dir, "t-%d", &n) //nolint:errcheck // then it is 0
	return n
}

// archivedTask reads an archived task. Most is in the lines of its journal; without them
// the title is in its text.
func archivedTask(pr *project.Task, id string) (taskSummary, error) {
	t := taskSummary{ID: id}
	if at, ok := creationTime(id); ok {
		t.CreatedAt = &at
	}
	lines, err := pr.Store.Archived(id)
	if err != nil {
		return t, err
	}
	t.apply(lines)
	if data, err := pr.Store.ReadFile("archive/" + id + "/landed.json"); err == nil { // it landed after that
		t.Landed = &core.Landed{}
		if err := json.Unmarshal(data, t.Landed); err != nil {
			return t, fmt.Errorf("read where %s landed: %w", id, err)
		}
	}
	if n := len(lines); n > 0 {
		if next, ok, err := pr.Store.ReadEntry(lines[n-1].Seq + 1); err != nil {
			return t, err
		} else if ok && (next.Event == string(core.KindReset) || next.Event == string(core.KindCreateTask)) {
			t.ArchivedBy = next.Event
			if t.State != string(task.Complete) {
				t.EndedAt = &next.At
			}
		}
	}
	if t.Title == "" {
		text, err := pr.Store.ReadFile("archive/" + id + "/" + core.TaskText)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return t, err
		}
		t.Title = core.TaskTitle(string(text))
	}
	return t, nil
}

// apply takes what the lines of the journal say about the task.
func (t *taskSummary) apply(lines []store.Entry) {
	for _, l := range lines {
		var data struct {
			CheckRetries *int `json:"check_retries"`
			ReviewCycles *int `json:"review_cycles"`
			Task         struct {
				Title  *string      `json:"title"`
				Gates  *int         `json:"gates"`
				Landed *core.Landed `json:"landed"`
			} `json:"task"`
		}
		if json.Unmarshal(l.Data, &data) != nil {
			continue // not about the task
		}
		assign(&t.CheckRetries, data.CheckRetries)
		assign(&t.ReviewCycles, data.ReviewCycles)
		assign(&t.Title, data.Task.Title)
		assign(&t.Gates, data.Task.Gates)
		t.Landed = cmp.Or(data.Task.Landed, t.Landed)
		if t.State != l.To {
			t.State, t.EndedAt = l.To, nil
		}
		if l.To != l.From {
			t.EndedAt = &l.At
		}
	}
}

func assign[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}
