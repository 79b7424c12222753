package projection

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ferrus/hq/advice"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/tui/slash"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/machine/task"
	"ferrus/ui/prompt"
	"ferrus/ui/view"
)

// namedCommand is a command of HQ in a sentence, with its option or decision.
var namedCommand = regexp.MustCompile(`(?:^|[ ;(])/([a-z]+(?: (?:--[a-z]+|approve|revise|unblock|replan|cancel))?)`)

// adviceWords are the commands that advice names by their effect.
var adviceWords = map[string][]string{
	"create a task": {"task"}, "land the work": {"land"}, "retry or reset": {"retry", "reset"},
	"approve or reject": {"approve", "reject"}, "resume, or reset": {"reset"},
}

// Whatever refuses a command in HQ names only commands that are available: in each state of the task, alone and
// beside a pair, and in each phase of each workflow, in the checkout and in a worktree.
func TestAdviceNamesWhatIsAvailable(t *testing.T) {
	t.Parallel()
	for name, v := range workingViews() {
		p := Project(v, fixtureNow)
		for _, c := range slash.Table {
			off := ""
			if c.Disabled != nil {
				off = c.Disabled(&p, "")
			}
			for _, named := range namedIn(off) {
				if why := offOf(&p, v, named); why != "" {
					t.Errorf("%s: /%s says %q, and /%s is not available: %s", name, c.Name, off, named, why)
				}
			}
		}
		if next := advice.Next(v.State.World, project.HumanActor()); v.Pair == nil && !hasWorkflow(v) {
			for _, named := range namedIn(next) {
				if why := offOf(&p, v, named); why != "" {
					t.Errorf("%s: what is next is %q, and /%s is not available: %s", name, next, named, why)
				}
			}
		}
	}
}

// workingViews returns what may run in a project, by a name.
func workingViews() map[string]conductor.View {
	all := map[string]conductor.View{}
	for _, state := range task.States {
		for _, hold := range []string{"", core.HoldStop} {
			for _, landed := range []bool{false, true} {
				var v conductor.View
				w := &v.State.World
				if w.State = state; state != task.Idle {
					w.Task = &core.Task{ID: "t", Title: "Work"}
				}
				if hold != "" {
					w.Hold = &core.Hold{Reason: hold}
				}
				if landed {
					if state != task.Complete {
						continue
					}
					w.Task.Landed = &core.Landed{}
				}
				name := fmt.Sprintf("%s, hold %q, landed %v", state, hold, landed)
				all[name] = v
				if !w.IsOpen() {
					v.Pair = &conductor.PairView{Running: true}
					all[name+", pair"] = v
					v.Pair = nil
				}
				for _, kind := range flow.Types {
					for _, phase := range flow.Of(kind).Phases {
						for _, dir := range []string{"", "worktrees/w"} {
							flow := working(kind, phase)
							flow.Base.Dir = dir
							v.Workflow = &flow
							all[fmt.Sprintf("%s, %s in %s of %q", name, kind, phase.ID, dir)] = v
						}
					}
				}
			}
		}
	}
	return all
}

// namedIn returns the commands that a sentence names.
func namedIn(words string) (all []string) {
	for _, m := range namedCommand.FindAllStringSubmatch(words, -1) {
		all = append(all, m[1])
	}
	for phrase, commands := range adviceWords {
		if strings.Contains(words, phrase) {
			all = append(all, commands...)
		}
	}
	return all
}

// offOf returns why a command is not available; empty: it is.
func offOf(p *view.View, v conductor.View, named string) string {
	name, args, _ := strings.Cut(named, " ")
	if name == "workflow" && args != "" {
		if !slices.Contains(answers(v), machine.Kind(args)) {
			return "the workflow does not ask for that"
		}
		return ""
	}
	at := slices.IndexFunc(slash.Table, func(c prompt.Command) bool { return c.Name == name })
	switch {
	case at < 0:
		return "there is no such command"
	case slash.Table[at].Disabled == nil:
		return ""
	}
	return slash.Table[at].Disabled(p, args)
}
