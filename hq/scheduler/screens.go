package scheduler

import (
	"slices"
	"sync"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
)

// screens are where a scheduler is shown. The sessions of a task have the size of the first screen that shows it.
type screens struct {
	mu    sync.Mutex
	all   []*screen                        // guarded by mu: oldest first
	sized map[*conductor.Conductor]*screen // guarded by mu: the screen whose sizes the panes of a task have
}

// screen is one of them.
type screen struct {
	sizes map[core.Slot][2]int // guarded by screens.mu: columns and rows of its panes, as they were set last
	shows *conductor.Conductor // guarded by screens.mu: the task that it shows
}

func (g *screens) add() *screen {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := &screen{sizes: map[core.Slot][2]int{}}
	g.all = append(g.all, s)
	return s
}

func (g *screens) remove(s *screen) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all = slices.DeleteFunc(g.all, func(other *screen) bool { return other == s })
	g.fit()
}

// show notes which task a screen shows.
func (g *screens) show(s *screen, c *conductor.Conductor) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.shows != c {
		s.shows = c
		g.fit()
	}
}

// resize notes the size of a slot's pane on a screen that shows a task.
func (g *screens) resize(s *screen, c *conductor.Conductor, slot core.Slot, size [2]int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.sizes[slot] = size; s.shows == c && g.sized[c] == s {
		c.Resize(slot, size[0], size[1])
		return
	}
	s.shows = c
	g.fit()
}

// fit gives the panes of each task the sizes that they have on the first screen that shows it. The caller holds mu.
func (g *screens) fit() {
	sized := map[*conductor.Conductor]*screen{}
	for _, s := range g.all {
		if s.shows == nil || sized[s.shows] != nil {
			continue
		}
		sized[s.shows] = s
		if g.sized[s.shows] == s {
			continue
		}
		for slot, size := range s.sizes {
			s.shows.Resize(slot, size[0], size[1])
		}
	}
	g.sized = sized
}
