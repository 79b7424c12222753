// Package project is one opened project: its directory, its store, and the one
// way a command is carried out.
//
// [Find] the directory, [Open] it, and give commands to [Project.Do]. Do gathers
// the facts that a command needs (trees, who lives, what the gate would run)
// without the lock, decides under it, and commits; when the state moved in
// between it gathers again. What is refused comes back as *machine.Refusal and
// has changed nothing.
//
// The package also answers who is calling: [Identity] and [Alive] tell a process
// from a later one with the same pid, and [Project.InsideSession] a command typed
// by a person from one that an agent runs. All methods are safe for concurrent use.
package project

import (
	"fmt"
	"path/filepath"
	"sync"

	"ferrus/checks"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/store"
)

// Project is a directory with ferrus.toml and .ferrus. Make it with [Open].
type Project struct {
	Dir    string // absolute, without links
	Store  *store.Dir[core.World]
	Trusts *TrustStore  // which check commands may run here; nil: all; set before the first use
	Agents config.Names // built-in agents, first the supervisor's default; set before the first use of Config

	Actions config.Actions // what keys of the screen do; as Agents
	Meters  config.Meters  // what those report; nil: nobody said; set before the first use of Config

	once  sync.Once // makes cache
	cache *config.Cache
}

// Open opens the project in a directory. Names are the built-in agents.
func Open(dir string, names ...string) (*Project, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open project: %w", err)
	}
	if real, err := filepath.EvalSymlinks(absolute); err == nil {
		absolute = real
	}
	s, err := store.Open[core.World](absolute)
	if err != nil {
		return nil, err
	}
	return &Project{Dir: absolute, Store: s, Agents: names}, nil
}

// Config is ferrus.toml as it is now. When the file is broken it is the last
// good one, with the error to show.
func (p *Project) Config() (config.Config, error) {
	p.once.Do(func() {
		p.cache = config.NewCache(p.Dir, p.Agents, p.Actions...)
		p.cache.Meters = p.Meters
	})
	return p.cache.Get()
}

// World is the present state. It is old as soon as it is read.
func (p *Project) World() (store.State[core.World], error) { return p.Store.Load() }

// Repo is the git repository around the project directory.
func (p *Project) Repo() checks.Repo { return p.repoIn(p.Dir) }

// Work is the git repository around the workspace of a task: what the gate looks at.
func (p *Project) Work(w core.World) checks.Repo { return p.repoIn(p.Workspace(w)) }

func (p *Project) repoIn(dir string) checks.Repo {
	return checks.Repo{Workspace: dir, Private: p.Store.Path("run", "git")}
}
