package gate

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"ferrus/hq/project"
)

// Took returns how long each command took, by its title, in the newest gate that ran
// it and began before the given time. It looks at the records of the task, and at
// those of the newest archived task. Nothing depends on it: what cannot be read is
// left out.
func Took(p *project.Task, before time.Time) map[string]time.Duration {
	took := map[string]time.Duration{}
	for _, dir := range []string{"checks", lastArchived(p)} {
		for _, r := range records(p, dir) {
			if !r.Started.Before(before) {
				continue
			}
			for _, c := range r.Commands {
				if took[c.Title()] == 0 {
					took[c.Title()] = c.Duration
				}
			}
		}
	}
	return took
}

// lastArchived returns the directory of the newest archived task's records; ids
// begin with their time.
func lastArchived(p *project.Task) string {
	names, _ := p.Store.List("archive") // none is as good
	for i := len(names) - 1; i >= 0; i-- {
		if strings.HasPrefix(names[i], "t-") {
			return path.Join("archive", names[i], "checks")
		}
	}
	return ""
}

// records returns the gate records in a directory, the newest first.
func records(p *project.Task, dir string) (all []Record) {
	if dir == "" {
		return nil
	}
	names, _ := p.Store.List(dir) // none is as good
	for _, name := range names {
		if path.Ext(name) != ".json" || strings.HasPrefix(name, "review-") {
			continue
		}
		var r Record
		if data, err := p.Store.ReadFile(path.Join(dir, name)); err == nil && json.Unmarshal(data, &r) == nil {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b Record) int { return b.Started.Compare(a.Started) })
	return all
}
