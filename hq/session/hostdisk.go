package session

import (
	"encoding/json"
	"io"
	"os"

	"ferrus/hq/host"
	"ferrus/hq/project"
)

// Host is the process that owns one local session: `ferrus host`, which [Local]
// starts. Names are the built-in agents.
func Host(names ...string) error {
	return host.Serve(host.Inherited(), func(l host.Launch) (host.Disk, error) {
		p, err := project.Open(l.Project, names...)
		if err != nil {
			return nil, err
		}
		return hostDisk{p}, nil
	})
}

// hostDisk is where a host writes: the project of its launch.
type hostDisk struct{ project *project.Project }

func (d hostDisk) Save(r host.Record) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return d.project.Store.WriteFile(host.File(r.Slot), append(data, '\n'))
}

// Log is rotated, and hides the secrets of the agent's environment, which is the
// host's own and what the launch adds.
func (d hostDisk) Log(name string, added []string) (io.WriteCloser, error) {
	log, err := openLog(d.project.Store, name)
	if err != nil {
		return nil, err
	}
	return host.NewRedactor(log, append(os.Environ(), added...)...), nil
}
