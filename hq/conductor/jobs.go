package conductor

import (
	"context"
	"fmt"
	"strings"

	"ferrus/agent"
	"ferrus/hq/conductor/handover"
	"ferrus/hq/conductor/messages"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/machine"
)

// jobs turns jobs of the plan into jobs of runners: what each session of the loop needs.
type jobs struct {
	*observed
	*settings
	setup    *workspaceSetup
	work     *openWorkflow
	messages messages.Delivery
	headless bool // no session gets its program's own screen
	// ownScreen has, by slot, what the human chose for its sessions, which overrides the configuration.
	ownScreen map[core.Slot]bool
}

// of returns the runner's job for a job of the plan.
func (j *jobs) of(job core.Job) session.Job {
	role := j.role(job)
	atHand := isAttended(job.Mode) && !j.headless
	own, chosen := j.ownScreen[job.Slot]
	if !chosen {
		own = role.Interactive
	}
	return session.Job{
		Job: job, Origin: j.origin(job), Agent: role, Workspace: j.workspace(job), CanEdit: j.work.canEdit(job),
		Prepared: (j.taskOf(job) == "" || j.setup.ready()) && j.trusted() == nil,
		Attended: atHand, Interactive: atHand || own && !j.headless,
		Prompt: func(id string) (string, error) { return j.prompt(job, id) },
	}
}

// role returns the agent of the slot's role: the pinned one, or the one of ferrus.toml if no
// task is open.
func (j *jobs) role(job core.Job) config.RoleConfig {
	role := job.Slot.Role()
	if job.Want != nil && job.Want.Role != "" {
		role = job.Want.Role
	}
	if pin := j.world().Pinned(); pin != nil {
		r := pin.Of(role)
		return config.RoleConfig{Agent: r.Agent, Model: r.Model, Interactive: r.Interactive, Permissions: r.Permissions}
	}
	if role == machine.Executor {
		return j.config.HQ.Executor
	}
	return j.config.HQ.Supervisor
}

// trusted returns why no session may start: the human is asked to trust what would run.
func (j *jobs) trusted() error {
	return j.project.RequireTrust(project.InEffect(j.config, *j.world()))
}

// taskOf returns the task whose end makes the session an orphan; a planner has none.
func (j *jobs) taskOf(job core.Job) string {
	if job.Slot == core.SlotPlanner || job.Mode == core.ModeFree || j.world().Task == nil {
		return ""
	}
	return j.world().Task.ID
}

// origin returns what the session is started for: a task, or a visit of a phase.
func (j *jobs) origin(job core.Job) string {
	if job.Mode == core.ModePhase && job.Want != nil {
		return job.Want.Text
	}
	return j.taskOf(job)
}

// workspace returns where the session works: a planner and a free session in the project,
// the session of a phase where the workflow is, and every other where the task is.
func (j *jobs) workspace(job core.Job) string {
	switch {
	case job.Mode == core.ModePhase:
		return j.work.workspace()
	case j.taskOf(job) == "":
		return j.project.Dir
	}
	return j.project.Workspace(*j.world())
}

// prompt returns the prompt of a session, with the messages that wait for its slot, and
// marks them as given to it.
func (j *jobs) prompt(job core.Job, id string) (string, error) {
	undelivered := j.messages.Undelivered(j.messages.Read())[job.Slot]
	message, err := j.messages.Long.Messages(j.origin(job), undelivered)
	if err != nil {
		return "", err
	}
	data := agent.PromptData{Project: j.workspace(job), State: string(j.world().State), Message: message}
	if data.Project != j.project.Dir {
		data.Home = j.project.Dir
	}
	if job.Want != nil {
		if data.Text, err = j.messages.Long.Request(j.origin(job), job.Want.Text); err != nil {
			return "", err
		}
		data.Milestone = j.milestone(*job.Want)
	}
	if job.Mode == core.ModePhase {
		data = j.work.phaseData(data)
	}
	task := j.taskOf(job)
	ctx := context.WithoutCancel(j.loop.Context) // a prompt is completed
	earlier := handover.Reader{Project: j.project, World: j.world()}
	if data.HandOver = earlier.FromAgent(ctx, job, task, j.role(job).Agent); data.HandOver == "" {
		data.Adopted = earlier.FromHuman(ctx, job, task)
	}
	if job.Mode == core.ModeConsult {
		data.Question = j.texts.Consult
	}
	if s := j.world().Submission; job.Mode == core.ModeReview && s != nil && s.Rejudged {
		data.Judged = j.texts.Review
	}
	text, err := agent.Prompt(string(job.Mode), data)
	if err == nil {
		j.messages.MarkGiven(id, undelivered)
	}
	return text, err
}

// milestone describes the milestone that a task is drafted from, as its spec has it now;
// empty: there is none.
func (j *jobs) milestone(w core.Request) string {
	if w.Milestone == "" {
		return ""
	}
	_, m, err := j.project.Specs().Milestone(w.Spec, w.Milestone)
	if err != nil {
		return "Spec: " + w.Spec + "\nMilestone ID: " + w.Milestone
	}
	done, on := "no", "none"
	if m.Done {
		done = "yes"
	}
	if len(m.Depends) > 0 {
		on = strings.Join(m.Depends, ", ")
	}
	const form = "Spec: %s\nMilestone: %s\nMilestone ID: %s\nCompleted: %s\nDepends on: %s"
	return fmt.Sprintf(form, w.Spec, m, m.ID, done, on)
}
