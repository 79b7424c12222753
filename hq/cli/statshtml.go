package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ferrus/hq/stats"
	"ferrus/ui/text"
)

// statsHTML returns what tasks took as a page that needs no other file.
func statsHTML(project string, r stats.Report, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, htmlHead, escaped(project)+": what tasks took", reportStyle)
	fmt.Fprintf(&b, "<h1>%s</h1>\n<p class=\"faint\">%s</p>\n", escaped(project), escaped(statsPeriod(r, now)))
	if r.Tasks == 0 && r.Used.Sessions == 0 {
		b.WriteString("<p>No task since then.</p>\n</body>\n</html>\n")
		return b.String()
	}
	statsFacts(&b, r)
	statsWeeks(&b, r.Weeks)
	statsTimes(&b, r.Sums)
	statsAgents(&b, r.Rows)
	statsFlaky(&b, r.Sums)
	if r.Used.Silent+r.Used.Unpriced > 0 {
		b.WriteString("<p class=\"faint\">+ some sessions did not report it.</p>\n")
	}
	b.WriteString("</body>\n</html>\n")
	return b.String()
}

func statsPeriod(r stats.Report, now time.Time) string {
	words := "until " + now.Format(time.DateOnly)
	if !r.Since.IsZero() {
		words = "from " + r.Since.Format(time.DateOnly) + " " + words
	}
	return words
}

// statsFacts has the numbers that are asked for first.
func statsFacts(b *strings.Builder, r stats.Report) {
	fact := func(name, number string) {
		fmt.Fprintf(b, "<li><b>%s</b><span>%s</span></li>\n", escaped(number), name)
	}
	b.WriteString("<ul class=\"facts\">\n")
	fact("tasks", fmt.Sprint(r.Tasks))
	fact("complete", fmt.Sprint(r.Complete))
	fact("landed", fmt.Sprint(r.Landed))
	fact("failed", fmt.Sprint(r.Failed))
	fact("first gate passed", percent(r.FirstGreen, r.Checked))
	fact("gates per task", ratio(r.Gates, r.Checked))
	fact("rejections", fmt.Sprint(r.Rejections))
	fact("questions to you", fmt.Sprint(r.Asked))
	fact("tokens", tokens(r.Used))
	if r.CostPerLanded != nil {
		fact("cost per landed task", cost(*r.CostPerLanded, r.Used))
	}
	if r.Flaky > 0 {
		fact("gates that passed on a tree where they had failed", fmt.Sprint(r.Flaky))
	}
	b.WriteString("</ul>\n")
}

// statsWeeks has a bar for each of the last weeks.
func statsWeeks(b *strings.Builder, weeks []int) {
	fmt.Fprintf(b, "<h2>Tasks by week, the last %d</h2>\n<div class=\"weeks\">\n", len(weeks))
	most := max(1, slices.Max(weeks))
	for _, n := range weeks {
		fmt.Fprintf(b, "<span title=\"%s\"><i class=\"work\" style=\"height:calc((100%% - 1.4rem) * %.2f)\"></i>"+
			"<b>%d</b></span>\n",
			text.Count(n, "task"), float64(n)/float64(most), n)
	}
	b.WriteString("</div>\n")
}

// statsTimes has a bar for each kind of work, as long as its share of the longest.
func statsTimes(b *strings.Builder, s stats.Sums) {
	took, longest := timesOf(s)
	if longest == 0 {
		return
	}
	classes := []string{"work", "rest", "check", "review", "you"} // of statsStates
	b.WriteString("<h2>Where the time went</h2>\n")
	for i, kind := range statsStates {
		if took[i] == 0 {
			continue
		}
		fmt.Fprintf(b, "<div class=\"lane\"><span>%s</span><div class=\"track\">"+
			"<i class=%q style=\"left:0;width:%.1f%%\"></i></div><span>%s</span></div>\n",
			kind.words, classes[i], 100*took[i]/longest, spent(took[i]))
	}
}

// statsAgents has a row for each agent and role.
func statsAgents(b *strings.Builder, all []stats.Row) {
	b.WriteString("<h2>Agents</h2>\n")
	var rows [][]string
	for _, r := range all {
		rows = append(rows, []string{escaped(r.String()), escaped(string(r.Role)), fmt.Sprint(r.Tasks),
			percent(r.FirstGreen, r.Checked), ratio(r.Gates, r.Checked), fmt.Sprint(r.Rejections), tokens(r.Used),
			cost(r.Used.Cost, r.Used), costPerLanded(r)})
	}
	tableHTML(b, []column{{"Agent", false}, {"Role", false}, {"Tasks", true}, {"First green", true},
		{"Gates/task", true}, {"Rejections", true}, {"Tokens", true}, {"Cost", true},
		{"Cost per landed task", true}}, rows)
	rows = nil
	for _, r := range all {
		row := []string{escaped(r.String()), escaped(string(r.Role))}
		took, _ := timesOf(r.Sums)
		for _, t := range took {
			row = append(row, spent(t))
		}
		rows = append(rows, append(row, fmt.Sprint(r.Asked), fmt.Sprint(r.Flaky)))
	}
	columns := []column{{"Agent", false}, {"Role", false}}
	for _, kind := range statsStates {
		columns = append(columns, column{strings.ToUpper(kind.words[:1]) + kind.words[1:], true})
	}
	b.WriteString("<h2>Time of each agent</h2>\n")
	tableHTML(b, append(columns, column{"Questions to you", true}, column{"Flaky gates", true}), rows)
}

// statsFlaky names the tests that passed on a tree on which they had failed.
func statsFlaky(b *strings.Builder, s stats.Sums) {
	names := s.FlakyNames()
	if len(names) == 0 {
		return
	}
	b.WriteString("<h2>Flaky tests</h2>\n")
	var rows [][]string
	for _, name := range names {
		rows = append(rows, []string{escaped(name), fmt.Sprint(s.FlakyTests[name])})
	}
	tableHTML(b, []column{{"Test", false}, {"Tasks", true}}, rows)
}
