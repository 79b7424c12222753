package gc

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ferrus/checks/lane"
	"ferrus/hq/gate"
	"ferrus/hq/project"
)

// entries returns the names in a directory; none if it cannot be read.
func entries(dir string) (names []string) {
	if dir == "" {
		return nil
	}
	all, _ := os.ReadDir(dir) // What cannot be read is not freed.
	for _, e := range all {
		names = append(names, filepath.Join(dir, e.Name()))
	}
	return names
}

// findLanes lists the lanes of projects that are gone. One whose project is not known stays.
func findLanes(p *project.Task, o Options) (all []Item) {
	for _, name := range entries(o.Lanes) {
		owner := lane.Lane(name).Owner()
		own := p != nil && name == string(gate.LaneOf(p))
		why := "its project is gone: " + owner
		switch {
		case strings.HasSuffix(name, freed):
			why = "an earlier run started to remove it"
		case own || owner == "" || !isGone(owner):
			continue
		}
		if info, err := os.Lstat(name); err != nil || !info.IsDir() || isUsed(name) {
			continue
		}
		i := newItem(Gate, name, why)
		i.free = func(context.Context) error {
			if err := refuseUsed(name); err != nil {
				return err
			}
			return removeDir(name)
		}
		all = append(all, i)
	}
	return all
}

// kept is what the files outside of projects say of their projects.
type kept struct {
	Path    string    `json:"path"`    // of .ferrus, in a head
	Project string    `json:"project"` // its directory
	Expires time.Time `json:"expires"` // of a code
}

// findRecords lists what is kept of projects that have been gone for long, and codes that
// have expired.
func findRecords(o Options) (all []Item) {
	if o.State == "" {
		return nil
	}
	for _, kind := range []string{"heads", "repositories", "codes"} {
		for _, name := range entries(filepath.Join(o.State, kind)) {
			var k kept
			of := name
			if kind == "heads" {
				of = strings.TrimSuffix(name, filepath.Ext(name)) // the head has the path
			}
			data, err := os.ReadFile(of)
			if err != nil || json.Unmarshal(data, &k) != nil {
				continue
			}
			i := newItem(Record, name, "")
			switch old := o.Now.Sub(i.Used) > KeepRecords; {
			case kind == "codes" && !k.Expires.IsZero() && o.Now.After(k.Expires):
				i.Why = "the code has expired"
			case old && k.Path != "" && isGone(k.Path):
				i.Why = "its project is gone: " + filepath.Dir(k.Path)
			case old && k.Project != "" && filepath.IsAbs(k.Project) && isGone(k.Project):
				i.Why = "its project is gone: " + k.Project
			default:
				continue
			}
			i.free = func(context.Context) error { return os.RemoveAll(name) }
			all = append(all, i)
		}
	}
	return all
}

// findTemporary lists the git directories and indexes that killed processes left.
func findTemporary(o Options) (all []Item) {
	for _, name := range entries(o.Temp) {
		base := filepath.Base(name)
		if !strings.HasPrefix(base, "ferrus-git-") && !strings.HasPrefix(base, "ferrus-index-") {
			continue
		}
		info, err := os.Lstat(name)
		if err != nil || !info.IsDir() || !isMine(info) || o.Now.Sub(info.ModTime()) < keepNew {
			continue
		}
		i := newItem(Temporary, name, "a killed process left it")
		i.free = func(context.Context) error { return os.RemoveAll(name) }
		all = append(all, i)
	}
	return all
}
