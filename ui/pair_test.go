package ui

import (
	"ferrus/ui/view"
	"reflect"
	"strings"
	"testing"
)

func TestPairIsRead(t *testing.T) {
	for line, want := range map[string]Pair{
		"/pair Write it --well": {Task: "Write it --well"},
		"/pair --mode consensus --primary a --secondary b  Write it": {Task: "Write it", Mode: "consensus", Primary: "a", Secondary: "b"},
		"/pair --max-iterations 7 x":                                 {Task: "x", Limit: 7},
		"/pair --done FINISHED Write it":                             {Task: "Write it", Done: "FINISHED"},
		"/pair --resume":                                             {Again: true},
		"/pair --resume --yes":                                       {Again: true, Accept: true},
		"/pair --resume p-1 --max-iterations 30":                     {Again: true, ID: "p-1", Limit: 30},
	} {
		want.Line = line
		if got, err := Parse(&view.View{}, line); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", line, got, err)
		}
	}
	for line, why := range map[string]string{
		"/pair":                         "needs the text of the task",
		"/pair --mode":                  "--mode takes a word",
		"/pair --max-iterations many x": "takes a number",
		"/pair --nonsense x":            "knows --mode, --primary",
		"/pair --list x":                "takes nothing beside it",
		"/pair --resume --done X":       "goes on as the run began",
		"/pair --yes x":                 "goes with --resume",
		"/pair --resume p-1 and more":   "goes on as the run began",
	} {
		if _, err := Parse(&view.View{}, line); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", line, err)
		}
	}
	v := &view.View{Commands: view.Commands{Disabled: map[string]string{"pair": "a pair works"}}}
	if _, err := Parse(v, "/pair x"); err == nil || !strings.Contains(err.Error(), "a pair works") {
		t.Errorf("while one works: %v", err)
	}
	if got, err := Parse(v, "/pair --list"); err != nil || got != (ListRuns{}) {
		t.Errorf("the list: %v, %v", got, err)
	}
}
