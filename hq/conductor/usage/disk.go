package usage

import (
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
)

// Disk is how much disk the homes and caches of the task's sessions use. Its loop owns it.
type Disk struct {
	Loop    *session.Loop
	Project *project.Task
	Changed func() // called on the loop when Bytes has changed by itself
	Bytes   int64

	task  string // its id
	ended int    // how many of its sessions had ended when it was measured
}

// Update measures again in the background once another session of the task has ended, or another task is open.
func (d *Disk) Update(of *core.Task, ended int) {
	task := ""
	if of != nil {
		task = of.ID
	}
	if d.task == task && d.ended == ended {
		return
	}
	if d.task != task {
		d.Bytes = 0
	}
	d.task, d.ended = task, ended
	if task == "" {
		return
	}
	d.Loop.Go(func() {
		bytes := session.TaskSize(d.Loop.Context, d.Project, task)
		d.Loop.Post(func() {
			if d.task == task && d.Bytes != bytes {
				d.Bytes = bytes
				d.Changed()
			}
		})
	})
}
