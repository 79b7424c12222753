package conductor

import (
	"path/filepath"

	"ferrus/hq/config"
	"ferrus/store"
)

// watchPlace takes a turn of the loop, which reads ferrus.toml, after each change of that file
// and of the checked-out commit or branch.
func (c *Conductor) watchPlace() {
	files := append(c.project.Repo().HeadFiles(), filepath.Join(c.project.Dir, config.File))
	changes := store.WatchFiles(c.loop.Context, files...)
	c.loop.Go(func() {
		for range changes {
			c.describeBranch()
		}
	})
}

// describeBranch asks git what is checked out, which takes several processes: the first frame does
// not wait for them.
func (c *Conductor) describeBranch() {
	branch := c.project.Repo().Describe(c.loop.Context)
	c.loop.Post(func() { c.branch = branch })
}
