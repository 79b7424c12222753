package workflow

import (
	"ferrus/machine"
	"ferrus/machine/flow"
)

// The kinds of the commands that are one event of the workflow's machine each.
const (
	KindApprove          = flow.KindApprove
	KindRevise           = flow.KindRevise
	KindUnblock          = flow.KindUnblock
	KindReplan           = flow.KindReplan
	KindSelectTrack      = flow.KindSelectTrack
	KindPlanTasks        = flow.KindPlanTasks
	KindRecordReview     = flow.KindRecordReview
	KindRequestSynthesis = flow.KindRequestSynthesis
	KindValidated        = flow.KindValidated
	KindEscalate         = flow.KindEscalate
	KindCompensated      = flow.KindCompensated
	KindCancel           = flow.KindCancel
	KindCleanup          = flow.KindCleanup
	KindPublished        = flow.KindPublished
	KindPublishFailed    = flow.KindPublishFailed
)

// The kinds of the commands that are another event, several, or none.
const (
	KindSet        machine.Kind = "set"
	KindEnter      machine.Kind = "enter"
	KindFinalize   machine.Kind = "finalize_oneshot"
	KindAssigned   machine.Kind = "assigned"
	KindTaskEnded  machine.Kind = "settled"
	KindDisbanded  machine.Kind = "disbanded"
	KindCancelling machine.Kind = "cancelling"
)
