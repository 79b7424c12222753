package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// known are the models to choose from for a role: those its agent has a name for,
// and those that it ran on before.
func (r RoleModel) known(v *View) []string {
	all := slices.Clone(r.Known)
	for _, m := range append(slices.Clone(v.Found.Models[r.Agent]), r.Model) {
		if m != "" && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}

func modelsOfRole(role string) func(*View) []Suggestion {
	return func(v *View) (all []Suggestion) {
		for _, r := range v.Models {
			if r.Role != role {
				continue
			}
			for _, m := range r.known(v) {
				words := ""
				if m == r.Model {
					words = "now"
				}
				all = append(all, Suggestion{m, words})
			}
		}
		return all
	}
}

func completeModel(v *View, words []string) (all []Suggestion) {
	switch len(words) {
	case 0:
		for _, r := range v.Models {
			all = append(all, Suggestion{r.Role, strings.TrimSpace(r.Agent + " " + r.Model)})
		}
	case 1:
		if slices.Contains(roles(v), words[0]) {
			all = append(modelsOfRole(words[0])(v), Suggestion{"--clear", "the agent's own"})
		}
	}
	return all
}

func makeModel(v *View, args string) (Intent, error) {
	words := strings.Fields(args)
	switch len(words) {
	case 0:
		return openModels{}, nil
	case 2:
	default:
		return nil, errors.New("/model takes a role and a model, or a role and --clear")
	}
	for _, r := range v.Models {
		if r.Role == words[0] {
			return SetModel{words[0], strings.TrimPrefix(words[1], "--clear")}, nil
		}
	}
	return nil, fmt.Errorf("there is no role %s: %s", words[0], strings.Join(roles(v), ", "))
}

func roles(v *View) (names []string) {
	for _, r := range v.Models {
		names = append(names, r.Role)
	}
	return names
}
