package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ferrus/agent"
	"ferrus/hq/core"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// maxSuggestedTasks limits how many tasks are suggested.
const maxSuggestedTasks = 100

// hqCompletions returns what HQ's commands are completed with. What cannot be read is
// left out; the command that needs it reports why.
func hqCompletions(pr *project.Task) view.Completions {
	f := view.Completions{Agents: knownAgents(pr), Models: usedModels(pr)}
	if runs, err := pair.List(pr); err == nil {
		for _, m := range runs {
			f.Runs = append(f.Runs, pairRun(m))
		}
	}
	if tasks, err := newestTasks(pr, maxSuggestedTasks); err == nil {
		for _, t := range tasks {
			f.Tasks = append(f.Tasks,
				view.Suggestion{Word: text.Sanitize(t.ID), Help: text.Sanitize(t.describe() + "  " + t.Title)})
		}
	}
	return f
}

func pairRun(m pair.Manifest) view.PairRun {
	words := fmt.Sprintf("%s %d/%d  %s", m.State, m.Iteration, m.MaxIterations, core.TaskTitle(m.Task))
	return view.PairRun{ID: text.Sanitize(m.ID), Status: text.Sanitize(words), Over: m.IsComplete()}
}

// knownAgents returns the names of the built-in agents and those of ferrus.toml.
func knownAgents(pr *project.Task) []string {
	c, _ := pr.Config() // the conductor reports a broken file
	all := append(agent.Names(), slices.Collect(maps.Keys(c.Agent))...)
	slices.Sort(all)
	return slices.Compact(all)
}

// usedModels returns the models that each agent ran on in this project, newest first.
func usedModels(pr *project.Task) map[string][]string {
	ended, err := pr.Ended("")
	if err != nil {
		return nil
	}
	all := map[string][]string{}
	for _, e := range slices.Backward(ended) {
		if model := text.Sanitize(e.Model); model != "" && !slices.Contains(all[e.Agent], model) {
			all[e.Agent] = append(all[e.Agent], model)
		}
	}
	return all
}

// taskMarkdown returns the texts of an open or archived task as Markdown.
func taskMarkdown(pr *project.Task, id string) (string, error) {
	read, err := taskReader(pr, id)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range taskTexts {
		text, err := read(name)
		if err != nil {
			return "", err
		}
		if text != "" && name != core.PermissionsText { // it could draw itself as something else
			fmt.Fprintf(&b, "**%s**\n\n%s\n\n---\n\n", name, strings.TrimSpace(text))
		}
	}
	return strings.TrimSuffix(b.String(), "---\n\n"), nil
}
