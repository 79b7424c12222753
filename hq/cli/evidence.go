package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/comments"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/merge"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

// evidence is everything that is recorded of one task. It has more than 12 fields because it is
// one JSON object.
type evidence struct {
	Task        string             `json:"task"`
	Title       string             `json:"title"`
	State       string             `json:"state"`
	Base        core.Base          `json:"base"`
	Checks      []string           `json:"checks"`
	Texts       map[string]string  `json:"texts"`
	Gates       []gate.Record      `json:"gates"`
	Submissions []submissionEntry  `json:"submissions"`
	Reviews     []reviewEntry      `json:"reviews"`
	Comments    comments.Set       `json:"comments,omitzero"`
	Used        taskUsage          `json:"used"`
	Hosts       []advice.AskedHost `json:"hosts,omitempty"`  // that programs in the sandbox asked for
	Merges      []string           `json:"merges,omitempty"` // the batches of the merge queue that it was in
	Actors      []actorEvents      `json:"who"`
	Journal     []store.Entry      `json:"journal"`

	byHand bool // the lease is a session's that no conductor started
}

// submissionEntry is one submission.
type submissionEntry struct {
	Seq    uint64       `json:"seq"`
	At     time.Time    `json:"at"`
	By     string       `json:"by"`
	Tree   string       `json:"tree"`
	Alarms []core.Alarm `json:"alarms,omitempty"`
	Why    string       `json:"summary,omitempty"`
}

// reviewEntry is one review, with the tree it is about.
type reviewEntry struct {
	Seq     uint64    `json:"seq"`
	At      time.Time `json:"at"`
	By      string    `json:"by"`
	Verdict string    `json:"verdict"`
	Tree    string    `json:"tree"`
	event   string
	Notes   string `json:"notes,omitempty"` // their first line, if an older version recorded them
}

// actorEvents is how many events an actor caused.
type actorEvents struct {
	By     string         `json:"by"`
	Events map[string]int `json:"events"`
	ByHand bool           `json:"by_hand,omitempty"` // you started a session of it, outside any sandbox
}

// collect reads the evidence of a task; without an id, of the open one.
func collect(pr *project.Task, id string) (*evidence, error) {
	state, err := pr.World()
	if err != nil {
		return nil, err
	}
	task := state.World.Task
	if id == "" && task == nil {
		return nil, failure("there is no open task",
			"ferrus tasks lists archived tasks; ferrus report <id> reports one")
	}
	e := &evidence{Task: id, Texts: map[string]string{}, Gates: []gate.Record{}, Submissions: []submissionEntry{},
		Reviews: []reviewEntry{}, Actors: []actorEvents{}}
	dir := "." // of the records
	if task != nil && (id == "" || id == task.ID) {
		e.Task = task.ID
		err = e.readTask(pr)
	} else {
		dir = path.Join("archive", e.Task)
		err = e.readArchived(pr, dir)
	}
	if err == nil {
		err = errors.Join(e.readTexts(pr), e.readGates(pr, path.Join(dir, "checks")))
	}
	if err != nil {
		return nil, err
	}
	if e.Used, err = readUsage(pr, e.Task); err != nil {
		return nil, err
	}
	e.Hosts, e.Merges = pr.HostsOf(e.Task), mergesOf(pr)
	e.readJournal()
	return e, e.addReviewNotes(pr, dir)
}

// mergesOf returns what the merge queue did with a task that has a directory of its own.
func mergesOf(pr *project.Task) []string {
	if !pr.HasDirectory() {
		return nil
	}
	q, i, err := merge.ItemOf(pr)
	if err != nil {
		return nil // It is no longer in the queue.
	}
	lines, err := merge.HistoryOf(q, i.N)
	if err != nil {
		return []string{err.Error()}
	}
	return lines
}

// reportTexts are the texts of a report, in order.
var reportTexts = []string{core.TaskText, core.SubmissionText, core.ReviewText, core.QuestionText, core.AnswerText,
	core.ConsultRequestText, core.ConsultResponseText}

func (e *evidence) readTexts(pr *project.Task) error {
	read, err := taskReader(pr, e.Task)
	for _, name := range reportTexts {
		if err == nil {
			e.Texts[name], err = read(name)
		}
	}
	if err != nil {
		return err
	}
	kept, err := read(core.CommentsText)
	if err == nil {
		e.Comments, err = comments.Decode(kept)
	}
	return err
}

// readTask reads the journal from the open task's first line on.
func (e *evidence) readTask(pr *project.Task) error {
	lines, err := pr.Store.Journal(0)
	from := slices.IndexFunc(lines, func(l store.Entry) bool { return changeOf(l).Task.ID == e.Task })
	if from >= 0 {
		e.Journal = lines[from:]
	}
	return err
}

// readArchived reads the journal of an archived task.
func (e *evidence) readArchived(pr *project.Task, dir string) error {
	data, err := pr.Store.ReadFile(path.Join(dir, "journal.jsonl"))
	if err != nil {
		return unknownTask(e.Task)
	}
	for text := range strings.Lines(string(data)) {
		var l store.Entry
		if json.Unmarshal([]byte(text), &l) == nil {
			e.Journal = append(e.Journal, l)
		}
	}
	return nil
}

// readGates reads the gate records of the task.
func (e *evidence) readGates(pr *project.Task, dir string) error {
	names, err := pr.Store.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := pr.Store.ReadFile(path.Join(dir, name))
		var r gate.Record
		if err == nil && json.Unmarshal(data, &r) == nil && r.Ticket > 0 && (r.Task == e.Task || r.Task == "") {
			e.Gates = append(e.Gates, r)
		}
	}
	slices.SortFunc(e.Gates, func(a, b gate.Record) int { return cmp.Compare(a.Ticket, b.Ticket) })
	return nil
}

// taskChange is the part of a journal line's data that is reported.
type taskChange struct {
	State string    `json:"state"`
	Task  core.Task `json:"task"`

	Submission core.Submission `json:"submission"`
}

func changeOf(l store.Entry) taskChange {
	var c taskChange
	_ = json.Unmarshal(l.Data, &c) // other data is not about a task
	return c
}

// reviewWords say how each review ended.
var reviewWords = map[machine.Kind]string{
	core.KindApprove: "approved", core.KindReject: "rejected",
	core.KindEndorse: "accepted by the reviewer, left to you", core.KindVoided: "voided: the tree changed",
}

// readJournal collects submissions, reviews and actors from the journal.
func (e *evidence) readJournal() {
	tree := ""
	for _, l := range e.Journal {
		c := changeOf(l)
		e.State = cmp.Or(l.To, e.State)
		e.countEvent(l)
		if l.Event == string(core.KindCreateTask) || l.Event == string(core.KindImport) {
			e.startTask(c.Task)
		}
		tree = cmp.Or(c.Submission.Tree, tree)
		switch machine.Kind(l.Event) {
		case core.KindSubmit:
			e.Submissions = append(e.Submissions,
				submissionEntry{Seq: l.Seq, At: l.At, By: l.By, Tree: tree, Alarms: c.Submission.Alarms, Why: l.Why})
		case core.KindApprove, core.KindReject, core.KindEndorse, core.KindVoided:
			verdict := reviewWords[machine.Kind(l.Event)]
			e.Reviews = append(e.Reviews,
				reviewEntry{Seq: l.Seq, At: l.At, By: l.By, Verdict: verdict, Tree: tree, Notes: l.Why, event: l.Event})
		}
	}
}

// addReviewNotes gives each review its full notes.
func (e *evidence) addReviewNotes(pr *project.Task, dir string) error {
	for i := range e.Reviews {
		r := &e.Reviews[i]
		kept, ok, err := pr.ReviewAt(dir, r.Seq, r.event)
		if err != nil {
			return err
		}
		if ok {
			r.Notes, r.Tree = cmp.Or(kept.Notes, r.Notes), kept.Tree
		}
	}
	return nil
}

func (e *evidence) startTask(t core.Task) {
	if t.ID != e.Task {
		return
	}
	e.Title, e.Base = t.Title, t.Base
	if t.Definition != nil {
		e.Checks = t.Definition.Lines()
	}
}

func (e *evidence) countEvent(l store.Entry) {
	i := slices.IndexFunc(e.Actors, func(a actorEvents) bool { return a.By == l.By })
	if i < 0 {
		i = len(e.Actors)
		e.Actors = append(e.Actors, actorEvents{By: l.By, Events: map[string]int{}})
	}
	e.Actors[i].Events[l.Event]++
	var changed struct {
		Claim struct{ Managed *bool }
	}
	if err := json.Unmarshal(l.Data, &changed); err != nil {
		return // It is shown as it is.
	}
	if managed := changed.Claim.Managed; managed != nil {
		e.byHand = !*managed
	}
	if l.Event == string(core.KindClaim) && e.byHand {
		e.Actors[i].ByHand = true
	}
}
