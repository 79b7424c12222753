package demo

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed files
var files embed.FS

// Text is the task of the demo, in the words of a user.
var Text = script("task.md")

// script returns one of the embedded texts.
func script(name string) string {
	data, err := files.ReadFile("files/" + name)
	if err != nil {
		panic(err) // the name is not embedded; tests use every name
	}
	return string(data)
}

// version is the code after one step of the demo, by file name.
type version map[string]string

var (
	begun  = version{"fetch.go": script("fetch.go.txt"), "fetch_test.go": script("fetch_test.go.txt")}
	broken = version{"retry.go": script("retry1.go.txt"), "retry_test.go": script("retry_test1.go.txt")}
	fixed  = version{"retry.go": script("retry2.go.txt"), "retry_test.go": script("retry_test1.go.txt")}
)

// noted is what a workflow's review asks for.
var noted = version{notesFile: script("NOTES.md")}

// decided returns the last version: it follows the review notes and the human's answer.
func decided(reply string) version {
	which := "no"
	if saysYes(reply) {
		which = "yes"
	}
	repeat := strings.Replace(script("repeat_"+which+".go.txt"), "ANSWER", fmt.Sprintf("%.100q", oneLine(reply)), 1)
	return version{
		"retry.go": script("retry3.go.txt"), "retry_test.go": script("retry_test3.go.txt"),
		"repeat.go": repeat, "repeat_test.go": script("repeat_" + which + "_test.go.txt"),
	}
}

// saysYes reads the human's answer by its first word. Anything but a yes counts as a no,
// which is the safe choice.
func saysYes(reply string) bool {
	words := strings.FieldsFunc(strings.ToLower(reply), func(r rune) bool { return r < 'a' || r > 'z' })
	if len(words) == 0 {
		return false
	}
	return strings.Contains(" y yes yeah yep sure ok okay both all too also please ", " "+words[0]+" ")
}

// oneLine returns a text as one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// in reports whether dir has the files of v with the same content.
func (v version) in(dir string) bool {
	for name, want := range v {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			return false
		}
	}
	return true
}

// exists reports whether dir holds the module of the demo.
func exists(dir string) bool {
	first, _, _ := strings.Cut(begun["fetch.go"], "type")
	now, err := os.ReadFile(filepath.Join(dir, "fetch.go"))
	return err == nil && strings.HasPrefix(string(now), first) && version{"go.mod": script("go.mod.txt")}.in(dir)
}

// has reports whether dir has a file.
func has(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// isFinished reports whether dir holds the code at the end of the story.
func isFinished(dir string) bool {
	return has(dir, "repeat.go") && version{"retry.go": script("retry3.go.txt")}.in(dir)
}

// laterFile is where tasks after the story are noted.
const laterFile = "TASKS.md"

// later returns what a task after the story changes: its title is noted, and the code stays.
func later(dir, task string) version {
	before, err := os.ReadFile(filepath.Join(dir, laterFile))
	if err != nil {
		before = []byte("# Tasks after the story\n\n")
	}
	title, _, _ := strings.Cut(strings.TrimSpace(task), "\n")
	line := "- " + oneLine(strings.TrimLeft(title, "# ")) + "\n"
	if strings.HasSuffix(string(before), line) {
		line = "" // a killed agent has written it
	}
	return version{laterFile: string(before) + line}
}
