package ui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// pairOptions are the options of /pair, with what may follow them.
var pairOptions = map[string][]string{
	"--mode": {"review", "consensus", "single"}, "--primary": nil, "--secondary": nil, "--max-iterations": nil, "--resume": nil, "--yes": nil,
}

// makePair reads options and then the text of the task.
func makePair(_ *View, args string) (Intent, error) {
	p := Pair{Line: "/pair " + args}
	rest := args
	for strings.HasPrefix(rest, "--") {
		name, after, _ := strings.Cut(rest, " ")
		var err error
		if rest, err = p.option(name, strings.TrimSpace(after)); err != nil {
			return nil, err
		}
	}
	p.Task = rest
	switch {
	case p.Again && (p.Task != "" || p.Mode+p.Primary+p.Secondary != ""):
		return nil, errors.New("/pair --resume goes on as the run began; /tell leaves it a message")
	case p.Accept && !p.Again:
		return nil, errors.New("/pair --yes goes with --resume: it lets be what you were shown")
	case !p.Again && p.Task == "":
		return nil, errors.New("/pair needs the text of the task, or --resume")
	}
	return p, nil
}

// option takes one option and returns what follows it.
func (p *Pair) option(name, after string) (rest string, err error) {
	value, beyond, _ := strings.Cut(after, " ")
	beyond = strings.TrimSpace(beyond)
	switch name {
	case "--yes":
		p.Accept = true
		return after, nil
	case "--resume":
		p.Again = true
		if value == "" || strings.HasPrefix(value, "--") {
			return after, nil
		}
		p.ID = value
		return beyond, nil
	}
	if _, known := pairOptions[name]; !known {
		return "", fmt.Errorf("/pair knows %s, not %s", strings.Join(pairNames(), ", "), name)
	}
	if value == "" {
		return "", fmt.Errorf("/pair %s takes a word after it", name)
	}
	switch name {
	case "--mode":
		p.Mode = value
	case "--primary":
		p.Primary = value
	case "--secondary":
		p.Secondary = value
	case "--max-iterations":
		if p.Limit, err = strconv.Atoi(value); err != nil || p.Limit < 1 {
			return "", fmt.Errorf("/pair --max-iterations takes a number, not %s", value)
		}
	}
	return beyond, nil
}

func pairNames() (names []string) {
	for name := range pairOptions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// completePair offers options, and the words of one.
func completePair(v *View, words []string) []string {
	if n := len(words); n > 0 {
		switch last := words[n-1]; {
		case last == "--primary" || last == "--secondary":
			var agents []string
			for _, r := range v.Models {
				agents = append(agents, r.Agent)
			}
			slices.Sort(agents)
			return slices.Compact(agents)
		case pairOptions[last] != nil:
			return pairOptions[last]
		}
	}
	return slices.DeleteFunc(pairNames(), func(name string) bool { return slices.Contains(words, name) })
}
