package conductor

import (
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
)

// diskUse is how much disk the homes and caches of the task's sessions use. The loop owns it.
type diskUse struct {
	loop    *session.Loop
	project *project.Task
	changed func()
	task    string // its id
	ended   int    // how many of its sessions had ended when it was measured
	bytes   int64
}

// update measures again in the background once another session of the task has ended, or another task is open.
func (d *diskUse) update(of *core.Task, ended int) {
	task := ""
	if of != nil {
		task = of.ID
	}
	if d.task == task && d.ended == ended {
		return
	}
	if d.task != task {
		d.bytes = 0
	}
	d.task, d.ended = task, ended
	if task == "" {
		return
	}
	d.loop.Go(func() {
		bytes := session.TaskSize(d.loop.Context, d.project, task)
		d.loop.Post(func() {
			if d.task == task && d.bytes != bytes {
				d.bytes = bytes
				d.changed()
			}
		})
	})
}
