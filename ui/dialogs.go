package ui

// Dialog names what can lie over the panes. Every dialog has one of its own, and
// every one of them has golden frames.
type Dialog uint8

// The dialogs.
const (
	NoDialog Dialog = iota
	DialogHelp
	DialogStatus
	DialogAsked
	DialogInbox
	DialogLog
	DialogStory
	DialogSheet
	DialogDiff
	DialogCheck
	DialogRoles
	DialogModels
	DialogTask
	DialogSpecs
	DialogMilestones
	DialogMilestone
	DialogSpecProblem
	DialogRuns
	DialogLand
	DialogCancel
	DialogReset
	DialogQuit
)

var dialogNames = [...]string{
	NoDialog: "none", DialogHelp: "help", DialogStatus: "status", DialogAsked: "asked", DialogInbox: "inbox", DialogLog: "log",
	DialogStory: "story", DialogSheet: "sheet", DialogDiff: "diff", DialogCheck: "check", DialogRoles: "roles", DialogModels: "models",
	DialogTask: "task", DialogSpecs: "specs", DialogMilestones: "milestones", DialogMilestone: "milestone", DialogSpecProblem: "spec problem", DialogRuns: "runs",
	DialogLand: "land", DialogCancel: "cancel", DialogReset: "reset", DialogQuit: "quit",
}

// Dialogs are all of them.
func Dialogs() (all []Dialog) {
	for d := NoDialog + 1; int(d) < len(dialogNames); d++ {
		all = append(all, d)
	}
	return all
}

// String is the dialog in a word.
func (d Dialog) String() string { return dialogNames[d] }

// Dialog is what lies over the panes now.
func (m *Model) Dialog() Dialog {
	if m.dialog == nil {
		return NoDialog
	}
	return m.dialog.called()
}

func (c confirm) called() Dialog    { return c.kind }
func (p *page) called() Dialog      { return p.kind }
func (p *picker) called() Dialog    { return p.kind }
func (l *inboxList) called() Dialog { return DialogInbox }
func (l *logPage) called() Dialog   { return DialogLog }
func (p *diffPage) called() Dialog  { return DialogDiff }
