package ui

import (
	"ferrus/ui/view"
	"slices"
	"strings"
)

// option is a word with two dashes that a command takes before its text.
type option struct {
	name, words string
	// takes suggests the word after it; nil: there is none.
	takes func(*view.View) []view.Suggestion
	loose bool // that word may be left out
}

// anything is a word that nobody can guess.
func anything(*view.View) []view.Suggestion { return nil }

// The words that commands take.
var (
	taskOptions = []option{
		{name: "--manual", words: "without the selected milestone"},
		{name: "--again", words: "from the selected milestone though it is done"},
		{name: "--now", words: "created as it is written, without a supervisor"},
		{name: "--with-changes", words: "what is not committed comes along into its work tree"},
	}
	landOptions = []option{
		{name: "--keep", words: "what does not fit onto the branch is undone, not sent back"},
		{name: "--with-changes", words: "what was not committed before the task lands as well"},
	}
	registerOptions = []option{
		{name: "--supervisor", words: "who plans and reviews", takes: registered},
		{name: "--executor", words: "who implements", takes: registered},
		{name: "--supervisor-model", words: "what the supervisor runs on", takes: modelsOfRole("supervisor")},
		{name: "--executor-model", words: "what the executor runs on", takes: modelsOfRole("executor")},
		{name: "--remove", words: "undo it: for the roles given, or all of it"},
	}
	pairOptions = []option{
		{name: "--mode", words: "review, consensus or single", takes: modes},
		{name: "--primary", words: "the agent that works", takes: players},
		{name: "--secondary", words: "the agent that reviews", takes: players},
		{name: "--done", words: "the word that says the primary is done", takes: anything},
		{name: "--max-iterations", words: "turns of the primary before it is given up", takes: anything},
		{name: "--resume", words: "go on with a run: the newest, or by its id", takes: resumable, loose: true},
		{name: "--yes", words: "with --resume: let be what you were shown"},
		{name: "--list", words: "the runs of this project"},
	}
	checkWords = []view.Suggestion{{"--force", "run and record it, change no state"}, {"--cancel", "end the check that runs"}}

	workflowWords = []view.Suggestion{
		{"feature", "begin: design, plan, tasks in work trees, review"}, {"debug", "begin: find the cause, then mend it"},
		{"refactor", "begin: brief, plan, prove that nothing broke"}, {"oneshot", "begin: plan and do it in one go"},
		{"approve", "the plan is right"}, {"revise", "send the plan, or red work, back with notes"}, {"unblock", "let what is blocked go on"},
		{"replan", "have what is blocked planned anew"}, {"cancel", "end it; asks first"},
	}
)

// options suggests those that were not given yet, or what one takes, until the
// text begins.
func options(all []option) func(*view.View, []string) []view.Suggestion {
	return func(v *view.View, words []string) (out []view.Suggestion) {
		for i := 0; i < len(words); i++ {
			o := slices.IndexFunc(all, func(o option) bool { return o.name == words[i] })
			switch {
			case o < 0:
				return nil
			case all[o].takes == nil:
			case i == len(words)-1 && !all[o].loose:
				return all[o].takes(v)
			case i == len(words)-1:
				out = all[o].takes(v)
			case !all[o].loose || !strings.HasPrefix(words[i+1], "--"):
				i++
			}
		}
		for _, o := range all {
			if !slices.Contains(words, o.name) {
				out = append(out, view.Suggestion{o.name, o.words})
			}
		}
		return out
	}
}

func namesOf(all []option) (names []string) {
	for _, o := range all {
		names = append(names, o.name)
	}
	return names
}

// first suggests the word after the command.
func first(all ...view.Suggestion) func(*view.View, []string) []view.Suggestion {
	return func(_ *view.View, words []string) []view.Suggestion {
		if len(words) > 0 {
			return nil
		}
		return all
	}
}

func modes(*view.View) []view.Suggestion {
	return []view.Suggestion{{"review", "the secondary's approval and a green gate"}, {"consensus", "both must approve one tree"}, {"single", "the gate alone decides"}}
}

func registered(v *view.View) []view.Suggestion { return plain(v.Agents) }

// players are all agents, those of ferrus.toml too.
func players(v *view.View) []view.Suggestion {
	all := slices.Clone(v.Found.Agents)
	for _, r := range v.Models {
		if r.Agent != "" && !slices.Contains(all, r.Agent) {
			all = append(all, r.Agent)
		}
	}
	return plain(all)
}

func plain(words []string) (all []view.Suggestion) {
	for _, w := range words {
		all = append(all, view.Suggestion{Word: w})
	}
	return all
}

func completeHelp(_ *view.View, words []string) (all []view.Suggestion) {
	if len(words) > 0 {
		return nil
	}
	for _, c := range Commands {
		all = append(all, view.Suggestion{c.Name, c.Help})
	}
	return all
}
