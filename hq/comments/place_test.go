package comments

import (
	"slices"
	"testing"
)

const first = `@@ -1,6 +1,7 @@ func fetch
 package fetch
 
-func get() {
+func get(ctx context.Context) {
+	retry(ctx)
 	dial()
 	close()
 }
@@ -40,3 +41,3 @@ func other
 a
-b
+c
 d
`

func quoted(t *testing.T, s Spot) Spot {
	t.Helper()
	s = NewDiff([]File{{Path: "fetch.go", Patch: first}}).Quoted(s)
	if len(s.Quote) == 0 {
		t.Fatalf("%+v is not in the diff", s)
	}
	return s
}

func TestQuoted(t *testing.T) {
	s := quoted(t, Spot{Path: "fetch.go", Line: 3, Last: 4})
	if s.Hunk != "@@ -1,6 +1,7 @@ func fetch" || s.Side != New ||
		!slices.Equal(s.Quote, []string{"func get(ctx context.Context) {", "\tretry(ctx)"}) ||
		!slices.Equal(s.Before, []string{"package fetch", ""}) ||
		!slices.Equal(s.After, []string{"\tdial()", "\tclose()", "}"}) {
		t.Errorf("%+v", s)
	}
	deleted := quoted(t, Spot{Path: "fetch.go", Side: Old, Line: 41})
	if !slices.Equal(deleted.Quote, []string{"b"}) || !slices.Equal(deleted.After, []string{"d"}) {
		t.Errorf("%+v", deleted)
	}
	far := Spot{Path: "fetch.go", Side: New, Line: 400}
	if got := NewDiff([]File{{Path: "fetch.go", Patch: first}}).Quoted(far); len(got.Quote) != 0 || got.Hunk != "" {
		t.Errorf("a line that the diff does not show is quoted: %+v", got)
	}
}

func TestPlace(t *testing.T) {
	body := quoted(t, Spot{Path: "fetch.go", Line: 4})
	removed := quoted(t, Spot{Path: "fetch.go", Side: Old, Line: 41})
	both := quoted(t, Spot{Path: "fetch.go", Line: 3, Last: 4})
	const shifted = "@@ -1,6 +10,9 @@\n package fetch\n+// new\n+// new\n \n-func get() {\n" +
		"+func get(ctx context.Context) {\n+\tretry(ctx)\n \tdial()\n"
	const changed = "@@ -1,6 +1,7 @@\n package fetch\n \n-func get() {\n+func get(ctx context.Context) {\n" +
		"+\tretryTwice(ctx)\n \tdial()\n \tclose()\n }\n"
	const elsewhere = "@@ -90,2 +90,3 @@\n x\n+y\n z\n"
	for name, c := range map[string]struct {
		spot Spot
		file File
		want Placed
	}{
		"where it was":               {body, File{Path: "fetch.go", Patch: first}, Placed{Same, 0, 4, 4}},
		"under other numbers":        {body, File{Path: "fetch.go", Patch: shifted}, Placed{Same, 0, 15, 15}},
		"several lines":              {both, File{Path: "fetch.go", Patch: shifted}, Placed{Same, 0, 14, 15}},
		"on a deleted line":          {removed, File{Path: "fetch.go", Patch: first}, Placed{Same, 0, 41, 41}},
		"on a line that was changed": {body, File{Path: "fetch.go", Patch: changed}, Placed{Changed, 0, 4, 4}},
		"in a file that was renamed": {body, File{Path: "get.go", Was: "fetch.go", Patch: first},
			Placed{Same, 0, 4, 4}},
		"where the diff shows nothing": {body, File{Path: "fetch.go", Patch: elsewhere}, Placed{Fit: InFile}},
		"in a file that is not in it":  {body, File{Path: "other.go", Patch: first}, Placed{Fit: Outside, File: -1}},
		"on the whole file":            {Spot{Path: "fetch.go"}, File{Path: "fetch.go"}, Placed{Fit: InFile}},
		"on the change as a whole":     {Spot{}, File{Path: "fetch.go"}, Placed{Fit: Outside, File: -1}},
		"written without a diff": {Spot{Path: "fetch.go", Side: New, Line: 6}, File{Path: "fetch.go", Patch: first},
			Placed{Changed, 0, 6, 6}},
		"on a deleted line that is again": {removed,
			File{Path: "fetch.go", Patch: "@@ -40,3 +41,3 @@\n a\n b\n+d\n"}, Placed{Same, 0, 41, 41}},
	} {
		if got := NewDiff([]File{c.file}).Place(c.spot); got != c.want {
			t.Errorf("a comment %s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Of equal lines the nearest is meant, and a quote does not reach over two hunks.
func TestPlaceTheNearest(t *testing.T) {
	d := NewDiff([]File{{Path: "a",
		Patch: "@@ -1,2 +1,2 @@\n x\n+}\n@@ -50,2 +50,2 @@\n+}\n y\n@@ -90 +90,2 @@\n+}\n"}})
	for line, want := range map[int]int{1: 2, 30: 50, 49: 50, 80: 90} {
		if got := d.Place(Spot{Path: "a", Line: line, Quote: []string{"}"}}); got.Line != want {
			t.Errorf("from line %d to %+v, want line %d", line, got, want)
		}
	}
	if got := d.Place(Spot{Path: "a", Line: 2, Last: 3, Quote: []string{"}", "}"}}); got.Fit == Same {
		t.Errorf("a quote over two hunks: %+v", got)
	}
}

func FuzzPlace(f *testing.F) {
	f.Add(first, 3, "b")
	f.Add("@@\n+\n", -1, "")
	f.Fuzz(func(t *testing.T, patch string, line int, quote string) {
		d := NewDiff([]File{{Path: "a", Patch: patch}})
		quotes := []string{quote}
		got := d.Place(Spot{Path: "a", Line: line, Quote: quotes, Before: quotes, After: quotes})
		d.Quoted(Spot{Path: "a", Line: line, Last: line})
		if got.File != 0 || got.Fit == Outside || got.Fit == InFile && got.Line != 0 {
			t.Errorf("%+v", got)
		}
	})
}
