package cli

import (
	"fmt"
	"io"
	"slices"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/scheduler"
	"ferrus/machine"
	"ferrus/store"
	"ferrus/ui/text"
)

// quietEvents are not printed: they change no state.
var quietEvents = []machine.Kind{
	core.KindClaim, core.KindRelease, core.KindDeliver, core.KindSelect, core.KindImport, core.KindCreateSpec,
}

// runPrinter prints what happens, a line for each transition.
type runPrinter struct {
	*streams
	asJSON bool // one JSON object a line
	printed
	workflow uint64              // the last printed line of the workflow's journal
	tasks    map[string]*printed // of the tasks with a directory of their own, by its name
	past     map[int]bool        // items by number that were over before the run
}

// printed is how much was printed of a task.
type printed struct {
	seq     uint64 // of the last line of the journal
	notices int
	over    bool // the task has ended, and its whole journal is printed
}

// skip keeps the existing journal lines of tasks with a directory of their own from
// being printed.
func (p *runPrinter) skip(pr *project.Task) error {
	rows, err := queueRows(pr)
	if err != nil {
		return err
	}
	p.past = map[int]bool{}
	for _, r := range rows {
		p.past[r.N] = r.Final()
	}
	dirs, err := pr.TaskDirs()
	p.tasks = map[string]*printed{}
	for _, dir := range dirs {
		of, err := pr.OpenTask(dir)
		if err != nil {
			continue // the list says what is wrong
		}
		if s, err := of.World(); err == nil {
			p.tasks[dir] = &printed{seq: s.Seq}
		}
	}
	return err
}

// print prints what is new in the views of a conductor and of its tasks' conductors.
func (p *runPrinter) print(pr *project.Task, c *scheduler.Scheduler) {
	v := c.View()
	p.printTask(queue.Row{}, v, &p.printed)
	for _, l := range v.WorkflowJournal {
		if l.Seq > p.workflow {
			p.workflow = l.Seq
			p.printLine(queue.Row{}, l)
		}
	}
	for _, row := range v.Tasks {
		if of := c.Task(row.Dir); of != nil {
			p.printTask(row, of.View(), p.printedOf(row))
		} else if row.Final() {
			p.printRest(pr, row)
		}
	}
}

// printedOf returns how much was printed of a task with a directory of its own.
func (p *runPrinter) printedOf(row queue.Row) *printed {
	if p.tasks == nil {
		p.tasks = map[string]*printed{}
	}
	if p.tasks[row.Dir] == nil {
		p.tasks[row.Dir] = &printed{}
	}
	return p.tasks[row.Dir]
}

// printRest prints the journal entries of an ended task that were written after its conductor's last
// view.
func (p *runPrinter) printRest(pr *project.Task, row queue.Row) {
	if row.Dir == "" || p.past[row.N] || p.printedOf(row).over {
		return
	}
	done := p.printedOf(row)
	done.over = row.Staged == nil // else it has landed, and its task learns of that
	of, err := pr.OpenTask(row.Dir)
	if err != nil {
		return // it was removed, or the list says what is wrong
	}
	lines, err := of.Store.Journal(done.seq)
	if err != nil {
		fmt.Fprintln(p.err, "ferrus: "+text.Sanitize(row.Name()+": "+err.Error()))
	}
	p.printLines(row, lines, done)
}

func (p *runPrinter) printTask(row queue.Row, v conductor.View, done *printed) {
	before := done.seq
	p.printLines(row, v.Journal, done)
	for _, l := range v.Journal {
		if _, open := v.State.World.PermissionOf(l.Seq); open && l.Seq > before && !p.asJSON {
			p.printPermission(row, l.Seq)
		}
	}
	for ; done.notices < len(v.Notices); done.notices++ {
		n := v.Notices[done.notices]
		if !n.Error {
			continue
		}
		words := text.Sanitize(n.Text)
		if row.N > 0 {
			words = row.Name() + ": " + words
		}
		fmt.Fprintln(p.err, "ferrus: "+words)
	}
}

// printLines prints those lines of a journal that are new.
func (p *runPrinter) printLines(row queue.Row, all []store.Entry, done *printed) {
	for _, l := range all {
		if l.Seq <= done.seq {
			continue
		}
		done.seq = l.Seq
		if !slices.Contains(quietEvents, machine.Kind(l.Event)) {
			p.printLine(row, l)
		}
	}
}

// printPermission says how a request for permission is answered. The session waits for that.
func (p *runPrinter) printPermission(row queue.Row, number uint64) {
	command := fmt.Sprintf("ferrus permit %d once", number)
	if row.N > 0 {
		command = forTask(command, row.N)
	}
	fmt.Fprintf(p.out, "answer in another terminal: %s, or task (for this task), or never\n", command)
}

// lineJSON is a line of a journal with the task that it is about.
type lineJSON struct {
	N    int    `json:"n,omitempty"`    // of the item in the queue; missing: the project's own journal
	Task string `json:"task,omitempty"` // the directory of the task
	store.Entry
}

// printLine prints a line of a journal, with the number of the task in front if it has one.
func (p *runPrinter) printLine(row queue.Row, l store.Entry) {
	switch {
	case p.asJSON:
		p.printObject(lineJSON{N: row.N, Task: row.Dir, Entry: l})
	case row.N > 0:
		p.wrapped(func(out io.Writer) { fmt.Fprintf(out, "%-4s %s\n", row.Name(), journalLine(l)) })
	default:
		p.wrapped(func(out io.Writer) { fmt.Fprintln(out, journalLine(l)) })
	}
}

// printSummary prints how all tasks are.
func (p *runPrinter) printSummary(rows []queue.Row) error {
	if p.asJSON {
		return p.printObject(map[string]any{"summary": queueJSON(rows)})
	}
	fmt.Fprintln(p.out)
	for _, r := range rows {
		state := string(r.Task)
		if r.Final() || state == "" {
			state = string(r.State)
		}
		line := fmt.Sprintf("%-4s %-10s %s", r.Name(), state, r.Title)
		if r.Why != "" && r.Why != state {
			line += "  (" + r.Why + ")"
		}
		fmt.Fprintln(p.out, text.Sanitize(line))
	}
	return nil
}

// printObject prints a value as one line of JSON.
func (p *runPrinter) printObject(v any) error { return writeJSON(p.out, v, "") }

// say prints a line, unless a program reads the output, which gets objects only.
func (p *runPrinter) say(words string) {
	if !p.asJSON {
		p.wrapped(func(out io.Writer) { fmt.Fprintln(out, words) })
	}
}
