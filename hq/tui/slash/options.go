package slash

import (
	"fmt"
	"slices"
	"strings"

	"ferrus/ui/prompt"
	"ferrus/ui/view"
)

// option is a word with two dashes that a command takes before its text.
type option struct {
	name, help string
	takes      func(*view.View) []view.Suggestion // suggests the word after it; nil: it takes none
	optional   bool                               // that word may be left out
}

// anything returns a word that cannot be guessed.
func anything(*view.View) []view.Suggestion { return nil }

// given is what a command was given: options with their words, and the text.
type given struct {
	options map[string]string
	text    string
	literal bool // the text follows --
}

func (g given) has(name string) bool {
	_, ok := g.options[name]
	return ok
}

// read reads the options of a command and the text after them. The word -- ends the
// options. A text that ends with options is refused, because they were meant as such.
func read(command string, all []option, args string) (g given, err error) {
	if g, err = readOptions(command, all, args); err != nil || g.literal {
		return g, err
	}
	if late := lateOptions(all, g.text); late != "" {
		return g, fmt.Errorf("/%s takes its options before the text: /%[1]s %s ...; to have %[2]s in the text, "+
			"type -- before the text", command, late)
	}
	return g, nil
}

func readOptions(command string, all []option, args string) (g given, err error) {
	g = given{options: map[string]string{}, text: args}
	for strings.HasPrefix(g.text, "--") {
		var word string
		if word, g.text = prompt.Word(g.text); word == "--" {
			g.literal = true
			return g, nil
		}
		name, value, assigned := strings.Cut(word, "=")
		i := slices.IndexFunc(all, func(o option) bool { return o.name == name })
		switch {
		case i < 0:
			return g, fmt.Errorf("/%s takes %s, not %s", command, namesOf(all), name)
		case assigned && all[i].takes == nil:
			return g, fmt.Errorf("/%s %s takes no word after it", command, name)
		case assigned:
			g.options[name] = value
			continue
		}
		g.options[name] = ""
		if all[i].takes == nil || all[i].optional && (g.text == "" || strings.HasPrefix(g.text, "--")) {
			continue
		}
		if g.text == "" {
			return g, fmt.Errorf("/%s %s needs a word after it", command, name)
		}
		g.options[name], g.text = prompt.Word(g.text)
	}
	return g, nil
}

// lateOptions returns the options that a text ends with.
func lateOptions(all []option, text string) string {
	for _, rest := prompt.Word(text); rest != ""; _, rest = prompt.Word(rest) {
		word, _ := prompt.Word(rest)
		name, _, _ := strings.Cut(word, "=")
		if !slices.ContainsFunc(all, func(o option) bool { return o.name == name }) {
			continue
		}
		if g, err := readOptions("", all, rest); err != nil || g.text == "" {
			return rest
		}
	}
	return ""
}

// typed returns a text as it is typed after the options.
func typed(all []option, text string) string {
	if strings.HasPrefix(text, "--") || lateOptions(all, text) != "" {
		return "-- " + text
	}
	return text
}

// namesOf lists options as a sentence does.
func namesOf(all []option) string {
	if len(all) == 1 {
		return all[0].name
	}
	var names []string
	for _, o := range all {
		names = append(names, o.name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// complete suggests the options that were not given yet, or what one takes, until the
// text begins.
func complete(all []option) func(*view.View, []string) []view.Suggestion {
	return func(v *view.View, words []string) (out []view.Suggestion) {
		for i := 0; i < len(words); i++ {
			o := slices.IndexFunc(all, func(o option) bool { return o.name == words[i] })
			switch {
			case o < 0:
				return nil
			case all[o].takes == nil:
			case i == len(words)-1 && !all[o].optional:
				return all[o].takes(v)
			case i == len(words)-1:
				out = all[o].takes(v)
			case !all[o].optional || !strings.HasPrefix(words[i+1], "--"):
				i++
			}
		}
		for _, o := range all {
			if !slices.Contains(words, o.name) {
				out = append(out, view.Suggestion{o.name, o.help})
			}
		}
		return out
	}
}

// firstWord suggests the word after the command.
func firstWord(all ...view.Suggestion) func(*view.View, []string) []view.Suggestion {
	return func(_ *view.View, words []string) []view.Suggestion {
		if len(words) > 0 {
			return nil
		}
		return all
	}
}

// suggest returns words as suggestions that need no explanation.
func suggest(words []string) (all []view.Suggestion) {
	for _, w := range words {
		all = append(all, view.Suggestion{Word: w})
	}
	return all
}

func noArguments(args string) error {
	if args == "" {
		return nil
	}
	return fmt.Errorf("this command takes no arguments, got %q", args)
}
