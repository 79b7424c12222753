package dialog

// Kind names a dialog. Every dialog has its own, and every one has golden frames.
type Kind uint8

// The kinds.
const (
	None Kind = iota
	KindHelp
	KindStatus
	KindAsked
	KindInbox
	KindLog
	KindEntry
	KindDocument
	KindDiff
	KindCheck
	KindRoles
	KindModels
	KindTask
	KindSpecs
	KindMilestones
	KindMilestone
	KindSpecProblem
	KindRuns
	KindLand
	KindApprove
	KindCancel
	KindReset
	KindQuit
	KindStop
	KindRegister
	KindPalette
	KindNotices
	KindProjects
	KindProposed
	KindComments
	KindTasks
	KindAdopt
)

// OfTask are the kinds of dialogs in which you decide about the selected task, or read what is only its own.
var OfTask = []Kind{KindAsked, KindLog, KindEntry, KindDiff, KindComments, KindLand, KindApprove, KindReset, KindStop}

var kindNames = [...]string{
	None: "none", KindHelp: "help", KindStatus: "status", KindAsked: "asked", KindInbox: "inbox", KindLog: "log",
	KindEntry: "story", KindDocument: "document", KindDiff: "diff", KindCheck: "check", KindRoles: "roles",
	KindModels: "models", KindTask: "task", KindSpecs: "specs", KindMilestones: "milestones",
	KindMilestone: "milestone", KindSpecProblem: "spec problem", KindRuns: "runs", KindLand: "land",
	KindApprove: "approve", KindCancel: "cancel", KindReset: "reset", KindQuit: "quit",
	KindStop: "stop", KindRegister: "register", KindPalette: "palette", KindNotices: "notices",
	KindProjects: "projects", KindProposed: "proposed", KindComments: "comments", KindTasks: "tasks",
	KindAdopt: "adopt",
}

// Kinds returns all of them.
func Kinds() (all []Kind) {
	for k := None + 1; int(k) < len(kindNames); k++ {
		all = append(all, k)
	}
	return all
}

// String returns the kind in a word or two.
func (k Kind) String() string { return kindNames[k] }
