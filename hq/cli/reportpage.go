package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/ui/text"
)

// markdown is the evidence as one page. Whatever agents wrote is quoted.
func (e *evidence) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", plain(e.Title))
	fmt.Fprintf(&b, "- task: `%s`, %s\n- began with: tree `%s`, commit `%s`\n", plain(e.Task), plain(e.State), short(e.Base.Tree), short(e.Base.Commit))
	for _, c := range e.Checks {
		fmt.Fprintf(&b, "- check: `%s`\n", plain(c))
	}
	e.who(&b)
	e.Used.tables(&b)
	e.proofs(&b)
	e.judgements(&b)
	for _, name := range reported {
		if text := strings.TrimSpace(text.SanitizeLines(e.Texts[name])); text != "" && !e.said(name) {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n", titles[name], quote(text))
		}
	}
	b.WriteString("\n## Journal\n\n| Seq | At | Event | State | By | Why |\n|---|---|---|---|---|---|\n")
	for _, l := range e.Journal {
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s |\n", l.Seq, at(l.At), cell(plain(l.Event)), cell(plain(l.To)), cell(plain(l.By)), cell(plain(l.Why)))
	}
	return b.String()
}

// said reports a text that a review above has whole.
func (e *evidence) said(name string) bool {
	return name == core.ReviewText && slices.ContainsFunc(e.Reviews, func(r review) bool { return r.Notes == e.Texts[name] })
}

// titles are the texts as a reader knows them.
var titles = map[string]string{
	core.TaskText: "Task", core.SubmissionText: "Submission", core.ReviewText: "Review notes", core.QuestionText: "Question", core.AnswerText: "Answer",
	core.ConsultRequestText: "Consultation", core.ConsultResponseText: "Response",
}

func (e *evidence) who(b *strings.Builder) {
	b.WriteString("\n## Who did what\n\n")
	for _, a := range e.Actors {
		var words []string
		for _, event := range slices.Sorted(maps.Keys(a.Events)) {
			words = append(words, fmt.Sprintf("%s %d", event, a.Events[event]))
		}
		fmt.Fprintf(b, "- %s: %s\n", plain(a.By), strings.Join(words, ", "))
	}
}

func (e *evidence) proofs(b *strings.Builder) {
	b.WriteString("\n## Checks\n\n")
	if len(e.Gates) == 0 {
		b.WriteString("No gate has run.\n")
		return
	}
	b.WriteString("| Check | Verdict | Tree | Tests | Took | Log |\n|---|---|---|---|---|---|\n")
	for _, r := range e.Gates {
		fmt.Fprintf(b, "| %d | %s | `%s` | %s | %v | `%s` |\n", r.Attempt, cell(plain(r.Why)), short(r.After.Hash), tests(r), r.Ended.Sub(r.Started).Round(10*time.Millisecond), plain(r.Log))
	}
	last := e.Gates[len(e.Gates)-1]
	fmt.Fprintf(b, "\nThe last one, by command:\n\n")
	for _, c := range last.Commands {
		fmt.Fprintf(b, "- %s `%s`%s\n", outcome(c), plain(c.Title()), counted(c))
	}
}

func tests(r gate.Record) string {
	if t := r.Tests(); t != nil {
		return t.String()
	}
	return ""
}

func (e *evidence) judgements(b *strings.Builder) {
	b.WriteString("\n## Submissions and reviews\n\n")
	if len(e.Handovers)+len(e.Reviews) == 0 {
		b.WriteString("Nothing was handed in.\n")
	}
	for _, h := range e.Handovers {
		fmt.Fprintf(b, "- %s: %s handed in tree `%s`: %s\n", at(h.At), plain(h.By), short(h.Tree), plain(h.Why))
		for _, a := range h.Alarms {
			fmt.Fprintf(b, "  - %s %s\n", map[bool]string{true: "ALARM", false: "to see:"}[a.NeedsHuman], plain(a.String()))
		}
	}
	for _, r := range e.Reviews {
		notes := strings.TrimSpace(text.SanitizeLines(r.Notes))
		fmt.Fprintf(b, "- %s: %s by %s on tree `%s`", at(r.At), r.Verdict, plain(r.By), short(r.Tree))
		if first, _, more := strings.Cut(notes, "\n"); !more {
			fmt.Fprintf(b, ": %s\n", plain(first))
		} else {
			fmt.Fprintf(b, ":\n\n%s\n\n", indent(quote(notes)))
		}
	}
}

func at(t time.Time) string { return t.Local().Format(time.DateTime) }

func plain(s string) string { return strings.ReplaceAll(text.Sanitize(s), "`", "'") }

// short is enough of a hash to tell it from others.
func short(hash string) string {
	if hash == "" {
		return "none"
	}
	return plain(hash[:min(len(hash), 12)])
}

func quote(text string) string {
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}
