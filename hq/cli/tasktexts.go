package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"ferrus/hq/comments"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/ui/text"
)

// printTask prints the texts of one task.
func printTask(std *streams, id string) error {
	pr, err := openProject()
	if err != nil {
		return err
	}
	read, err := taskReader(pr, id)
	if err != nil {
		return err
	}
	return printTexts(std, read)
}

// taskReader returns a function that reads the texts of an open or archived task by
// name; a missing text is empty.
func taskReader(pr *project.Task, id string) (func(name string) (string, error), error) {
	state, err := pr.World()
	if err != nil {
		return nil, err
	}
	if w := state.World; w.Task != nil && w.Task.ID == id {
		return func(name string) (string, error) { return pr.Store.ReadText(state, name) }, nil
	}
	ids, err := archivedIDs(pr)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(ids, id) {
		own, err := ownTask(pr, id)
		switch {
		case err != nil:
			return nil, err
		case own == nil || pr.HasDirectory():
			return nil, unknownTask(id)
		}
		return taskReader(own, id)
	}
	return func(name string) (string, error) {
		data, err := pr.Store.ReadFile("archive/" + id + "/" + name)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return string(data), err
	}, nil
}

// What is shown of a text of a task beside other things.
const (
	shownLines = 60
	shownBytes = 8 << 10
)

// shorten returns the beginning of a text of a task, and where the rest can be read.
func shorten(whole, task string) string {
	end, lines := 0, 0
	for line := range strings.Lines(whole) {
		if lines++; lines > shownLines || end+len(line) > shownBytes {
			break
		}
		end += len(line)
	}
	if end == len(whole) {
		return whole
	}
	if end == 0 { // one line is too long already
		end = len(text.CutBytes(whole, shownBytes))
	}
	return fmt.Sprintf("%s\n(%d more bytes: ferrus tasks %s prints all of it)", strings.TrimRight(whole[:end], "\n"),
		len(whole)-end, task)
}

func unknownTask(id string) error {
	return failure(fmt.Sprintf("unknown task %.80q", id), "ferrus tasks lists them")
}

// archivedIDs returns the ids of archived tasks, oldest first.
func archivedIDs(pr *project.Task) ([]string, error) {
	names, err := pr.Store.List("archive")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(names, func(n string) bool {
		_, ok := creationTime(n)
		return !ok && (n != pr.ID || n == "")
	}), nil
}

// creationTime returns when a task was created, from its id.
func creationTime(id string) (time.Time, bool) {
	words := strings.Split(id, "-")
	if len(words) != 4 {
		return time.Time{}, false
	}
	at, err := time.Parse("t-20060102-150405", strings.Join(words[:3], "-"))
	return at, err == nil
}

// taskTexts are the texts of a task in the order in which they are written.
var taskTexts = []string{core.TaskText, core.ConsultRequestText, core.ConsultResponseText, core.QuestionText,
	core.AnswerText, core.SubmissionText, core.ReviewText,
	core.CommentsText, core.PermissionsText}

// printTexts prints the texts that are not empty.
func printTexts(std *streams, read func(name string) (string, error)) error {
	first := true
	for _, name := range taskTexts {
		content, err := read(name)
		if err != nil {
			return err
		}
		if content == "" {
			continue
		}
		if !first {
			fmt.Fprintln(std.out)
		}
		first = false
		if name == core.CommentsText {
			set, err := comments.Decode(content)
			if err != nil {
				return err
			}
			content = set.Markdown()
		}
		if name == core.PermissionsText {
			all, err := core.DecodeRequests(content)
			if err != nil {
				return err
			}
			content = all.String()
		}
		fmt.Fprintf(std.out, "--- %s\n%s\n", name, indent(text.SanitizeLines(content)))
	}
	return nil
}
