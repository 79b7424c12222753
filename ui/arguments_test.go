package ui

import (
	"ferrus/ui/view"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// discovered is a View in which everything was looked for.
func discovered() view.View {
	v := work()
	v.Agents = []string{"claude-code", "codex", "demo"}
	v.Models = append(v.Models, view.RoleModel{Role: "reviewer", Agent: "codex", Model: "own", Known: []string{"gpt"}})
	v.Documents = []view.Document{{Name: "task", Text: "x"}, {Name: "submission", Text: "x"}}
	v.Found = view.Completions{
		Specs:  []view.SpecFile{{Path: "docs/specs/billing.md", Name: "billing", Milestones: []view.Milestone{{ID: "m1.0", Title: "#1.0 Read"}, {Title: "#1.1"}}}, {Path: "docs/specs/cache.md", Name: "cache"}},
		Runs:   []view.PairRun{{ID: "p-2", Status: "running"}, {ID: "p-1", Status: "completed", Over: true}},
		Tasks:  []view.Suggestion{{"t-7", "Complete"}},
		Agents: []string{"codex", "mine"},
		Models: map[string][]string{"codex": {"used", "gpt"}},
	}
	return v
}

// TestArgumentsAreSuggested has for each command what it suggests after what is
// typed, to the end of what it takes.
func TestArgumentsAreSuggested(t *testing.T) {
	v := discovered()
	lines := map[string]string{
		"/task ":                               "--manual --again --now --with-changes",
		"/task --now ":                         "--manual --again --with-changes",
		"/task --now --w":                      "--with-changes",
		"/task Add ":                           "",
		"/milestones ":                         "billing cache",
		"/milestones bil":                      "billing",
		"/milestones bg":                       "billing",
		"/milestones billing ":                 "m1.0",
		"/milestones docs/specs/billing.md ":   "m1.0",
		"/milestones other ":                   "",
		"/milestones billing m1.0 ":            "",
		"/pair ":                               "--mode --primary --secondary --done --max-iterations --resume --yes --list",
		"/pair --mode ":                        "review consensus single",
		"/pair --primary ":                     "codex mine claude-code",
		"/pair --primary m":                    "mine",
		"/pair --done ":                        "",
		"/pair --done X --mo":                  "--mode",
		"/pair --resume ":                      "p-2 --mode --primary --secondary --done --max-iterations --yes --list",
		"/pair --resume p-2 --y":               "--yes",
		"/pair --resume --yes --max":           "--max-iterations",
		"/check ":                              "--force --cancel",
		"/check fr":                            "--force",
		"/check --force ":                      "",
		"/land ":                               "--keep --with-changes",
		"/land --keep ":                        "--with-changes",
		"/land --keep A message ":              "",
		"/workflow ":                           "feature debug refactor oneshot approve revise unblock replan cancel",
		"/workflow re":                         "refactor revise replan",
		"/workflow feature ":                   "",
		"/model ":                              "supervisor executor reviewer",
		"/model sup":                           "supervisor",
		"/model supervisor SO":                 "sonnet",
		"/model supervisor sn":                 "sonnet",
		"/model reviewer ":                     "gpt used own --clear",
		"/model nobody ":                       "",
		"/register ":                           "--supervisor --executor --supervisor-model --executor-model --remove",
		"/register --supervisor ":              "claude-code codex demo",
		"/register --executor cx":              "codex",
		"/register --executor codex --s":       "--supervisor --supervisor-model",
		"/register --supervisor-model o":       "opus",
		"/resume ":                             "planner executor",
		"/attach exr":                          "executor",
		"/tell ":                               "planner executor",
		"/tell executor ":                      "",
		"/show ":                               "task submission spec t-7",
		"/show t":                              "task t-7",
		"/show spec ":                          "billing cache",
		"/help la":                             "land",
		"/help land ":                          "",
		"/unknown ":                            "",
		"plain text /task ":                    "",
		"/task --now The text\nhas two lines ": "",
	}
	for line, want := range lines {
		var names []string
		for _, c := range choices(&v, line) {
			names = append(names, c.name)
			if got := choices(&v, strings.TrimSuffix(c.text, " ")); len(got) > 0 && got[0].name == c.name {
				t.Errorf("%q is suggested where it is typed already: %q", c.name, c.text)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q suggests %q, not %q", line, got, want)
		}
	}
	for _, c := range Commands {
		if _, ok := lines["/"+c.Name+" "]; c.Complete != nil && !ok && c.Name != "attach" && c.Name != "help" {
			t.Errorf("/%s suggests something, and no line here begins so", c.Name)
		}
	}
}

// TestSuggestionsSayWhy shows the reason beside an argument while its command is
// off, and the words of it otherwise.
func TestSuggestionsSayWhy(t *testing.T) {
	v := discovered()
	v.Disabled["check --cancel"] = "no check runs"
	b := openAt(t, v, 120, 40)
	b.send(FoundMsg{v.Found})
	b.press("/check ")
	b.shows("--force  ", "run and record it, change no state", "off: no check runs")
	b.press("ctrl+u", "/approve")
	b.shows("off: the task is Executing, not Reviewing")
	b.press("ctrl+u", "/milestones bil", "tab", "tab", "enter")
	b.wanted(SaveHistory{"/milestones billing m1.0"}, SelectMilestone{Spec: "billing", Milestone: "m1.0"})
	b.press("/pair --list", "enter")
	b.wanted(SaveHistory{"/pair --list"}, ListRuns{})
	b.send(RunsMsg{v.Found.Runs})
	b.shows("╭ runs of pairs", "p-2  running", "p-1  completed")
	b.press("down", "enter", "up", "enter")
	b.shows("> /pair --resume p-2")
}

// TestWhatIsTypedIsLookedFor once for each command, and is there when a new View
// comes.
func TestWhatIsTypedIsLookedFor(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	looked := 0
	do := b.m.do
	b.m.do = func(i Intent) tea.Cmd {
		if i == (LoadCompletions{}) {
			looked++
		}
		return do(i)
	}
	b.press("/miles")
	if looked != 0 {
		t.Error("looked before there was a command")
	}
	b.press("tones ")
	b.send(FoundMsg{discovered().Found}, ViewMsg{work()})
	b.press("bi")
	b.shows("│ billing")
	b.press("ctrl+u", "/milestones")
	if looked != 2 {
		t.Errorf("looked %d times", looked)
	}
}

func TestHelpOfOneCommand(t *testing.T) {
	v := discovered()
	v.Disabled["land"] = "only approved work lands"
	b := openAt(t, v, 120, 40)
	b.press("/help land", "enter")
	b.shows("╭ help land", "/land [--keep]", "--with-changes", "off now: only approved work lands")
	b.press("esc", "/help nothing", "enter")
	b.shows("there is no command /nothing: /help shows all")
}
