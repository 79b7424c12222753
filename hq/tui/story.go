package tui

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/checks"
	"ferrus/hq/conductor"
	"ferrus/store"
	"ferrus/ui"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// story reads and words all that belongs to an entry of the journal, or to a
// refusal.
func (d *deck) story(at view.EntryID) tea.Msg {
	zone := d.options.Now().Location()
	if at.Refused != 0 {
		for _, r := range d.engine.View().Refused {
			if r.Number == at.Refused {
				return ui.PageMsg{Title: "refusal", Text: tellRefused(r, zone)}
			}
		}
		return ui.DoneMsg{Text: "this refusal is too long ago: only the newest are kept", Error: true}
	}
	s, err := d.engine.ReadEntry(at.Seq)
	if err != nil {
		return ui.DoneMsg{Text: err.Error(), Error: true}
	}
	return ui.PageMsg{Title: fmt.Sprintf("entry %d", at.Seq), Text: tell(s, zone)}
}

// tell is a story as a page of Markdown: what happened, then the texts of it.
func tell(s conductor.EntryDetail, zone *time.Location) string {
	var b strings.Builder
	l := s.Line
	entry := activity([]store.Entry{l}, zone)[0]
	fmt.Fprintf(&b, "# %s\n\n", entry.Event)
	fact := func(name, words string) {
		if words != "" {
			fmt.Fprintf(&b, "**%s**%*s%s  \n", name, 9-len(name), "", text.Sanitize(words))
		}
	}
	fact("when", l.At.In(zone).Format("Monday, 2 January 2006, 15:04:05"))
	fact("by", cmp.Or(l.By, "ferrus"))
	if l.From != l.To {
		fact("state", l.From+" -> "+l.To)
	} else {
		fact("state", l.To+", which it stays")
	}
	fact("session", l.Session)
	fact("call", l.Call)
	if len(s.Texts) == 0 && s.Judged == "" || s.Gate != nil {
		fact("why", l.Why)
	}
	tellGate(&b, s)
	if s.Judged != "" {
		fmt.Fprintf(&b, "\n---\n\n%s\n", s.Judged)
	}
	for _, content := range s.Texts {
		switch {
		case content.Gone:
			fmt.Fprintf(&b, "\n---\n\n**%s** is not kept: a newer one took its place.", content.Name)
			if l.Why != "" {
				fmt.Fprintf(&b, " It began: %s", text.Sanitize(l.Why))
			}
			b.WriteByte('\n')
		case strings.TrimSpace(content.Text) != strings.TrimSpace(s.Judged):
			fmt.Fprintf(&b, "\n---\n\n%s\n", content.Text)
		}
	}
	return b.String()
}

// tellGate is what a gate found: its commands, those that failed first, and what
// the executor was told of them.
func tellGate(b *strings.Builder, s conductor.EntryDetail) {
	if s.Gate == nil {
		return
	}
	c := check(*s.Gate, time.Time{})
	fmt.Fprintf(b, "\n## %s  %s  %s\n\n| | command | took | |\n|---|---|---|---|\n", c.Title, c.State, c.Took)
	for _, r := range c.Rows {
		fmt.Fprintf(b, "| %s | `%s` | %s | %s |\n", r.Mark, cellOf(r.Command), r.Took, cellOf(r.Detail))
	}
	if c.Log != "" {
		fmt.Fprintf(b, "\n**log** %s\n", c.Log)
	}
	if s.Report != "" && s.Gate.Verdict != checks.Pass {
		fmt.Fprintf(b, "\n---\n\n%s\n", s.Report)
	}
}

// cellOf is a text as a cell of a table.
func cellOf(text string) string {
	return strings.NewReplacer("|", `\|`, "`", "'").Replace(text)
}

// sheets are the texts of the task that there are.
func sheets(v conductor.View) (all []view.Document) {
	for _, s := range []view.Document{
		{Name: "task", Text: v.Texts.Task}, {Name: "submission", Text: v.Texts.Submission}, {Name: "review", Text: v.Texts.Review},
		{Name: "consultation", Text: v.Texts.Consult}, {Name: "question", Text: v.Texts.Question},
	} {
		if strings.TrimSpace(s.Text) != "" {
			s.Text = text.SanitizeLines(s.Text)
			all = append(all, s)
		}
	}
	return all
}

// maxSpec bounds what is read of a specification for the screen.
const maxSpec = 1 << 20

// spec reads a specification by its name; without one, the newest.
func (d *deck) spec(name string) tea.Msg {
	v := d.engine.View()
	if name == "" {
		name = v.Spec
	}
	all, err := d.engine.Specs()
	if err != nil {
		return ui.DoneMsg{Text: err.Error(), Error: true}
	}
	one, err := specOf(all, name)
	if err != nil {
		return ui.DoneMsg{Text: err.Error(), Error: true}
	}
	f, err := os.Open(filepath.Join(v.Project, one.Path))
	if err != nil {
		return ui.DoneMsg{Text: fmt.Sprintf("read the specification: %v", err), Error: true}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSpec))
	if err != nil {
		return ui.DoneMsg{Text: fmt.Sprintf("read the specification: %v", err), Error: true}
	}
	return ui.PageMsg{Title: one.Path, Text: string(data)}
}

// change reads what the task changed.
func (d *deck) change() tea.Msg {
	c, err := d.engine.Diff(d.ctx)
	if err != nil {
		return ui.DiffMsg{Error: err.Error()}
	}
	return ui.DiffMsg{Change: changed(c, d.options.Now())}
}

func changed(c conductor.Diff, now time.Time) view.Diff {
	base := c.Base.Commit
	if base == "" {
		base = c.Base.Tree
	}
	out := view.Diff{Base: text.Sanitize(base[:min(len(base), 7)]), At: now.Format(time.TimeOnly)}
	for _, f := range c.Files {
		out.Files = append(out.Files, view.FilePatch{Path: text.Sanitize(f.Path), Added: f.Added, Removed: f.Removed, Patch: f.Patch, Cut: f.Cut})
	}
	return out
}
