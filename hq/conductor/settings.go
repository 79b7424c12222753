package conductor

import (
	"ferrus/hq/conductor/notice"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
)

// settings are the last valid ferrus.toml.
type settings struct {
	config   config.Config
	broken   string // what is wrong with the file now; empty: nothing is
	reported string // hash of the edited file that the human has read about
}

// reload reads ferrus.toml. An invalid edit is shown, and the last valid version kept.
func (s *settings) reload(p *project.Task, n *notice.List) {
	cfg, err := p.Config()
	if err != nil {
		n.AddOnce(err.Error())
		s.broken = err.Error()
		return
	}
	s.config, s.broken = cfg, ""
}

// untrusted returns the definitions that a task would run and that are not trusted on this
// machine yet, with their commands line by line.
func untrusted(p *project.Task, w core.World) ([]core.Definition, []string, error) {
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
