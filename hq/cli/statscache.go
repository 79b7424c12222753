package cli

import (
	"encoding/json"
	"os"

	"ferrus/hq/project"
	"ferrus/hq/stats"
)

// statsFile keeps what archived tasks took, so that their journals are not read again.
// It may be deleted at any time, and proves nothing.
const statsFile = "stats.json"

// statsVersion increases when [stats.Read] counts differently.
const statsVersion = 2

// statsCache is the content of statsFile.
type statsCache struct {
	Version int                   `json:"version"`
	Tasks   map[string]cachedTask `json:"tasks"` // by id
	changed bool
}

// cachedTask is what a journal says, as long as it is the same file.
type cachedTask struct {
	Size  int64      `json:"size"`
	Mtime int64      `json:"mtime"` // in nanoseconds
	Task  stats.Task `json:"task"`
}

// readStatsCache reads the cache. One that cannot be read, or of another version, is empty.
func readStatsCache(pr *project.Task) statsCache {
	var c statsCache
	data, err := pr.Store.ReadFile(statsFile)
	if err != nil || json.Unmarshal(data, &c) != nil || c.Version != statsVersion || c.Tasks == nil {
		return statsCache{Version: statsVersion, Tasks: map[string]cachedTask{}}
	}
	return c
}

// lookup returns the cached statistics of an archived task, if its journal is still the
// one they were computed from.
func (c *statsCache) lookup(pr *project.Task, id string) (stats.Task, os.FileInfo, bool) {
	info, err := os.Stat(pr.Store.Path("archive", id, "journal.jsonl"))
	if err != nil {
		return stats.Task{}, nil, false
	}
	kept, ok := c.Tasks[id]
	return kept.Task, info, ok && kept.Size == info.Size() && kept.Mtime == info.ModTime().UnixNano()
}

// save writes the cache, if it has changed, for tasks that are still archived. If it
// cannot be written, the journals are read again next time.
func (c *statsCache) save(pr *project.Task, ids []string) {
	if !c.changed {
		return
	}
	kept := statsCache{Version: statsVersion, Tasks: map[string]cachedTask{}}
	for _, id := range ids {
		if t, ok := c.Tasks[id]; ok {
			kept.Tasks[id] = t
		}
	}
	if data, err := json.Marshal(kept); err == nil {
		_ = pr.Store.WriteFile(statsFile, data)
	}
}
