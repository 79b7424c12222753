package serve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/hq/core"
	"ferrus/machine"
)

const spec = `# Ferrus /spec: v2!

## Milestones
- [x] #1.0 Done
  - ID: m1.0
- [ ] #1.2 Open
  ID: m1.2
  Depends on: m1.0
- [ ] #1.3 Later
  - ID: m1.3
`

func TestCreateSpec(t *testing.T) {
	p := newFixture(t, once)
	a := p.agent(machine.Supervisor, core.ModeSpec)
	day := time.Now().UTC().Format(time.DateOnly)
	got := a.want("written", "create_spec", args{"markdown": spec})
	if got.Path != "docs/specs/"+day+"-ferrus-spec-v2.md" || got.Milestone != "m1.2" || got.Seq != 1 {
		t.Errorf("written %s, want version 2, milestone m1.2 and seq 1", got.JSON)
	}
	data, err := os.ReadFile(filepath.Join(p.Dir, got.Path))
	if err != nil || string(data) != spec {
		t.Errorf("the file holds %q, %v", data, err)
	}
	if w := p.world(); w.SelectedSpec != got.Path || w.SelectedMilestone != "m1.2" {
		t.Errorf("selected are %+v, want m1.2 of the new spec", w.Selection)
	}
	if last, err := p.Store.ReadFile("LAST_SPEC_PATH"); err != nil || string(last) != got.Path {
		t.Errorf("LAST_SPEC_PATH holds %q, %v", last, err)
	}
	if again := a.want("written", "create_spec", args{"markdown": spec}); again.Path != got.Path ||
		p.events() != "create_spec" {
		t.Errorf("written again %s: %s; want the same path and one event", again.JSON, p.events())
	}
	second := a.want("written", "create_spec", args{"markdown": spec + "More.\n"})
	third := a.want("written", "create_spec", args{"markdown": "no title"})
	if !strings.HasSuffix(second.Path, "-ferrus-spec-v2-2.md") || !strings.HasSuffix(third.Path, day+"-spec.md") ||
		third.Milestone != "" {
		t.Errorf("second %s\nthird %s", second.JSON, third.JSON)
	}
	before := p.world().Selection
	for _, bad := range []string{" \n ", spec + "- [ ] #1.4 Without an id\n", spec + "- [ ] #1.4 Twice\nID: m1.2\n",
		spec + "\x00", spec + strings.Repeat("x", 1<<20),
		spec + "- [ ] #1.4 Lost\nID: m4\nDepends on: m9\n", spec + "- [ ] #1.4 Round\nID: m4\nDepends on: m4\n"} {
		a.refused(machine.GuardFailed, "arguments", "create_spec", args{"markdown": bad})
	}
	if files, _ := os.ReadDir(filepath.Join(p.Dir, "docs/specs")); len(files) != 3 || p.world().Selection != before {
		t.Errorf("a refusal wrote %v", files)
	}
}

func TestCreateSpecStaysInside(t *testing.T) {
	p := newFixture(t, once)
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(p.Dir, "docs")); err != nil {
		t.Fatal(err)
	}
	a := p.agent(machine.Supervisor, core.ModeSpec)
	if got := a.use("create_spec", args{"markdown": spec}); !got.Refused || got.Status != "error" {
		t.Errorf("got %s, want a refusal", got.JSON)
	}
	if left, _ := os.ReadDir(outside); len(left) != 0 || p.events() != "" {
		t.Errorf("wrote %v, events %s; want nothing", left, p.events())
	}
}

func TestResourcesAndPrompts(t *testing.T) {
	p := newFixture(t, once)
	a := p.worker()
	list, err := a.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 11 || list.NextCursor != "" {
		t.Errorf("the resources are %v %v, want 11", list, err)
	}
	templates, err := a.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 1 ||
		templates.ResourceTemplates[0].URITemplate != "ferrus://{file}" {
		t.Errorf("the templates are %v %v, want one", templates, err)
	}
	if text := a.resource("task"); text != "a task" {
		t.Errorf("the task is %q, want a task", text)
	}
	if text := a.resource("state"); !strings.Contains(text, `"Executing"`) {
		t.Errorf("the state is %q, want Executing", text)
	}
	if text := a.resource("review"); text != "" {
		t.Errorf("the review is %q, want none", text)
	}
	for _, uri := range []string{"ferrus://../secret", "ferrus://STATE.json", "ferrus://", "file:///etc/passwd"} {
		if _, err := a.read(uri); err == nil {
			t.Errorf("%s can be read", uri)
		}
	}
	prompts, err := a.ListPrompts(t.Context(), nil)
	if err != nil || len(prompts.Prompts) != 2 {
		t.Errorf("the prompts are %v %v, want 2", prompts, err)
	}
	if text := a.prompt("executor-context"); !strings.HasPrefix(text, "State: Executing") ||
		!strings.Contains(text, "a task") {
		t.Errorf("the prompt is %q, want the state and the task", text)
	}
}
