//go:build e2e

package model

import (
	"fmt"
	"regexp"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// PairText is a task that Pair can do. The gate wants the line written in lower
// case, which only its report says.
const PairText = "Write the file `greeting.txt`; its first line is `Hello ferrus`."

var (
	ending = lazyregexp.New("(?m)^- `([A-Z]+) ([0-9a-f]{6})")
	tagged = func(tag string) *regexp.Regexp {
		return regexp.MustCompile(`(?s)<` + tag + `>\n(.*?)\n</` + tag + `>`)
	}
	greeting = lazyregexp.New(`grep -qx '([^']+)'`)
)

// Pair plays both agents of a pair, which have no tool of ferrus. The worker's
// first version fails the gate; its second follows the report; the reviewer asks
// for a line more; the third has it.
func Pair(c Conversation) Action {
	if action, ok := aside(c); ok {
		return action
	}
	for name := range c.Tools {
		if short(name) != name && ours(name) {
			return complain("a pair has the tool %s", name)
		}
	}
	if strings.Contains(c.Prompt, "You are the reviewer of a pair") {
		return pairReviewer(c)
	}
	if strings.Contains(c.Prompt, "You are the worker of a pair") {
		return pairWorker(c)
	}
	return Action{Text: "complaint: the prompt says nothing of a pair"}
}

// part returns what the prompt puts between tags: the last one, because the words of
// the client itself come first and may have such tags too.
func (c Conversation) part(tag string) string {
	all := tagged(tag).FindAllStringSubmatch(c.Prompt, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

// end ends a turn with a signal that the prompt teaches.
func (c Conversation) end(text, word, more string) Action {
	for _, m := range ending.FindAllStringSubmatch(c.Prompt, -1) {
		if m[1] == word {
			return Action{Text: fmt.Sprintf("%s\n\n%s %s%s", text, word, m[2], more)}
		}
	}
	return complain("the prompt does not teach %s", word)
}

func pairWorker(c Conversation) Action {
	if _, ok := c.newest(); ok {
		return c.end("I wrote the file. It may PASS now.", "DONE", "")
	}
	names := quoted.FindAllStringSubmatch(c.part("task"), 2)
	if len(names) < 2 {
		return complain("the prompt has no task")
	}
	file, line := names[0][1], names[1][1]
	if q := quoted.FindStringSubmatch(c.part("notes")); q != nil {
		return c.shell(fmt.Sprintf("printf '%%s\\n' '%s' >> '%s'", q[1], file))
	}
	if report := c.part("report"); report != "" {
		m := greeting.FindStringSubmatch(report)
		if m == nil {
			return complain("the report does not say what failed: %s", report)
		}
		line = m[1]
	}
	return c.shell(fmt.Sprintf("printf '%%s\\n' '%s' > '%s'", line, file))
}

func pairReviewer(c Conversation) Action {
	switch diff := c.part("diff"); {
	case !strings.Contains(diff, "+hello ferrus"):
		return complain("the diff does not show the work: %s", diff)
	case !strings.Contains(c.Prompt, "run by ferrus: PASS"):
		return complain("the prompt does not say that the checks are green")
	case !strings.Contains(diff, "+goodbye"):
		return c.end("There is no end.", "REWORK", ": add the line `goodbye`")
	}
	return c.end("I do not see anything that must not PASS.", "PASS", "")
}
