package project

// The locks of a project, below .ferrus/run. A process holds one while it does the job;
// the kernel releases it with the process, so an existing file alone means nothing.
const (
	ConductorLock = "conductor.lock" // HQ or `ferrus run`: starts and stops sessions
	GateLock      = "gate.lock"      // runs check commands
	TaskGateLock  = "task-gate.lock" // runs the gate of one task, beside the lock of a lane
	BaseLock      = "base.lock"      // runs them on the base of a task, and gives GateLock up for any other gate
	LandLock      = "land.lock"      // lands, or recovers a landing
	PairLock      = "pair.lock"      // a pair of agents: keeps tasks and workflows from starting
	WorkflowLock  = "workflow.lock"  // starts a workflow: only one may be open
	RegisterLock  = "register.lock"  // edits the configuration of agents
	SwitchLock    = "switch.lock"    // edits agents in ferrus.toml, until each open task has accepted that
)
