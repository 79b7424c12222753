package human

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/hq/project"
	"ferrus/store"
)

// TestCode answers one question of one project, once, in time, in few tries.
func TestCode(t *testing.T) {
	t.Parallel()
	heads := store.Heads(filepath.Join(t.TempDir(), "heads"))
	home := &project.Task{Project: &project.Project{Dir: "/home", Heads: heads}}
	made := func() string {
		t.Helper()
		word, err := NewCode(home, 7)
		if err != nil {
			t.Fatal(err)
		}
		return word
	}
	refused := func(why string, p *project.Task, ticket uint64, word string) {
		t.Helper()
		if err := UseCode(p, ticket, word); !errors.Is(err, ErrCode) {
			t.Errorf("%s: %v", why, err)
		}
	}
	used := func(why, word string) {
		t.Helper()
		if err := UseCode(home, 7, word); err != nil {
			t.Errorf("%s: %v", why, err)
		}
	}
	word := made()
	refused("another project", &project.Task{Project: &project.Project{Dir: "/other", Heads: heads}}, 7, word)
	used("the right one, as a human types it", " "+strings.ToLower(strings.ReplaceAll(word, "-", " ")))
	refused("replayed", home, 7, word)

	word = made()
	refused("another question", home, 8, word)
	refused("used up by that", home, 7, word)

	word = made()
	for range codeTries - 1 {
		refused("wrong", home, 7, "AAAA-AAAA-AAAA-AAAA")
	}
	used("the last try", word)
	word = made()
	for range codeTries {
		refused("wrong", home, 7, "AAAA-AAAA-AAAA-AAAA")
	}
	refused("after too many tries", home, 7, word)

	first, second := made(), made()
	refused("replaced", home, 7, first)
	used("the newest", second)

	word = made()
	name, err := home.KeptFile("codes")
	if err != nil {
		t.Fatal(err)
	}
	c, err := readCode(name)
	if err != nil || strings.Contains(c.Hash, word) {
		t.Fatalf("%+v, %v", c, err)
	}
	c.Expires = time.Now().Add(-time.Second)
	if err := c.save(name); err != nil {
		t.Fatal(err)
	}
	refused("expired", home, 7, word)
	if all, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "*")); len(all) != 0 {
		t.Errorf("left: %v", all)
	}
	if _, err := NewCode(&project.Task{Project: &project.Project{Dir: "/home"}}, 7); err == nil {
		t.Error("a code without a place")
	}
}
