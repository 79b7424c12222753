package prompt

import (
	"slices"
	"testing"

	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// A command about a task takes the task as its first word. A command about the selected task runs
// at once; another task is selected first, which decides whether the command is available there.
func TestACommandNamesItsTask(t *testing.T) {
	t.Parallel()
	say := func(args string) intent.Intent { return intent.Say{Text: args} }
	parse := func(_ *view.View, args string) (intent.Intent, error) { return say(args), nil }
	table := Table{
		{Name: "tell", OfTask: true, Parse: parse,
			Disabled: func(v *view.View, _ string) string { return v.Disabled["tell"] }},
		{Name: "unland", Parse: parse},
	}
	v := &view.View{Tasks: view.Tasks{Selected: "t-1", Number: "#1", Rows: []view.TaskRow{
		{ID: "t-1", Number: "#1", Title: "One"}, {ID: "t-12", Number: "#12", Title: "Twelve"},
		{Number: "#3", Title: "Three", Why: "waits for #1"}}}}
	for line, want := range map[string]any{
		"/tell executor go":        say("executor go"),
		"/tell #1 go":              say("go"),
		"/tell #1/executor go":     say("executor go"),
		"/tell #12/executor go #1": intent.InTask{ID: "t-12", Number: "#12", Line: "/tell executor go #1"},
		"/tell #12":                intent.InTask{ID: "t-12", Number: "#12", Line: "/tell"},
		"/tell #3/executor go":     "#3 has not started: waits for #1",
		"/tell #4 go":              "there is no open task #4",
		"/tell #x go":              say("#x go"),
		"/unland #12":              say("#12"),
	} {
		got, err := table.Parse(v, line)
		if err != nil {
			if err.Error() != want {
				t.Errorf("%s: %v; want %v", line, err, want)
			}
		} else if got != want {
			t.Errorf("%s: %#v; want %#v", line, got, want)
		}
	}
	v.Disabled = map[string]string{"tell": "it rests"}
	if _, err := table.Parse(v, "/tell #1/executor go"); err == nil {
		t.Error("what is not available in the selected task is done")
	}
	if _, err := table.Parse(v, "/tell #12/executor go"); err != nil || table.isOff(v, "/tell #12 go") ||
		!table.isOff(v, "/tell #1 go") {
		t.Errorf("what is not available in the selected task is refused for another one: %v", err)
	}
	var lines []string
	for _, c := range table.Complete(v, "/tell #1") {
		lines = append(lines, c.Line)
	}
	if !slices.Equal(lines, []string{"/tell #12 "}) {
		t.Errorf("these are suggested: %q", lines)
	}
}
