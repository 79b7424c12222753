package cli

import (
	"context"
	_ "embed"
	"fmt"
	"html"
	"strings"

	"ferrus/checks"
	"ferrus/hq/comments"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/ui/text"
)

//go:embed templates/report.css
var reportStyle string

// reportRoom is how much of a diff the page has.
var reportRoom = checks.PatchLimits{File: 256 << 10, All: 4 << 20, Files: 2000}

// htmlHead begins the page. It loads nothing and runs no script, whatever an agent wrote.
const htmlHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>%s</title>
<style>
%s</style>
</head>
<body>
`

// escaped returns a text for HTML, without control characters, on one line.
func escaped(s string) string { return html.EscapeString(text.Sanitize(s)) }

// escapedLines is the same for text of several lines.
func escapedLines(s string) string {
	return html.EscapeString(strings.TrimSpace(text.SanitizeLines(s)))
}

// html returns the evidence as a page of its own that needs no other file. patch is the
// work's difference from its base; missing says why there is none.
func (e *evidence) html(patch []checks.FilePatch, missing string) string {
	var b strings.Builder
	fmt.Fprintf(&b, htmlHead, escaped(e.Title), reportStyle)
	fmt.Fprintf(&b, "<h1>%s</h1>\n<p><span class=\"state %s\">%s</span> <span class=\"faint\">%s, from commit "+
		"<code>%s</code></span></p>\n", escaped(e.Title), stateClass(e.State), escaped(e.State), escaped(e.Task),
		escaped(shortHash(e.Base.Commit)))
	e.factsHTML(&b)
	e.timelineHTML(&b)
	e.roundsHTML(&b)
	e.commentsHTML(&b)
	e.gatesHTML(&b)
	if len(e.Merges) > 0 {
		fmt.Fprintf(&b, "<h2>Merge queue</h2>\n<pre>%s</pre>\n", escapedLines(strings.Join(e.Merges, "\n")))
	}
	e.sessionsHTML(&b)
	for _, name := range reportTexts {
		if e.Texts[name] != "" && !e.quotedInReviews(name) {
			fmt.Fprintf(&b, "<h2>%s</h2>\n<pre>%s</pre>\n", textTitles[name], escapedLines(e.Texts[name]))
		}
	}
	patchHTML(&b, patch, missing)
	e.journalHTML(&b)
	b.WriteString("</body>\n</html>\n")
	return b.String()
}

func stateClass(state string) string { return timelineKinds[kindOf(state)].class }

func verdictClass(v checks.Verdict) string {
	switch v {
	case checks.Pass:
		return "good"
	case checks.Flaky:
		return "you"
	}
	return "bad"
}

// factsHTML has the numbers that are asked for first. What no client reported is left out.
func (e *evidence) factsHTML(b *strings.Builder) {
	fact := func(name string, format string, args ...any) {
		fmt.Fprintf(b, "<li><b>%s</b><span>%s</span></li>\n", escaped(fmt.Sprintf(format, args...)), name)
	}
	b.WriteString("<ul class=\"facts\">\n")
	began, ended := e.period()
	fact("from first to last event", "%s", rounded(ended.Sub(began)))
	fact("sessions", "%d", len(e.Used.Sessions))
	if n := e.Used.Total.Tokens(); n > 0 {
		fact("tokens", "%s", core.FormatCount(n))
	}
	if e.Used.Total.Cost > 0 {
		fact("cost", "$%.2f", e.Used.Total.Cost)
	}
	passed := 0
	for _, g := range e.Gates {
		if g.Verdict.Passed() {
			passed++
		}
	}
	fact("gates passed", "%d of %d", passed, len(e.Gates))
	alarms := 0
	for _, s := range e.Submissions {
		alarms += len(s.Alarms)
	}
	fact("alarms and notes", "%d", alarms)
	b.WriteString("</ul>\n")
}

// roundsHTML has each submission with its alarms, followed by the reviews of it.
func (e *evidence) roundsHTML(b *strings.Builder) {
	b.WriteString("<h2>Rounds</h2>\n")
	if len(e.Submissions)+len(e.Reviews) == 0 {
		b.WriteString("<p>Nothing was submitted.</p>\n")
	}
	reviews := e.Reviews
	for i, s := range e.Submissions {
		fmt.Fprintf(b, "<div class=\"round\">\n<p><b>Round %d</b> <span class=\"faint\">%s, %s submitted tree "+
			"<code>%s</code></span></p>\n<p>%s</p>\n", i+1, timestamp(s.At), escaped(authorOf(s.By)),
			escaped(shortHash(s.Tree)), escaped(s.Why))
		for _, a := range s.Alarms {
			class, word := "faint", "Note"
			if a.NeedsHuman {
				class, word = "bad", "Alarm"
			}
			fmt.Fprintf(b, "<p class=%q><b>%s</b> %s</p>\n", class, word, escaped(a.String()))
		}
		for len(reviews) > 0 && (i+1 == len(e.Submissions) || reviews[0].Seq < e.Submissions[i+1].Seq) {
			r := reviews[0]
			reviews = reviews[1:]
			fmt.Fprintf(b, "<p><b>%s</b> <span class=\"faint\">%s, %s, tree <code>%s</code></span></p>\n",
				escaped(capitalized(r.Verdict)), timestamp(r.At), escaped(authorOf(r.By)), escaped(shortHash(r.Tree)))
			if r.Notes != "" {
				fmt.Fprintf(b, "<pre>%s</pre>\n", escapedLines(r.Notes))
			}
		}
		b.WriteString("</div>\n")
	}
}

// commentsHTML has the comments on the change by round, with the answers.
func (e *evidence) commentsHTML(b *strings.Builder) {
	if len(e.Comments.Comments) == 0 {
		return
	}
	b.WriteString("<h2>Comments on the change</h2>\n")
	classes := map[comments.State]string{comments.Done: "good", comments.Declined: "bad", comments.Open: "you"}
	for _, r := range e.Comments.Rounds {
		fmt.Fprintf(b, "<div class=\"round\">\n<p><b>Round %d</b> <span class=\"faint\">%s, sent as a %s</span>"+
			"</p>\n", r.Number, timestamp(r.At), escaped(string(r.How)))
		for _, c := range e.Comments.Of(r.Number) {
			fmt.Fprintf(b, "<p><b>%s</b> <code>%s</code> <span class=%q>%s</span></p>\n", escaped(c.ID),
				escaped(c.Where()), classes[c.State], escaped(string(c.State)))
			if len(c.Quote) > 0 {
				fmt.Fprintf(b, "<pre class=\"diff\"><span class=%q>%s</span></pre>\n",
					map[bool]string{true: "removed", false: "added"}[c.Side == comments.Old],
					escapedLines(strings.Join(c.Quote, "\n")))
			}
			words := c.Text
			if c.From != "" {
				words = c.From + ": " + words
			}
			fmt.Fprintf(b, "<pre>%s</pre>\n", escapedLines(words))
			if c.Answer != "" {
				fmt.Fprintf(b, "<p class=\"faint\">%s:</p>\n<pre>%s</pre>\n", escaped(c.By), escapedLines(c.Answer))
			}
		}
		b.WriteString("</div>\n")
	}
}

func capitalized(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// column is a column of a table.
type column struct {
	name   string
	number bool
}

// tableHTML writes a table whose cells are HTML.
func tableHTML(b *strings.Builder, columns []column, rows [][]string) {
	class := func(i int) string {
		if columns[i].number {
			return ` class="number"`
		}
		return ""
	}
	b.WriteString("<div class=\"scroll\"><table>\n<tr>")
	for i, c := range columns {
		fmt.Fprintf(b, "<th%s>%s</th>", class(i), c.name)
	}
	b.WriteString("</tr>\n")
	for _, row := range rows {
		b.WriteString("<tr>")
		for i, cell := range row {
			fmt.Fprintf(b, "<td%s>%s</td>", class(i), cell)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table></div>\n")
}

func (e *evidence) gatesHTML(b *strings.Builder) {
	b.WriteString("<h2>Checks</h2>\n")
	if len(e.Gates) == 0 {
		b.WriteString("<p>No gate has run.</p>\n")
		return
	}
	var rows [][]string
	for _, r := range e.Gates {
		verdict := fmt.Sprintf("<span class=%q>%s</span>", verdictClass(r.Verdict), escaped(r.Why))
		tree := "<code>" + escaped(shortHash(r.Tree.Hash)) + "</code>"
		rows = append(rows, []string{fmt.Sprint(r.Attempt), verdict, tree, escaped(gateTests(r)),
			rounded(r.Ended.Sub(r.Started))})
	}
	tableHTML(b, []column{{"Gate", false}, {"Verdict", false}, {"Tree", false}, {"Tests", false}, {"Took", true}}, rows)
	last := e.Gates[len(e.Gates)-1]
	b.WriteString("<p class=\"faint\">The last gate, by command:</p>\n<ul>\n")
	for _, c := range last.Commands {
		fmt.Fprintf(b, "<li>%s <code>%s</code>%s</li>\n", resultWord(c), escaped(c.Title()), escaped(testCount(c)))
	}
	b.WriteString("</ul>\n")
}

func (e *evidence) sessionsHTML(b *strings.Builder) {
	b.WriteString("<h2>Sessions</h2>\n")
	if len(e.Used.Sessions) == 0 {
		b.WriteString("<p>No session has ended yet.</p>\n")
		return
	}
	columns := []column{{"Session", false}, {"Agent", false}, {"Mode", false}, {"Started", false}, {"Took", true},
		{"End", false}}
	metered := e.Used.Total.Tokens() > 0 || e.Used.Total.Cost > 0
	if metered {
		columns = append(columns, column{"Tokens in", true}, column{"Cached", true}, column{"Out", true},
			column{"Cost", true})
	}
	var rows [][]string
	for _, s := range e.Used.Sessions {
		row := []string{escaped(fmt.Sprintf("%s %d", s.Slot, s.Number)),
			escaped(strings.TrimSpace(s.Agent + " " + s.Model)), escaped(string(s.Mode)), timestamp(s.Started),
			rounded(s.Ended.Sub(s.Started)), escaped(s.Exit)}
		if metered {
			in, cached, out, cost := usageCells(s.Usage)
			row = append(row, in, cached, out, cost)
		}
		rows = append(rows, row)
	}
	tableHTML(b, columns, rows)
}

// lineClasses colour the lines of a patch by their first character.
var lineClasses = map[byte]string{'+': "added", '-': "removed", '@': "hunk"}

func patchHTML(b *strings.Builder, patch []checks.FilePatch, missing string) {
	b.WriteString("<h2>Diff</h2>\n")
	if missing != "" {
		fmt.Fprintf(b, "<p class=\"faint\">%s</p>\n", escaped(missing))
	}
	for _, f := range patch {
		fmt.Fprintf(b, "<details open><summary><code>%s</code> <span class=\"good\">+%d</span> "+
			"<span class=\"bad\">−%d</span></summary>\n<pre class=\"diff\">", f.Title(escaped), f.Added, f.Removed)
		for line := range strings.Lines(f.Patch) {
			line = strings.TrimSuffix(line, "\n")
			class := ""
			if line != "" {
				class = lineClasses[line[0]]
			}
			fmt.Fprintf(b, "<span class=%q>%s</span>\n", class, html.EscapeString(text.Output(line)))
		}
		if f.Cut {
			b.WriteString("<span class=\"hunk\">The rest is too long for this page.</span>\n")
		}
		b.WriteString("</pre></details>\n")
	}
}

func (e *evidence) journalHTML(b *strings.Builder) {
	fmt.Fprintf(b, "<h2>Journal</h2>\n<details><summary>%d events</summary>\n", len(e.Journal))
	var rows [][]string
	for _, l := range e.Journal {
		rows = append(rows, []string{fmt.Sprint(l.Seq), timestamp(l.At), escaped(l.Event), escaped(l.To),
			escaped(authorOf(l.By)), escaped(l.Why)})
	}
	tableHTML(b, []column{{"Seq", true}, {"At", false}, {"Event", false}, {"State", false}, {"By", false},
		{"Why", false}}, rows)
	b.WriteString("</details>\n")
}

// patch returns the difference of the last submission from the base, or why there is none.
func (e *evidence) patch(ctx context.Context, pr *project.Task) (files []checks.FilePatch, missing string) {
	if len(e.Submissions) == 0 {
		return nil, "Nothing was submitted, so there is nothing to compare."
	}
	tree := e.Submissions[len(e.Submissions)-1].Tree
	files, err := pr.Repo().PatchLimited(ctx, e.Base.Tree, tree, reportRoom)
	if err != nil {
		return nil, "The trees of this task are no longer in the repository: " + err.Error()
	}
	return files, ""
}
