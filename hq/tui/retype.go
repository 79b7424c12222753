package tui

import "ferrus/ui"

// retype is what a person would have to type again.
func retype(i ui.Intent) string {
	switch i := i.(type) {
	case ui.Answer:
		return i.Text
	case ui.Task:
		return retypeTask(i)
	case ui.SelectMilestone:
		if i.Milestone != "" {
			return "/milestones " + i.Spec + " " + i.Milestone
		}
	case ui.Workflow:
		return "/workflow " + i.Line
	case ui.Land:
		return "/land " + i.Message
	case ui.Reject:
		return "/reject " + i.Notes
	case ui.Tell:
		return "/tell " + i.Slot + " " + i.Text
	case ui.Register:
		return "/register " + i.Flags
	case ui.Pair:
		return i.Line
	case ui.Session:
		if i.Text != "" {
			return "/" + i.Mode + " " + i.Text
		}
	}
	return ""
}

func retypeTask(i ui.Task) string {
	line := "/task "
	for _, o := range []struct {
		given bool
		name  string
	}{{i.Manual, "--manual "}, {i.Again, "--again "}, {i.Now, "--now "}, {i.Changes, "--with-changes "}} {
		if o.given {
			line += o.name
		}
	}
	return line + i.Text
}
