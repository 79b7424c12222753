package projection

import (
	"cmp"
	"strings"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/project"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// documents returns the texts that the task has now.
func documents(v conductor.View) (all []view.Document) {
	for _, d := range []view.Document{
		{Name: "task", Text: v.Texts.Task}, {Name: "submission", Text: v.Texts.Submission},
		{Name: "review", Text: v.Texts.Review}, {Name: "consultation", Text: v.Texts.Consult},
		{Name: "question", Text: v.Texts.Question},
	} {
		if strings.TrimSpace(d.Text) != "" {
			d.Text = text.SanitizeLines(d.Text)
			all = append(all, d)
		}
	}
	return all
}

// Diff returns what the task had changed at now.
func Diff(c project.CommentedDiff, now time.Time) view.Diff {
	base := cmp.Or(c.Base.Commit, c.Base.Tree)
	out := view.Diff{Base: text.Sanitize(base[:min(len(base), 7)]), At: now.Format(time.TimeOnly)}
	for _, f := range c.Files {
		out.Files = append(out.Files, view.FilePatch{
			Path: text.Sanitize(f.Path), Was: text.Sanitize(f.Was), Added: f.Added, Removed: f.Removed,
			Patch: f.Patch, Cut: f.Cut, Binary: f.Binary, Mode: f.Mode,
		})
	}
	out.Comments, out.Rounds, out.Since = placed(c), len(c.Set.Rounds), c.Round
	return out
}
