package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// withFiles are files that a text can name.
func withFiles(paths ...string) FilesMsg { return FilesMsg{Files: &view.Files{Paths: paths}} }

// A word with @ is completed to slots first, then to files by their letters; Tab and Enter take the
// selected one, wherever in the text the word is.
func TestAtCompletes(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	b.press("@")
	b.wanted(intent.LoadFiles{})
	b.send(withFiles("README.md", "cmd/reviewer.go", "executor", "ui/prompt/popup.go", "ui/prompt/prompt.go"))
	b.shows("│ @executor", "│ README.md", "│ ui/prompt/prompt.go")
	b.press("prpr")
	b.shows("│ ui/prompt/prompt.go")
	b.hides("README.md")
	b.press("tab")
	b.holds("@ui/prompt/prompt.go ")
	b.press("and @pop", "enter", "differ")
	b.holds("@ui/prompt/prompt.go and @ui/prompt/popup.go differ")
	b.wanted(intent.LoadFiles{})
	b.press("ctrl+u", "see @ui", "down", "enter")
	b.holds("see @ui/prompt/prompt.go ")
	b.press("ctrl+u", "see .", "home", "right", "right", "right", "right", "@read")
	b.holds("see @read.")
	b.hides("README.md") // there is more of the word behind the cursor
	b.press("space", "left", "tab")
	b.holds("see @README.md .")
	b.press("ctrl+u", "ctrl+k", "@exec", "enter")
	b.holds("@executor ")
	b.press("ctrl+u", "read @exec", "enter") // only the beginning names a slot
	b.holds("read @./executor ")
	b.press("ctrl+u", "/reject see @read", "enter")
	b.holds("/reject see @README.md ")
}

// TestTheHintFitsAChoice checks that while slots or files are shown, Enter takes one and sends
// nothing, and that the key line says so.
func TestTheHintFitsAChoice(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	b.send(withFiles("README.md"))
	b.press("read @")
	b.shows("Enter insert   Up Down choose")
	b.hides("Enter send")
	b.press("enter")
	b.holds("read @README.md ")
	b.shows("Enter send to the executor")
}

// holds checks what is typed.
func (b *fixture) holds(want string) {
	b.Helper()
	if got := b.m.prompt.Value(); got != want {
		b.Errorf("the prompt has %q, not %q", got, want)
	}
}

// hides checks that the screen does not show words.
func (b *fixture) hides(words ...string) {
	b.Helper()
	for _, w := range words {
		if strings.Contains(b.frame(), w) {
			b.Errorf("the screen shows %q:\n%s", w, b.frame())
		}
	}
}

// Names with odd characters are quoted, and such words are completed, too; a word that is no file
// is sent as typed.
func TestAtTakesOddNames(t *testing.T) {
	v := work()
	v.Talk = true
	b := openAt(t, v, 120, 40)
	b.press("x @")
	b.send(withFiles("a@b.go", "docs/the plan.md", "it's.go", `quo"te`, "näher.go"))
	for typed, want := range map[string]string{
		"plan": `x @"docs/the plan.md" `, `"the pl`: `x @"docs/the plan.md" `, "@b": "x @a@b.go ", "it": `x @"it's.go" `,
		"quo": `x @"quo\"te" `, "nä": "x @näher.go ",
	} {
		b.press("ctrl+u", "x @"+typed, "tab")
		b.holds(want)
	}
	b.press("ctrl+u", "mail me@home.org about @nonsense", "enter")
	b.wants = b.wants[max(len(b.wants)-1, 0):]
	b.wanted(ran{"tell", "executor mail me@home.org about @nonsense"})
}

// 200 files in one text are 200 words of it.
func TestAtManyTimes(t *testing.T) {
	v := work()
	v.Talk = true
	b := openAt(t, v, 120, 40)
	var paths []string
	for i := range 200 {
		paths = append(paths, fmt.Sprintf("dir/file%03d.go", i))
	}
	b.press("@")
	b.send(withFiles(paths...))
	want := "@" + strings.Join(paths, " @") + " "
	b.m.prompt.Set(strings.TrimSuffix(want, "199.go "))
	b.press("199", "tab")
	b.holds(want)
}

// A pasted path becomes the mark of its file once the file is found; a path below the workspace
// becomes a word.
func TestAPastedPathIsAttached(t *testing.T) {
	v := work()
	v.Talk = true
	b := openAt(t, v, 120, 40)
	b.press("like ")
	for pasted, path := range map[string]string{
		"/tmp/shot 1.png": "/tmp/shot 1.png", `/tmp/shot\ 1.png `: "/tmp/shot 1.png", "'/tmp/it.png'": "/tmp/it.png",
		"file:///tmp/a%20b.png": "/tmp/a b.png", "~/x.png": "~/x.png",
	} {
		b.send(tea.PasteMsg{Content: pasted})
		b.wanted(intent.AttachFile{Pasted: pasted, Path: path})
		b.send(AttachedMsg{pasted, view.File{Name: "shot 1.png", Path: "/t/shot-1.png", Image: true}})
		b.press("backspace")
		b.holds("like ")
	}
	b.send(tea.PasteMsg{Content: "/tmp/n[1].txt"},
		AttachedMsg{"/tmp/n[1].txt", view.File{Name: "n[1].txt", Path: "/t/n"}})
	b.shows("like [file 6: n?1?.txt]")
	b.send(tea.PasteMsg{Content: "/w/ui/x.go"}, AttachedMsg{"/w/ui/x.go", view.File{Path: "ui/x.go", Below: true}})
	b.wants = nil
	b.press("enter")
	b.sends(ran{"tell", "executor like @/t/n@ui/x.go"})
	b.send(tea.PasteMsg{Content: "neither a path"}, tea.PasteMsg{Content: "/two\n/lines"})
	b.sends()
	b.press("ctrl+c", "x")
	b.send(AttachedMsg{"/gone.png", view.File{Name: "gone.png", Path: "/t/gone"}}) // it was deleted meanwhile
	b.holds("x")
}

// Two hundred thousand files do not make keys slow: a key examines each file once at most.
func BenchmarkAtFiles(b *testing.B) {
	var paths []string
	for i := range 200_000 {
		paths = append(paths, fmt.Sprintf("services/team%02d/internal/package%03d/file%06d_test.go", i%40, i%700, i))
	}
	bench := openAt(&testing.T{}, work(), 120, 40)
	bench.press("@")
	bench.send(withFiles(paths...))
	for b.Loop() {
		bench.press("s")
		bench.frame()
		bench.press("backspace")
		bench.frame()
	}
}
