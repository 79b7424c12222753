package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/checks"
	"ferrus/hq/comments"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
)

// commented is a change of two files with comments in every possible place.
func commentedDiff() project.CommentedDiff {
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	spot := func(path string, side comments.Side, line, last int, quote ...string) comments.Spot {
		return comments.Spot{Path: path, Side: side, Line: line, Last: last, Quote: quote}
	}
	return project.CommentedDiff{
		Files: []checks.FilePatch{
			{Path: "new.go", Was: "old.go", Added: 2, Removed: 1,
				Patch: "@@ -1,3 +1,4 @@ func a\n one\n-two\n+deux\n+trois\n four\n"},
			{Path: "b.txt", Added: 1, Patch: "@@ -0,0 +1 @@\n+b\n"},
			{Path: "c.bin", Added: 1, Patch: "@@ -0,0 +1 @@\n+\\u0000\n", Binary: true, Mode: "executable"},
		},
		Set: comments.Set{Rounds: []comments.Round{{Number: 1, At: at, How: comments.AsRejection}},
			Comments: []comments.Comment{
				{ID: "c1", Round: 1, State: comments.Done, By: "e", Answer: "It says deux.\x1b[2J", At: &at,
					Draft: comments.Draft{Spot: spot("old.go", comments.New, 2, 3, "deux", "trois"), Text: "French."}},
				{ID: "c2", Round: 1, State: comments.Open,
					Draft: comments.Draft{Spot: spot("old.go", comments.Old, 2, 0, "two"), Text: "Why\ngone?"}},
				{ID: "c3", Round: 1, State: comments.Open,
					Draft: comments.Draft{Spot: spot("gone.go", comments.New, 9, 0, "x"), Text: "Elsewhere."}},
			}},
		Drafts: []comments.Draft{{Spot: spot("b.txt", "", 0, 0), Text: "The file."}},
	}
}

func TestTheDiffShowsTheComments(t *testing.T) {
	var out bytes.Buffer
	printCommentedDiff(&out, commentedDiff())
	want := `  # c3, round 1: open (gone.go:9)
  # | Elsewhere.
=== old.go -> new.go  +2 -1
@@ -1,3 +1,4 @@ func a
 one
-two
  # c2, round 1: open
  # | Why
  # | gone?
+deux
+trois
  # c1, round 1: done: French.
  # | It says deux.
 four
=== b.txt  +1 -0
  # draft
  # | The file.
@@ -0,0 +1 @@
+b
=== c.bin  executable  +1 -0
binary: press o in the diff of HQ (F4) to show it as text
`
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}

// The report has every comment with its answer, as text and as a page.
func TestTheReportHasTheComments(t *testing.T) {
	e := evidence{Comments: commentedDiff().Set}
	for name, page := range map[string]string{"text": e.markdown(), "page": e.html(nil, "")} {
		for _, want := range []string{"c1", "French.", "It says deux.", "gone.go:9", "Elsewhere.", "Round 1"} {
			if !strings.Contains(page, want) {
				t.Errorf("the %s has no %q:\n%s", name, want, page)
			}
		}
		if strings.Contains(page, "\x1b") {
			t.Errorf("the %s has a control character", name)
		}
	}
	hostileSet := comments.Set{Rounds: []comments.Round{{Number: 1, How: hostile}}, Comments: []comments.Comment{
		{ID: hostile, Round: 1, State: comments.State(hostile), Answer: hostile, By: hostile,
			Draft: comments.Draft{Spot: comments.Spot{Path: hostile, Line: 1, Quote: []string{hostile}}, Text: hostile,
				From: hostile}}}}
	inert(t, (&evidence{Comments: hostileSet}).html(nil, ""))
}

// A file of comments is sent with the lines of the diff that they are about.
func TestAReviewFromAFile(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs git")
	}
	p := hqtest.NewProject(t, hqtest.Files{"ferrus.toml": "[checks]\ncommands = [\"true\"]\n", "a.txt": "a\n"})
	hqtest.Do(t, p, core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: "# Do it\n"})
	hqtest.Write(t, p.Dir, "new.go", "package new\n\nfunc f() {}\n")
	file := filepath.Join(t.TempDir(), "review.md")
	hqtest.Must(t, os.WriteFile(file, []byte("## new.go:3\nName it.\n\n## a.txt:1\nNot in the diff.\n"), 0o600))
	drafts, err := readDrafts(t.Context(), &streams{}, p, reviewFlags{from: file})
	if err != nil || len(drafts) != 2 || len(drafts[0].Quote) != 1 || drafts[0].Quote[0] != "func f() {}" ||
		drafts[0].Hunk != "@@ -0,0 +1,3 @@" || len(drafts[1].Quote) != 0 {
		t.Fatalf("%+v %v", drafts, err)
	}
	how, _, err := p.SendComments(t.Context(), drafts, "Two things.")
	if err != nil || how != comments.AsMessage {
		t.Fatalf("sent as %q: %v", how, err)
	}
	left, err := p.Messages()
	if err != nil || len(left) != 1 || !strings.HasPrefix(left[0].Text, "Two things.\n\n2 comments on the change") {
		t.Errorf("%+v %v", left, err)
	}
	if _, err := readDrafts(t.Context(), &streams{in: strings.NewReader("# Nothing\n")}, p,
		reviewFlags{from: "-"}); err == nil || !strings.Contains(err.Error(), "no comment") {
		t.Errorf("an empty review: %v", err)
	}
}
