package slash

import (
	"strings"
	"testing"

	"ferrus/ui/view"
)

// discovered returns a View in which everything was looked for.
func discovered() view.View {
	v := running()
	v.Agents = []string{"claude-code", "codex", "demo"}
	v.Models = append(v.Models, view.RoleModel{Role: "reviewer", Agent: "codex", Model: "own", Known: []string{"gpt"}})
	v.Inbox = []view.InboxItem{{Type: "/permit 41 "}, {Type: "/trust"}, {Type: "/permit 42 "},
		{Type: "/permit 43 ", Task: "another"}}
	v.Found = view.Completions{
		Specs: []view.SpecFile{
			{Path: "docs/specs/billing.md", Name: "billing",
				Milestones: []view.Milestone{{ID: "m1.0", Title: "#1.0 Read"}, {Title: "#1.1"}}},
			{Path: "docs/specs/cache.md", Name: "cache"},
		},
		Runs:   []view.PairRun{{ID: "p-2", Status: "running"}, {ID: "p-1", Status: "completed", Over: true}},
		Tasks:  []view.Suggestion{{"t-7", "Complete"}},
		Agents: []string{"codex", "mine"},
		Models: map[string][]string{"codex": {"used", "gpt"}},
	}
	return v
}

// completions has for each command what it suggests after what is typed, to the end of
// what it takes.
var completions = map[string]string{
	"/task ":                             "--manual --again --now --with-changes",
	"/task --now ":                       "--manual --again --with-changes",
	"/task --now --w":                    "--with-changes",
	"/task Add ":                         "",
	"/milestones ":                       "billing cache",
	"/milestones bil":                    "billing",
	"/milestones bg":                     "billing",
	"/milestones billing ":               "m1.0",
	"/milestones docs/specs/billing.md ": "m1.0",
	"/milestones other ":                 "",
	"/milestones billing m1.0 ":          "",
	"/queue ":                            "billing cache approve edit cancel",
	"/queue approve ":                    "",
	"/pair ": "--mode --primary --secondary --done --max-iterations " +
		"--resume --yes --list",
	"/pair --mode ":                        "review consensus single",
	"/pair --primary ":                     "codex mine claude-code",
	"/pair --primary m":                    "mine",
	"/pair --done ":                        "",
	"/pair --done X --mo":                  "--mode",
	"/pair --resume ":                      "p-2 --mode --primary --secondary --done --max-iterations --yes --list",
	"/pair --resume p-2 --y":               "--yes",
	"/pair --resume --yes --max":           "--max-iterations",
	"/check ":                              "--force --cancel",
	"/status ":                             "--all",
	"/check fr":                            "--force",
	"/check --force ":                      "",
	"/land ":                               "--keep --with-changes",
	"/adopt ":                              "--agent",
	"/merge ":                              "again accept resume",
	"/workers ":                            "drain resume",
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
	"/model nosuch ":                       "",
	"/switch ":                             "supervisor executor reviewer",
	"/switch supervisor cod":               "codex",
	"/register ":                           "--supervisor --executor --supervisor-model --executor-model --remove",
	"/register --supervisor ":              "claude-code codex demo",
	"/register --executor cx":              "codex",
	"/register --executor codex --s":       "--supervisor --supervisor-model",
	"/register --supervisor-model o":       "opus",
	"/resume ":                             "supervisor executor",
	"/permit ":                             "41 42 once task never",
	"/permit once ":                        "",
	"/permit 41 ":                          "once task never",
	"/permit 41 t":                         "task",
	"/permit 41 never ":                    "",
	"/network ":                            "allow always no",
	"/network allow ":                      "",
	"/attach exr":                          "executor",
	"/screen ":                             "supervisor executor",
	"/tell ":                               "supervisor executor",
	"/tell executor ":                      "",
	"/show ":                               "task submission spec t-7",
	"/show t":                              "task t-7",
	"/show spec ":                          "billing cache",
	"/help la":                             "land landing",
	"/help land ":                          "",
	"/unknown ":                            "",
	"plain text /task ":                    "",
	"/task --now The text\nhas two lines ": "",
}

func TestComplete(t *testing.T) {
	v := discovered()
	for line, want := range completions {
		var names []string
		for _, c := range Table.Complete(&v, line) {
			names = append(names, c.Name)
			if got := Table.Complete(&v, strings.TrimSuffix(c.Line, " ")); len(got) > 0 && got[0].Name == c.Name {
				t.Errorf("%q is suggested where it is typed already: %q", c.Name, c.Line)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q suggests %q, not %q", line, got, want)
		}
	}
	for _, c := range Table {
		if _, ok := completions["/"+c.Name+" "]; c.Complete != nil && !ok && c.Name != "attach" && c.Name != "help" {
			t.Errorf("/%s suggests something, and no line here begins so", c.Name)
		}
	}
}

// TestCompletionsGiveReasons shows the reason beside an argument while its command is
// not available, and the words of it otherwise.
func TestCompletionsGiveReasons(t *testing.T) {
	v := discovered()
	v.Disabled["check --cancel"] = "no check is running"
	b := openFixture(t, v)
	b.press("/check ")
	b.shows("--force  ", "run it and record the verdict, without changing the state",
		"not available: no check is running")
	b.press("ctrl+u", "/approve")
	b.shows("not available: the task is Executing, not Reviewing")
	b.press("ctrl+u", "/milestones bil", "tab", "tab", "enter")
	b.wanted(selectMilestone{Spec: "billing", Milestone: "m1.0"})
}

func TestHelpOfOneCommand(t *testing.T) {
	v := discovered()
	v.Disabled["land"] = "only approved work lands"
	b := openFixture(t, v)
	b.press("/help land", "enter")
	b.shows("╭ help land", "/land [--keep]", "--with-changes", "not available now: only approved work lands")
}
