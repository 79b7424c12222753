package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ferrus/hq/gc"
)

// garbage says how much ferrus gc would free.
func (p *inspection) garbage(ctx context.Context) {
	o := gc.Options{Lanes: p.options.Lanes, Temp: os.TempDir(), Now: time.Now()}
	if p.options.Heads != "" {
		o.State = filepath.Dir(string(p.options.Heads))
	}
	items, err := gc.Find(ctx, p.Task, o)
	switch {
	case err != nil:
		p.find("disk", Warning, "what can be freed is unknown", err.Error(),
			"repair what else is reported; then run: ferrus gc")
	case len(items) > 0:
		p.find("disk", Note, fmt.Sprintf("%s that are no longer needed can be freed", gc.Size(gc.Sum(items))), "",
			"run: ferrus gc")
	}
}
