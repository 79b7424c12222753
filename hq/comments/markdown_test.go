package comments

import (
	"strings"
	"testing"
)

const review = "# Review of the retries\n\nGood, but for these.\n\n## fetch.go:12\nUse the context.\n\n" +
	"```sh\n## not a heading\n```\n\n## `fetch.go`:40-45 (old)\nWhy is this gone?\n### A detail\n\n" +
	"## README.md\nSay so here.\n\n## dir with blanks/a:b.txt:3-3\nTypo.\n"

func TestParseMarkdown(t *testing.T) {
	got, err := ParseMarkdown(review)
	if err != nil {
		t.Fatal(err)
	}
	want := []Draft{
		{Text: "Good, but for these."},
		{Spot: Spot{Path: "fetch.go", Side: New, Line: 12}, Text: "Use the context.\n\n```sh\n## not a heading\n```"},
		{Spot: Spot{Path: "fetch.go", Side: Old, Line: 40, Last: 45}, Text: "Why is this gone?\n### A detail"},
		{Spot: Spot{Path: "README.md"}, Text: "Say so here."},
		{Spot: Spot{Path: "dir with blanks/a:b.txt", Side: New, Line: 3}, Text: "Typo."},
	}
	if len(got) != len(want) {
		t.Fatalf("%d drafts: %+v", len(got), got)
	}
	for i := range want {
		if got[i].Where() != want[i].Where() || got[i].Text != want[i].Text || got[i].Side != want[i].Side {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
}

func TestMarkdownThatIsNoReview(t *testing.T) {
	for source, want := range map[string]string{
		"":                        "no comment",
		"# Only a title\n":        "no comment",
		"## a.go:3\n\n## b.go\nx": "a.go:3 has no text",
		"## a.go:0\nx":            "line 1: ",
		"x\n\n## a.go:9-2\ny":     "line 3: ",
		"## \nx":                  "names no place",
	} {
		if _, err := ParseMarkdown(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", source, err, want)
		}
	}
}

func TestParsePullRequest(t *testing.T) {
	const pages = `[{"id":1,"path":"a.go","side":"RIGHT","line":7,"start_line":5,"body":"Too long.","user":{"login":"ann"}},
{"id":2,"path":"a.go","side":"LEFT","line":null,"original_line":9,"body":"Why?","user":{"login":"bob"}}]
[{"id":3,"in_reply_to_id":1,"path":"a.go","line":7,"body":"Agreed.","user":{"login":"cy"}},
{"id":4,"in_reply_to_id":3,"path":"a.go","line":7,"body":"Good.","user":{"login":"ann"}},
{"id":5,"path":"b.go","body":"All of it.","user":{"login":"ann"}}]`
	got, err := ParsePullRequest(pages)
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v %v", got, err)
	}
	if got[0].Where() != "a.go:5-7" || got[0].From != "ann" || got[0].Text != "Too long.\n\ncy: Agreed.\n\nann: Good." {
		t.Errorf("%+v", got[0])
	}
	if got[1].Where() != "a.go:9 (old side)" || got[2].Where() != "b.go" {
		t.Errorf("%+v", got[1:])
	}
	for _, bad := range []string{"", "[]", "{}", `[{"body":"","path":"a"}]`} {
		if _, err := ParsePullRequest(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}
