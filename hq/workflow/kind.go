package workflow

import (
	"ferrus/machine"
	"ferrus/machine/workflow"
)

// The kinds of the commands that are one event of the workflow's machine each.
const (
	KindApprove          = workflow.KindApprove
	KindRevise           = workflow.KindRevise
	KindUnblock          = workflow.KindUnblock
	KindReplan           = workflow.KindReplan
	KindSelectTrack      = workflow.KindSelectTrack
	KindPlanTasks        = workflow.KindPlanTasks
	KindRecordReview     = workflow.KindRecordReview
	KindRequestSynthesis = workflow.KindRequestSynthesis
	KindValidated        = workflow.KindValidated
	KindEscalate         = workflow.KindEscalate
	KindCompensated      = workflow.KindCompensated
	KindCancel           = workflow.KindCancel
	KindCleanup          = workflow.KindCleanup
	KindPublished        = workflow.KindPublished
	KindPublishFailed    = workflow.KindPublishFailed
)

// The kinds of the commands that are another event, several, or none.
const (
	KindSet        machine.Kind = "set"
	KindEnter      machine.Kind = "enter"
	KindFinalize   machine.Kind = "finalize_oneshot"
	KindAssigned   machine.Kind = "assigned"
	KindSettled    machine.Kind = "settled"
	KindDisbanded  machine.Kind = "disbanded"
	KindCancelling machine.Kind = "cancelling"
)
