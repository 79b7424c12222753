package config

import (
	"bytes"
	"sync"
)

// Cache reads ferrus.toml at each use and parses it when it changed. It is safe
// for concurrent use.
type Cache struct {
	dir     string
	names   Names
	actions Actions

	Meters Meters // what agents report, where limits need it; set before the first use

	mu     sync.Mutex // guards what follows
	parsed bool       // good is set
	data   []byte     // what good and err come from; nil when unread
	good   Config
	err    error
}

// NewCache keeps the configuration of one project.
func NewCache(dir string, names []string, actions ...Action) *Cache {
	return &Cache{dir: dir, names: names, actions: actions}
}

// Get returns the configuration as the file has it now. When the file is
// broken it returns the last good one together with the error, which is to be
// shown; before there was a good one, the defaults.
func (c *Cache) Get() (Config, error) {
	data, err := read(c.dir)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.parsed {
		c.good, _ = Parse(nil, c.names)
	}
	if err != nil {
		c.parsed, c.data = true, nil
		return c.good, err
	}
	if c.parsed && c.data != nil && bytes.Equal(data, c.data) {
		return c.good, c.err
	}
	c.take(data)
	return c.good, c.err
}

func (c *Cache) take(data []byte) {
	loaded, err := Parse(data, c.names, c.actions...)
	if err == nil {
		err = Measurable(data, loaded, c.Meters)
	}
	c.parsed, c.data, c.err = true, append([]byte{}, data...), err
	if err == nil {
		c.good = loaded
	}
}
