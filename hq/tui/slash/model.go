package slash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// setModel chooses what a role runs on; an empty model is the agent's default.
type setModel struct {
	once
	Role, Model string
}

func parseModel(v *view.View, args string) (intent.Intent, error) {
	words := strings.Fields(args)
	switch len(words) {
	case 0:
		return dialog.Open{Dialog: roleList(v)}, nil
	case 2:
	default:
		return nil, errors.New("/model takes a role and a model, or a role and --clear")
	}
	return setModel{Role: words[0], Model: strings.TrimPrefix(words[1], "--clear")}, checkRole(v, words[0])
}

func checkRole(v *view.View, name string) error {
	if !slices.Contains(roles(v), name) {
		return fmt.Errorf("unknown role %s; use one of: %s", name, strings.Join(roles(v), ", "))
	}
	return nil
}

func roles(v *view.View) (names []string) {
	for _, r := range v.Models {
		names = append(names, r.Role)
	}
	return names
}

// roleList is /model alone: the roles, then their models.
func roleList(v *view.View) dialog.Dialog {
	if len(v.Models) == 0 {
		return dialog.Message(dialog.KindRoles, "models", "No role is configured; see [hq] in ferrus.toml.")
	}
	l := &dialog.List{Of: dialog.KindRoles, Title: "Choose a role"}
	for _, r := range v.Models {
		model := cmp.Or(r.Model, "the agent's default")
		l.Items = append(l.Items, dialog.Item{Name: r.Role, Words: r.Agent + "  " + model, List: modelList(v, r)})
	}
	return l
}

func modelList(v *view.View, r view.RoleModel) *dialog.List {
	l := &dialog.List{Of: dialog.KindModels, Title: "model of the " + r.Role}
	for i, name := range v.Choices(r) {
		words := ""
		if name == r.Model {
			words, l.At = "now", i
		}
		l.Items = append(l.Items, dialog.Item{Name: name, Words: words, Intent: setModel{Role: r.Role, Model: name}})
	}
	l.Items = append(l.Items,
		dialog.Item{Name: "the agent's default", Words: "clears the model", Intent: setModel{Role: r.Role}},
		dialog.Item{Name: "another model", Words: "type its name",
			Intent: intent.Prefill{Text: "/model " + r.Role + " "}})
	return l
}

// Run sets the model in ferrus.toml.
func (m setModel) Run(_ context.Context, e *Env) (Result, error) {
	words := fmt.Sprintf("The %s uses %s from its next session", m.Role, m.Model)
	if m.Model == "" {
		words = fmt.Sprintf("The %s uses its agent's default model from its next session", m.Role)
	}
	return report(words, e.Models.SetModel(m.Role, m.Model))
}

// modelsOf suggests the models of a role.
func modelsOf(role string) func(*view.View) []view.Suggestion {
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

func completeRoles(v *view.View) (all []view.Suggestion) {
	for _, r := range v.Models {
		all = append(all, view.Suggestion{r.Role, strings.TrimSpace(r.Agent + " " + r.Model)})
	}
	return all
}

func completeModel(v *view.View, words []string) (all []view.Suggestion) {
	switch len(words) {
	case 0:
		return completeRoles(v)
	case 1:
		if slices.Contains(roles(v), words[0]) {
			all = append(modelsOf(words[0])(v), view.Suggestion{"--clear", "the agent's default"})
		}
	}
	return all
}
