package gate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"time"

	"ferrus/agent/sandbox"
	"ferrus/checks"
	"ferrus/checks/lane"
	"ferrus/hq/project"
)

// passesKind names the files, outside of projects, that keep what passed: what works inside cannot write
// them.
const passesKind = "passes"

// maxPasses bounds what is kept of a project; the oldest goes first.
const maxPasses = 50

// pass is a run that passed. Nothing else is reused: what failed may have failed by chance.
type pass struct {
	Key    string        `json:"key"`
	At     time.Time     `json:"at"`
	Record checks.Record `json:"record"`
}

// ownEnv are the variables that no verdict depends on.
var ownEnv = []string{project.TaskEnv + "=", project.PortName + "="}

// passKey returns a hash of all that a verdict depends on: tree, commands and setup, the programs that
// they find, environment, walls, and the ignored files that the lane was given. It is empty where one of
// them is not known: then nothing is reused.
func (r *runner) passKey(j job, place *lane.Place, tree string) string {
	env := slices.DeleteFunc(slices.Clone(place.Env), func(entry string) bool {
		return slices.ContainsFunc(ownEnv, func(own string) bool { return strings.HasPrefix(entry, own) })
	})
	slices.Sort(env)
	d := j.definition
	data, err := json.Marshal([]any{tree, d.Commands, d.Setup, d.Key, d.Env, d.TimeoutSecs, d.Sandbox,
		[]sandbox.Walls{r.walls}, checks.Programs(pathOf(place.Env), d.Commands, place.Top), env, r.included,
		place.Dir})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// passes returns what is kept of a project, the oldest first.
func (r *runner) passes() (name string, all []pass) {
	name, err := r.project.Main().KeptFile(passesKind)
	if err != nil {
		return "", nil
	}
	data, err := os.ReadFile(name)
	if err != nil || json.Unmarshal(data, &all) != nil {
		return name, nil
	}
	return name, all
}

// passed returns the run with a key that passed.
func (r *runner) passed(key string) (pass, bool) {
	_, all := r.passes()
	i := slices.IndexFunc(all, func(p pass) bool { return p.Key == key })
	if i < 0 {
		return pass{}, false
	}
	return all[i], true
}

// keepPass keeps the run that passed, if there is one. Where that cannot be written, the next gate runs.
func (r *runner) keepPass() {
	if r.pass.Key == "" || len(r.pass.Record.Moved)+len(r.pass.Record.Restored) > 0 { // it may have proven another tree
		return
	}
	name, all := r.passes()
	if name == "" {
		return
	}
	all = append(all, r.pass)
	slices.SortFunc(all, func(a, b pass) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
	data, err := json.Marshal(all[max(len(all)-maxPasses, 0):])
	if err == nil {
		_ = project.WriteKept(name, data)
	}
}
