package hq_test

import (
	"regexp"
	"strings"
	"testing"
)

// cacheEntry is a line that gives a cache of a tool its place.
var cacheEntry = regexp.MustCompile(`"(?:GOCACHE|GOMODCACHE|CARGO_HOME|npm_config_cache|PIP_CACHE_DIR|UV_CACHE_DIR)=`)

// Gate, setup commands and sessions have one table of caches: two would soon differ.
func TestCachesAreNamedOnce(t *testing.T) {
	t.Parallel()
	const table = "agent/sandbox/caches.go"
	found := 0
	for _, s := range sources(t) {
		entries := cacheEntry.FindAll(s.text, -1)
		switch {
		case s.name == table:
			found = len(entries)
		case len(entries) > 0 && !s.test && !strings.HasPrefix(s.name, ".ci/"):
			t.Errorf("%s sets %s; the table is in %s", s.name, entries, table)
		}
	}
	if found == 0 {
		t.Error("there is no table")
	}
}
