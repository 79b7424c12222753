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

// Text is the task of the demo, in words a person would use.
var Text = script("task.md")

// script is one of the texts that the agents write.
func script(name string) string {
	data, err := files.ReadFile("files/" + name)
	if err != nil {
		panic(err) // A name that is not embedded: every one is used in a test.
	}
	return string(data)
}

// version is the code as the executor leaves it after a stage of the story.
type version map[string]string

var (
	begun  = version{"fetch.go": script("fetch.go.txt"), "fetch_test.go": script("fetch_test.go.txt")}
	broken = version{"retry.go": script("retry1.go.txt"), "retry_test.go": script("retry_test1.go.txt")}
	fixed  = version{"retry.go": script("retry2.go.txt"), "retry_test.go": script("retry_test1.go.txt")}
)

// noted is what a workflow's review asks for.
var noted = version{notesFile: script("NOTES.md")}

// decided is the last version: what the reviewer noted and the person answered.
func decided(reply string) version {
	which := "no"
	if wantsPost(reply) {
		which = "yes"
	}
	repeat := strings.Replace(script("repeat_"+which+".go.txt"), "ANSWER", fmt.Sprintf("%.100q", oneLine(reply)), 1)
	return version{
		"retry.go": script("retry3.go.txt"), "retry_test.go": script("retry_test3.go.txt"),
		"repeat.go": repeat, "repeat_test.go": script("repeat_" + which + "_test.go.txt"),
	}
}

// wantsPost reads the person's answer by its first word. Anything that is not
// a yes is a no, which loses nothing.
func wantsPost(reply string) bool {
	words := strings.FieldsFunc(strings.ToLower(reply), func(r rune) bool { return r < 'a' || r > 'z' })
	if len(words) == 0 {
		return false
	}
	return strings.Contains(" y yes yeah yep sure ok okay both all too also please ", " "+words[0]+" ")
}

// oneLine is a text as one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// in reports whether the files of v are in dir as v has them.
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
	return version{"go.mod": script("go.mod.txt"), "fetch.go": begun["fetch.go"]}.in(dir)
}
