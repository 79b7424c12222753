package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine/task"
	"ferrus/store"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

func projectsCommand(std *streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "projects",
		Short: "List your projects on this machine, with their state, needs and cost",
		Long: `Lists every project that you have used with ferrus on this machine: the state of its
task, what needs you there, and what the task has cost. Projects that need you come
first. A project whose directory no longer exists is left out.

The list comes from your state directory ($XDG_STATE_HOME/ferrus, or
~/.local/state/ferrus). ferrus only reads files of the projects; nothing in them runs,
not even git. In HQ, /projects shows the same list, and Enter opens the HQ of a project.`,
		Example: "  ferrus projects\n  ferrus projects --json | jq -r '.projects[] | select(.needs != []) | .dir'",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runProjects(cmd.Context(), std, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the projects as one JSON object")
	return c
}

// projectSummary is a project as the list shows it.
type projectSummary struct {
	Dir       string             `json:"dir"`
	State     string             `json:"state,omitempty"` // of the task, or how many tasks there are; empty: unknown
	Task      string             `json:"task,omitempty"`  // its title; empty: there is none, or several
	Since     time.Time          `json:"since,omitzero"`  // of the state
	Conductor int                `json:"conductor"`       // process of its HQ or ferrus run; 0: there is none
	Needs     []advice.InboxItem `json:"needs"`
	Used      core.UsageTotal    `json:"used"`              // by the tasks
	Problem   string             `json:"problem,omitempty"` // why it cannot be read
}

func runProjects(ctx context.Context, std *streams, asJSON bool) error {
	all, gone, err := listProjects(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return std.printJSON(map[string]any{"projects": append([]projectSummary{}, all...), "gone": gone})
	}
	if len(all) == 0 {
		fmt.Fprintln(std.out, "no projects yet: run ferrus init in a git repository")
		return nil
	}
	names := 0
	for _, p := range all {
		names = max(names, min(text.Width(p.name()), 48))
	}
	for i, words := range describeProjects(all) {
		name := all[i].name()
		fmt.Fprintln(std.out, strings.TrimRight(name+text.Blanks(names-text.Width(name))+"  "+words, " "))
	}
	return nil
}

// name returns the directory, below ~ where it can be.
func (p projectSummary) name() string {
	if home, err := os.UserHomeDir(); err == nil {
		if below, err := filepath.Rel(home, p.Dir); err == nil && filepath.IsLocal(below) {
			return text.Sanitize(filepath.Join("~", below))
		}
	}
	return text.Sanitize(p.Dir)
}

// describeProjects returns what is said of each project behind its name, in columns. What none of
// them has takes no room.
func describeProjects(all []projectSummary) (lines []string) {
	cells, widths := make([][]string, len(all)), []int{}
	for i, p := range all {
		if p.Problem == "" {
			cells[i] = p.cells()
		}
		for k, cell := range cells[i] {
			if k == len(widths) {
				widths = append(widths, 0)
			}
			widths[k] = max(widths[k], text.Width(cell))
		}
	}
	for i, p := range all {
		line := ""
		for k, cell := range cells[i] {
			if widths[k] > 0 {
				line += cell + text.Blanks(widths[k]-text.Width(cell)+2)
			}
		}
		if p.Problem != "" {
			line = "cannot be read: " + text.Sanitize(p.Problem)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// cells returns the state, whether an HQ is open, what needs you, the cost, and the
// task.
func (p projectSummary) cells() []string {
	var kinds []string
	for _, i := range p.Needs {
		if kind := string(i.Kind); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	needs := strings.Join(kinds, ", ")
	if needs != "" {
		needs = "needs you: " + needs
	}
	running := ""
	if p.Conductor > 0 {
		running = "HQ open"
	}
	all := []string{p.State, running, needs, p.Used.Short(), p.Task}
	for i := range all {
		all[i] = text.Sanitize(all[i])
	}
	return all
}

// listPatience is how long the projects get to be read: one may be on a disk that does not
// answer.
const listPatience = 3 * time.Second

// listProjects reads the projects of this machine, what needs you first, and returns how
// many are gone.
func listProjects(ctx context.Context) (all []projectSummary, gone int, err error) {
	heads := store.UserHeads()
	dirs, gone, err := project.Known(heads)
	if err != nil {
		return nil, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	all = make([]projectSummary, len(dirs))
	var mu sync.Mutex // guards all
	read, next := make(chan struct{}, len(dirs)), make(chan int, len(dirs))
	for i, dir := range dirs {
		all[i] = projectSummary{Dir: dir, Needs: []advice.InboxItem{}, Problem: "it does not answer"}
		next <- i
	}
	close(next)
	for range 8 {
		go func() {
			for i := range next {
				summary := summarize(dirs[i], heads)
				mu.Lock()
				all[i] = summary
				mu.Unlock()
				read <- struct{}{}
			}
		}()
	}
	for range dirs {
		select {
		case <-read:
		case <-ctx.Done():
		}
	}
	mu.Lock()
	defer mu.Unlock()
	all = slices.Clone(all) // late readers keep the other
	slices.SortStableFunc(all, func(a, b projectSummary) int {
		return cmp.Or(cmp.Compare(min(len(b.Needs), 1), min(len(a.Needs), 1)),
			cmp.Compare(min(b.Conductor, 1), min(a.Conductor, 1)), b.Since.Compare(a.Since))
	})
	return all, gone, nil
}

// summarize reads the files of one project. It opens nothing: that would finish what a crash
// left there.
func summarize(dir string, heads store.Heads) projectSummary {
	summary := projectSummary{Dir: dir, Needs: []advice.InboxItem{}}
	fail := func(err error) projectSummary { summary.Problem = err.Error(); return summary }
	t, err := project.Inspect(dir, heads, agentNames()...)
	if err == nil {
		err = equip(t)
	}
	if err != nil {
		return fail(err)
	}
	s, err := readStatus(t)
	if err != nil {
		return fail(err)
	}
	w := s.state.World
	summary.State, summary.Since, summary.Conductor, summary.Used = string(w.State), w.Since, s.conductor, s.use.Total
	if w.Task != nil {
		summary.Task = text.Sanitize(w.Task.Title)
	}
	tasks := tasksOf(t, t.InspectTask)
	checkout := advice.Inbox(w, s.inboxFacts())
	summary.Needs = slices.DeleteFunc(slices.Concat(summary.Needs, checkout, inboxOfQueue(t, checkout, tasks),
		queue.LandingOf(w)), func(i advice.InboxItem) bool { return i.Delegated })
	summary.addTasks(tasks)
	return summary
}

// addTasks adds the tasks of the queue that have a directory of their own, or wait for their turn.
func (p *projectSummary) addTasks(all []taskStatus) {
	all = slices.DeleteFunc(all, func(t taskStatus) bool { return t.Final() || t.Dir == "" && t.Row.Task != "" })
	for _, t := range all {
		p.Used = p.Used.Plus(t.use.Total)
	}
	switch {
	case len(all) == 0:
	case len(all) == 1 && p.State == string(task.Idle):
		one := all[0].Row
		p.State, p.Task, p.Since = cmp.Or(string(one.Task), string(one.State)), text.Sanitize(one.Title), one.Since
	default:
		n := len(all)
		if p.State != string(task.Idle) {
			n++
		}
		p.State, p.Task, p.Since = plural(n, "task"), "", time.Time{}
	}
}

// Projects returns the projects of this machine for HQ's page.
func (p hqProject) Projects(ctx context.Context) (all []view.Project, err error) {
	listed, _, err := listProjects(ctx)
	names := map[string]int{}
	for _, l := range listed {
		names[filepath.Base(l.Dir)]++
	}
	for i, words := range describeProjects(listed) {
		l, name := listed[i], filepath.Base(listed[i].Dir)
		if names[name] > 1 {
			name = l.name()
		}
		shown := view.Project{Dir: l.Dir, Name: text.Sanitize(name), Words: words, Here: l.Dir == p.project.Dir}
		all = append(all, shown)
	}
	return all, err
}
