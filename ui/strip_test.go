package ui

import (
	"testing"

	"ferrus/ui/view"
)

// The items that are merged are in a row below the panes, whatever the size of the terminal;
// without a merge there is no such row.
func TestTheStripIsBelowThePanes(t *testing.T) {
	t.Parallel()
	for _, d := range []division{{}, {list: 36}, {list: 36, columns: true}, {folded: true}} {
		for _, size := range [][2]int{{60, 20}, {80, 22}, {100, 26}, {150, 40}, {220, 60}} {
			plain := arrange(size[0], size[1], view.Split{}, d)
			d.strip = true
			l := arrange(size[0], size[1], view.Split{}, d)
			d.strip = false
			if plain.strip.H != 0 {
				t.Errorf("%v, %+v: a strip without a merge", size, d)
			}
			if l.strip.H == 0 {
				continue
			}
			if l.left.Y+l.left.H != l.strip.Y || l.strip.Y+1 != l.activity.Y || l.strip.W != l.main.W ||
				l.activity.Y+l.activity.H != plain.activity.Y+plain.activity.H {
				t.Errorf("%v, %+v: the strip is at %+v, the panes at %+v, activity at %+v", size, d, l.strip, l.left,
					l.activity)
			}
		}
	}
	if l := arrange(150, 40, view.Split{}, division{strip: true}); l.strip.H != 1 {
		t.Error("there is no strip")
	}
}

func TestTheStripNamesWhatIsMerged(t *testing.T) {
	v := queued(3)
	v.Merges = []view.Merge{{Branch: "main", Cars: []view.MergeCar{{Text: "#12 landed"},
		{Text: "#14 proving 63%"}, {Text: "#15 staged"}, {Text: "#16 returned: conflicts with main"}}}}
	b := openAt(t, v, 150, 40)
	b.shows(" main  < #12 landed  < #14 proving 63%  < #15 staged  < #16 returned: conflicts with main ")
}
