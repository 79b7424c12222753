package guide

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

func TestEveryFileIsATopic(t *testing.T) {
	t.Parallel()
	names := map[string]bool{"README": true}
	for _, topic := range List() {
		if names[topic.Name] {
			t.Errorf("%s is there twice", topic.Name)
		}
		names[topic.Name] = true
		if found, ok := Find(topic.Name); !ok || found != topic {
			t.Errorf("%s is not found", topic.Name)
		}
	}
	all, _ := fs.Glob(files, "*.md")
	for _, file := range all {
		if !names[strings.TrimSuffix(file, ".md")] {
			t.Errorf("%s is in no part of the guide", file)
		}
	}
	if _, ok := Find("README"); ok || len(all) != len(names) {
		t.Errorf("%d files, %d names", len(all), len(names))
	}
}

// TestTopicsAreForATerminal holds what every page begins with, and that nothing in
// it is for a forge alone.
func TestTopicsAreForATerminal(t *testing.T) {
	t.Parallel()
	forge := regexp.MustCompile("<!--|<details|```mermaid|\\.md\\)|!\\[")
	for _, topic := range List() {
		if topic.Title == "" || topic.Summary == "" || len(topic.Summary) > 90 ||
			!strings.HasSuffix(topic.Summary, ".") {
			t.Errorf("%s: the title is %q and the summary %q", topic.Name, topic.Title, topic.Summary)
		}
		if found := forge.FindString(strings.ReplaceAll(topic.ForTerminal(), "SECURITY.md)", "")); found != "" {
			t.Errorf("%s has %q", topic.Name, found)
		}
	}
}
