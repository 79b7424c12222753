package advice

import (
	"slices"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// TaskCommands are the shell commands that take --task.
var TaskCommands = strings.Fields(
	"answer approve attach check diff explain log logs network permit reject report reset resume retry review " +
		"status switch tell")

var commandInLine = lazyregexp.New(`\bferrus [a-z]+`)

// ForTask names a task in each command of ferrus in a line that takes --task.
func ForTask(line, task string) string {
	return commandInLine.ReplaceAllStringFunc(line, func(found string) string {
		if !slices.Contains(TaskCommands, strings.TrimPrefix(found, "ferrus ")) {
			return found
		}
		return found + " --task " + task
	})
}
