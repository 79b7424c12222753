package config

import (
	"bytes"
	"sync"
)

// Cache reads ferrus.toml at each use and parses it if it changed. It is safe for
// concurrent use.
type Cache struct {
	dir     string
	names   Names
	actions Actions

	Meters Meters // to check limits; set before the first use

	mu     sync.Mutex // guards the fields below
	parsed bool       // good is set
	data   []byte     // what good and err come from; nil when unread
	good   Config
	err    error
}

// NewCache returns the cache of one project.
func NewCache(dir string, names []string, actions ...Action) *Cache {
	return &Cache{dir: dir, names: names, actions: actions}
}

// Get returns the current configuration. If the file is invalid, it returns the error
// together with the last valid configuration or, if there was none, the defaults.
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
	c.parse(data)
	return c.good, c.err
}

func (c *Cache) parse(data []byte) {
	loaded, err := Parse(data, c.names, c.actions...)
	if err == nil {
		err = CheckMeasurable(data, loaded, c.Meters)
	}
	c.parsed, c.data, c.err = true, append([]byte{}, data...), err
	if err == nil {
		c.good = loaded
		c.good.Hash, c.good.Widening = hash(data), widens(data)
	}
}
