package workflow

import (
	"path/filepath"
	"strings"
	"testing"

	"ferrus/store/exectest"
)

// TestReviewComments uses the test's own gh, which prints its arguments.
func TestReviewComments(t *testing.T) {
	b := newStore(t)
	f := b.Forge
	f.tool = filepath.Join(t.TempDir(), "gh")
	if _, err := f.ReviewComments(t.Context(), "42"); err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Errorf("without gh: %v, want that it is not installed", err)
	}
	if err := exectest.WriteFile(f.tool, []byte("#!/bin/sh\necho \"$*\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for pull, want := range map[string]string{
		"42":                                      "api --paginate repos/{owner}/{repo}/pulls/42/comments?per_page=100",
		"https://github.com/o/r/pull/7/":          "api --paginate repos/o/r/pulls/7/comments?per_page=100",
		"https://github.com/o/r/pull/7/files":     "",
		"https://github.com/o/r/issues/7":         "",
		"42/../../../../user":                     "",
		"https://github.com/o/r/pull/7; rm -rf /": "",
		"": "",
	} {
		got, err := f.ReviewComments(t.Context(), pull)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("ReviewComments(%q) = %q, %v; want %q", pull, got, err, want)
		}
	}
}
