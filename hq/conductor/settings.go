package conductor

import (
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
)

// settings are ferrus.toml, as it was good last.
type settings struct {
	config config.Config
	broken string // what is wrong with the file now; empty: nothing
}

// reload takes in ferrus.toml as it is now. A broken edit is shown and the last good
// one kept.
func (s *settings) reload(p *project.Project, n *notices) {
	cfg, err := p.Config()
	if err != nil {
		n.once(err.Error())
		s.broken = err.Error()
		return
	}
	s.config, s.broken = cfg, ""
}

// untrusted returns the commands that a task would run and that may not run on this
// machine yet, with what they are pinned by.
func untrusted(p *project.Project, w core.World) ([]core.Definition, []string, error) {
	all, err := p.Untrusted(w)
	if err != nil {
		return nil, nil, err
	}
	var lines []string
	for _, d := range all {
		lines = append(lines, d.Lines()...)
	}
	return all, lines, nil
}
