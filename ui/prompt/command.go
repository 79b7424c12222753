package prompt

import (
	"fmt"
	"slices"
	"strings"

	"ferrus/ui/intent"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// Command is one slash command. The table of them is the completion, the help and the
// generated documents, and says what a line wants.
type Command struct {
	Name string // without the slash
	Args string // as the help shows them: [--force | --cancel]
	Help string
	// Plain makes it the command for plain text that answers nothing.
	Plain bool
	// Talk makes it the command for plain text to an agent: a name, then the text.
	Talk bool
	// OfTask says that it is about the selected task, or about another one that its first argument names: #14, or
	// #14/executor for a slot of it.
	OfTask bool
	// NeedsCompletions says that it suggests what a View has only after it was looked
	// for; see [intent.LoadCompletions].
	NeedsCompletions bool
	// Complete suggests the word after those already typed; nil: nothing.
	Complete func(v *view.View, words []string) []view.Suggestion
	// Disabled says why it is not available with some arguments; nil: it always is.
	Disabled func(v *view.View, args string) string
	// Warn says what to know before it is sent; nil: nothing.
	Warn func(v *view.View) string
	// Parse reads the arguments, and returns what the command wants.
	Parse func(v *view.View, args string) (intent.Intent, error)
}

// WhyDisabled says why the command is not available with some arguments; empty: it is.
func (c Command) WhyDisabled(v *view.View, args string) string {
	number, args := c.cutTask(args)
	if c.Disabled == nil || number != "" && number != v.Tasks.Number {
		return "" // of another task that is known once it is selected
	}
	return c.Disabled(v, args)
}

// warning says what to know before the command is sent, unless it is not available.
func (c Command) warning(v *view.View) string {
	if c.Warn == nil || c.WhyDisabled(v, "") != "" {
		return ""
	}
	return c.Warn(v)
}

// Usage returns the command with its arguments.
func (c Command) Usage() string { return strings.TrimSpace("/" + c.Name + " " + c.Args) }

// Table is all commands, in the order in which they are shown.
type Table []Command

// Lookup finds a command by its exact name.
func (t Table) Lookup(name string) (Command, bool) {
	for _, c := range t {
		if c.Name == name {
			return c, true
		}
	}
	return Command{}, false
}

// first returns the first command of a sort.
func (t Table) first(is func(Command) bool) (Command, bool) {
	if i := slices.IndexFunc(t, is); i >= 0 {
		return t[i], true
	}
	return Command{}, false
}

// instead says what to type for names that other programs, or ferrus in a shell, have for something.
var instead = map[string]string{
	"answer":   "type the answer without a command",
	"exit":     "/quit leaves ferrus",
	"pause":    "/stop stops all sessions, and /resume continues",
	"continue": "/resume clears the hold and continues",
	"explain":  "/status says what the task is doing and what needs you",
}

// Parse returns what a line that begins with a slash wants.
func (t Table) Parse(v *view.View, line string) (intent.Intent, error) {
	name, args := Word(strings.TrimPrefix(strings.TrimSpace(line), "/"))
	c, ok := t.Lookup(name)
	if how := instead[name]; !ok && how != "" {
		return nil, fmt.Errorf("unknown command /%s: %s", name, how)
	} else if !ok {
		return nil, fmt.Errorf("unknown command /%s (Tab lists commands; start with a space to send it as text)",
			text.Sanitize(name))
	}
	number, args := c.cutTask(args)
	if number != "" && number != v.Tasks.Number {
		return inTask(v, number, strings.TrimSpace("/"+name+" "+args))
	}
	wanted, err := c.Parse(v, args)
	if err != nil {
		return nil, err
	}
	if why := c.WhyDisabled(v, args); why != "" {
		return nil, fmt.Errorf("/%s is not available: %s", name, why)
	}
	return wanted, nil
}

// isOff reports whether a line is a whole command that is not available.
func (t Table) isOff(v *view.View, line string) bool {
	name, args := Word(strings.TrimPrefix(strings.TrimSpace(line), "/"))
	c, ok := t.Lookup(name)
	return ok && strings.HasPrefix(line, "/") && c.WhyDisabled(v, args) != ""
}

// isUnknown reports whether a line begins with a name that no command has, or is completed to.
func (t Table) isUnknown(v *view.View, line string) bool {
	if !strings.HasPrefix(line, "/") {
		return false
	}
	name, args := Word(line[1:])
	_, ok := t.Lookup(name)
	return !ok && (args != "" || len(t.names(v, name)) == 0)
}

// Word cuts the first word off a text.
func Word(s string) (first, rest string) {
	i := strings.IndexAny(s, " \n")
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimSpace(s[i:])
}
