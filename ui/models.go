package ui

import (
	"errors"
	"ferrus/ui/view"
	"fmt"
	"slices"
	"strings"
)

func modelsOfRole(role string) func(*view.View) []view.Suggestion {
	return func(v *view.View) (all []view.Suggestion) {
		for _, r := range v.Models {
			if r.Role != role {
				continue
			}
			for _, m := range v.Choices(r) {
				words := ""
				if m == r.Model {
					words = "now"
				}
				all = append(all, view.Suggestion{m, words})
			}
		}
		return all
	}
}

func completeModel(v *view.View, words []string) (all []view.Suggestion) {
	switch len(words) {
	case 0:
		for _, r := range v.Models {
			all = append(all, view.Suggestion{r.Role, strings.TrimSpace(r.Agent + " " + r.Model)})
		}
	case 1:
		if slices.Contains(roles(v), words[0]) {
			all = append(modelsOfRole(words[0])(v), view.Suggestion{"--clear", "the agent's own"})
		}
	}
	return all
}

func makeModel(v *view.View, args string) (Intent, error) {
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

func roles(v *view.View) (names []string) {
	for _, r := range v.Models {
		names = append(names, r.Role)
	}
	return names
}
