package ui

import (
	"errors"
	"ferrus/ui/view"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// makePair reads options and then the text of the task.
func makePair(_ *view.View, args string) (Intent, error) {
	if args == "--list" {
		return ListRuns{}, nil
	}
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
	case p.Again && (p.Task != "" || p.Mode+p.Primary+p.Secondary+p.Done != ""):
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
	switch {
	case name == "--list":
		return "", errors.New("/pair --list takes nothing beside it")
	case !slices.ContainsFunc(pairOptions, func(o option) bool { return o.name == name }):
		return "", fmt.Errorf("/pair knows %s, not %s", strings.Join(namesOf(pairOptions), ", "), name)
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
	case "--done":
		p.Done = value
	case "--max-iterations":
		if p.Limit, err = strconv.Atoi(value); err != nil || p.Limit < 1 {
			return "", fmt.Errorf("/pair --max-iterations takes a number, not %s", value)
		}
	}
	return beyond, nil
}

// offPair is why no run can begin; to look at them is always possible.
func offPair(v *view.View, args string) string {
	if args == "--list" {
		return ""
	}
	return v.Disabled["pair"]
}

// resumable suggests the runs that can be gone on with.
func resumable(v *view.View) (all []view.Suggestion) {
	for _, r := range v.Found.Runs {
		if !r.Over {
			all = append(all, view.Suggestion{r.ID, r.Status})
		}
	}
	return all
}

// runList is /pair --list: Enter on a run that is not over types what goes on
// with it.
func runList(runs []view.PairRun) dialog {
	p := &picker{kind: DialogRuns, title: "runs of pairs"}
	for _, r := range runs {
		one := pick{name: r.ID, words: r.Status}
		if !r.Over {
			one.intent = prefill{"/pair --resume " + r.ID + " "}
		}
		p.items = append(p.items, one)
	}
	return p
}
