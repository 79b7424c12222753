package conductor

import (
	"ferrus/hq/config"
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
