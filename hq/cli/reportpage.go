package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/machine"
	"ferrus/ui/text"
)

// markdown returns the evidence as one page. What agents wrote is quoted.
func (e *evidence) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", oneLine(e.Title))
	fmt.Fprintf(&b, "- task: `%s`, %s\n- base: tree `%s`, commit `%s`\n", oneLine(e.Task), oneLine(e.State),
		shortHash(e.Base.Tree), shortHash(e.Base.Commit))
	for _, c := range e.Checks {
		fmt.Fprintf(&b, "- check: `%s`\n", oneLine(c))
	}
	e.writeActors(&b)
	e.Used.tables(&b)
	e.writeGates(&b)
	e.writeMerges(&b)
	e.writeHosts(&b)
	e.writeReviews(&b)
	if len(e.Comments.Comments) > 0 {
		fmt.Fprintf(&b, "\n## Comments on the change\n\n%s\n", quote(text.SanitizeLines(e.Comments.Markdown())))
	}
	for _, name := range reportTexts {
		if text := strings.TrimSpace(text.SanitizeLines(e.Texts[name])); text != "" && !e.quotedInReviews(name) {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n", textTitles[name], quote(text))
		}
	}
	b.WriteString("\n## Journal\n\n| Seq | At | Event | State | By | Why |\n|---|---|---|---|---|---|\n")
	for _, l := range e.Journal {
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s |\n", l.Seq, timestamp(l.At), cell(oneLine(l.Event)),
			cell(oneLine(l.To)), cell(oneLine(authorOf(l.By))), cell(oneLine(l.Why)))
	}
	return b.String()
}

// quotedInReviews reports whether a review above has the whole text.
func (e *evidence) quotedInReviews(name string) bool {
	return name == core.ReviewText && slices.ContainsFunc(e.Reviews, func(r reviewEntry) bool {
		return r.Notes == e.Texts[name]
	})
}

// textTitles are the headings of the texts.
var textTitles = map[string]string{
	core.TaskText: "Task", core.SubmissionText: "Submission", core.ReviewText: "Review notes",
	core.QuestionText: "Question", core.AnswerText: "Answer",
	core.ConsultRequestText: "Consultation", core.ConsultResponseText: "Response",
}

// authorOf returns an actor's id for the readers of a report, to whom you are the human.
func authorOf(id string) string {
	if id == core.HumanID {
		return string(machine.Human)
	}
	return id
}

func (e *evidence) writeActors(b *strings.Builder) {
	b.WriteString("\n## Who did what\n\n")
	for _, a := range e.Actors {
		var words []string
		for _, event := range slices.Sorted(maps.Keys(a.Events)) {
			words = append(words, fmt.Sprintf("%s %d", oneLine(event), a.Events[event]))
		}
		note := ""
		if a.ByHand {
			note = " (" + startedByHand + ")"
		}
		fmt.Fprintf(b, "- %s: %s%s\n", oneLine(authorOf(a.By)), strings.Join(words, ", "), note)
	}
}

func (e *evidence) writeGates(b *strings.Builder) {
	b.WriteString("\n## Checks\n\n")
	if len(e.Gates) == 0 {
		b.WriteString("No gate has run.\n")
		return
	}
	b.WriteString("| Check | Verdict | Tree | Tests | Took | Log |\n|---|---|---|---|---|---|\n")
	for _, r := range e.Gates {
		fmt.Fprintf(b, "| %d | %s | `%s` | %s | %v | `%s` |\n", r.Attempt, cell(oneLine(r.Why)),
			shortHash(r.Tree.Hash), gateTests(r), r.Ended.Sub(r.Started).Round(10*time.Millisecond), oneLine(r.Log))
	}
	last := e.Gates[len(e.Gates)-1]
	if last.Sandbox.Kind != "" {
		fmt.Fprintf(b, "\nThe last gate ran in: %s\n", oneLine(last.Sandbox.Describe()))
	}
	fmt.Fprintf(b, "\nThe last gate, by command:\n\n")
	for _, c := range last.Commands {
		fmt.Fprintf(b, "- %s `%s`%s\n", resultWord(c), oneLine(c.Title()), testCount(c))
	}
}

func (e *evidence) writeMerges(b *strings.Builder) {
	if len(e.Merges) > 0 {
		fmt.Fprintf(b, "\n## Merge queue\n\n```\n%s\n```\n", text.SanitizeLines(strings.Join(e.Merges, "\n")))
	}
}

func (e *evidence) writeHosts(b *strings.Builder) {
	if len(e.Hosts) == 0 {
		return
	}
	b.WriteString("\n## Hosts that the sandbox was asked for\n\n")
	for _, a := range e.Hosts {
		fmt.Fprintf(b, "- %s: %s\n", oneLine(a.Host), a.Answer.Words())
	}
}

func gateTests(r gate.Record) string {
	if t := r.Tests(); t != nil {
		return t.String()
	}
	return ""
}

func (e *evidence) writeReviews(b *strings.Builder) {
	b.WriteString("\n## Submissions and reviews\n\n")
	if len(e.Submissions)+len(e.Reviews) == 0 {
		b.WriteString("Nothing was submitted.\n")
	}
	for _, h := range e.Submissions {
		fmt.Fprintf(b, "- %s: %s submitted tree `%s`: %s\n", timestamp(h.At), oneLine(authorOf(h.By)),
			shortHash(h.Tree), oneLine(h.Why))
		for _, a := range h.Alarms {
			fmt.Fprintf(b, "  - %s %s\n", map[bool]string{true: "ALARM", false: "note:"}[a.NeedsHuman],
				oneLine(a.String()))
		}
	}
	for _, r := range e.Reviews {
		notes := strings.TrimSpace(text.SanitizeLines(r.Notes))
		fmt.Fprintf(b, "- %s: %s by %s on tree `%s`", timestamp(r.At), oneLine(r.Verdict), oneLine(authorOf(r.By)),
			shortHash(r.Tree))
		if first, _, more := strings.Cut(notes, "\n"); !more {
			fmt.Fprintf(b, ": %s\n", oneLine(first))
		} else {
			fmt.Fprintf(b, ":\n\n%s\n\n", indent(quote(notes)))
		}
	}
}
